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

/** Null: it was changed, and everything has to be counted again. */
export function readBoard(text: string): PhaseBoard | null {
  const read = readJson(text);
  const value = read.ok ? read.value.value : null;
  if (!isJsonObject(value)) return null;
  const { as_of: asOf, digest, phases } = value;
  if (typeof asOf !== 'string' || !Array.isArray(phases)) return null;
  // With the right digest the lines are valid.
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

/** Open work decides; otherwise the last handoff. */
function statusOf(counts: PhaseLine['counts'], last: PhaseWord): PhaseWord {
  return counts.in_progress > 0 ? 'in_progress' : counts.pending > 0 ? 'pending' : last;
}

function lineOf(entry: Json): PhaseLine {
  const fields = isJsonObject(entry) ? entry : {};
  const counts = isJsonObject(fields['handoffs']) ? fields['handoffs'] : {};
  return {
    phase: typeof fields['phase'] === 'number' ? fields['phase'] : null,
    agent: textIn(fields['agent_id']),
    counts: Object.fromEntries(PHASE_WORDS.map((word) => [word, Number(counts[word] ?? 0)])) as PhaseLine['counts'],
    last: {
      id: textIn(fields['last_handoff_id']),
      word: PHASE_WORDS.find((word) => word === fields['last_status']) ?? 'pending',
      at: Date.parse(textIn(fields['updated_at'])) || 0,
    },
  };
}

function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function rankOf({ phase }: PhaseLine): number {
  return phase ?? Number.MAX_SAFE_INTEGER;
}
