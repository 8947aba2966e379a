/** `context/phase-status.json`: how far each phase is, in the words of the queue. */
import { digestOf } from '../../foundation/digest.ts';
import { isJsonObject, readJson, type Json, type JsonObject } from '../../foundation/json.ts';

export const PHASE_WORDS = ['pending', 'in_progress', 'completed', 'failed'] as const;
export type PhaseWord = (typeof PHASE_WORDS)[number];

export interface PhaseLine {
  readonly phase: number | null;
  /** With its `@`. */
  readonly agent: string;
  readonly counts: Readonly<Record<PhaseWord, number>>;
  readonly last: { readonly id: string; readonly word: PhaseWord; readonly at: number };
}

export interface PhaseBoard {
  /** Which facts are counted here: of which database, and up to where. */
  readonly asOf: string;
  readonly lines: readonly PhaseLine[];
}

/** The same counts make the same text. */
export function writeBoard({ asOf, lines }: PhaseBoard): string {
  const phases = lines.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.agent < b.agent ? -1 : 1)).map(entryOf);
  const digest = digestOf(JSON.stringify([asOf, phases]));
  return `${JSON.stringify({ schema_version: '1.0', as_of: asOf, digest, phases }, null, 2)}\n`;
}

/** Null: it is not as we wrote it, and has to be counted anew. */
export function readBoard(text: string): PhaseBoard | null {
  const read = readJson(text);
  const value = read.ok ? read.value.value : null;
  if (!isJsonObject(value)) return null;
  const { as_of: asOf, digest, phases } = value;
  if (typeof asOf !== 'string' || !Array.isArray(phases)) return null;
  // Whoever can make this digest has followed our rules: the lines are as we write them.
  return digest === digestOf(JSON.stringify([asOf, phases])) ? { asOf, lines: phases.map(lineOf) } : null;
}

function entryOf({ phase, agent, counts, last }: PhaseLine): JsonObject {
  return {
    phase,
    agent_id: agent,
    status: statusOf(counts, last.word),
    handoffs: Object.fromEntries(PHASE_WORDS.map((word) => [word, counts[word]])),
    last_handoff_id: last.id,
    last_status: last.word,
    updated_at: new Date(last.at).toISOString(),
  };
}

/** What is open decides; where nothing is, what came last. */
function statusOf(counts: PhaseLine['counts'], last: PhaseWord): PhaseWord {
  return counts.in_progress > 0 ? 'in_progress' : counts.pending > 0 ? 'pending' : last;
}

function lineOf(entry: Json): PhaseLine {
  const said = isJsonObject(entry) ? entry : {};
  const counts = isJsonObject(said['handoffs']) ? said['handoffs'] : {};
  return {
    phase: typeof said['phase'] === 'number' ? said['phase'] : null,
    agent: textIn(said['agent_id']),
    counts: Object.fromEntries(PHASE_WORDS.map((word) => [word, Number(counts[word] ?? 0)])) as PhaseLine['counts'],
    last: {
      id: textIn(said['last_handoff_id']),
      word: PHASE_WORDS.find((word) => word === said['last_status']) ?? 'pending',
      at: Date.parse(textIn(said['updated_at'])) || 0,
    },
  };
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function rankOf({ phase }: PhaseLine): number {
  return phase ?? Number.MAX_SAFE_INTEGER;
}
