/**
 * Maintains `context/phase-status.json`: counts of queue handoffs for each phase and agent. The file names the last counted
 * fact, so that an update costs only the new facts. If another program changed the file, everything is counted again.
 */
import { isJsonObject, type JsonObject } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Fact } from '../../domain/facts.ts';
import type { HandoffId } from '../../domain/names.ts';
import {
  readBoard,
  writeBoard,
  type PhaseBoard,
  type PhaseLine,
  type PhaseWord,
} from '../../formats/artifact/phase-status.ts';
import { QUEUE_WORDS } from '../../formats/queue-message/vocabulary.ts';
import type { ArtifactFolder } from '../../folders/folder.ts';
import type { Claimed } from '../../stores/store.ts';
import type { Context } from '../context.ts';
import { bodyOf } from './file-text.ts';
import type { PhasePart } from './queue.ts';

const UPDATE_INTERVAL_MS = 1_000;
const PAGE = 500;
/** Limits one update to about a second; the next update continues. */
const PAGES_MAX = 20;
const CONCURRENCY = 16;
const REMEMBERED_MAX = 20_000;

export function phaseStatusUpdater(
  ctx: Context,
  folder: ArtifactFolder,
  parts: Map<HandoffId, PhasePart>,
): (force: boolean) => Promise<void> {
  let updatedMs = Number.NEGATIVE_INFINITY;
  return async (force) => {
    const nowMs = ctx.clock.monotonicMs();
    if (!force && nowMs - updatedMs < UPDATE_INTERVAL_MS) return;
    updatedMs = nowMs;
    const [first] = await ctx.store.facts({ max: 1 });
    if (first === undefined) return;
    const text = await folder.phaseStatus.load();
    const database = first.fact.hash;
    const kept = text === null ? null : readBoard(text);
    let board = kept?.asOf.startsWith(`${database} `) === true ? kept : { asOf: `${database} `, lines: [] };
    for (let page = 0; force || page < PAGES_MAX; page += 1) {
      const next = await onePage(ctx, board, parts);
      if (next === null) break;
      board = next;
    }
    const wanted = writeBoard(board);
    if (wanted !== text) await folder.phaseStatus.save(wanted);
  };
}

/** Null: there are no more facts. */
async function onePage(
  ctx: Context,
  { asOf, lines }: PhaseBoard,
  parts: Map<HandoffId, PhasePart>,
): Promise<PhaseBoard | null> {
  const [database = '', after = ''] = asOf.split(' ');
  const read = await ctx.store.facts({ max: PAGE, ...(after === '' ? {} : { after }) });
  const last = read.at(-1);
  if (last === undefined) return null;
  await loadParts(ctx, new Set(read.map(({ fact }) => fact.handoff)), parts);
  const next = new Map(lines.map((line) => [keyOf(line), line]));
  for (const { fact } of read) count(next, parts.get(fact.handoff) ?? null, fact);
  return { asOf: `${database} ${last.cursor}`, lines: [...next.values()] };
}

function count(lines: Map<string, PhaseLine>, part: PhasePart, { handoff, from, to, at }: Fact): void {
  const word = QUEUE_WORDS[to].status;
  const before = from === null ? null : QUEUE_WORDS[from].status;
  if (part === null || word === before) return;
  const line = lines.get(keyOf(part)) ?? { ...part, counts: NONE };
  const counts: Record<PhaseWord, number> = { ...line.counts, [word]: line.counts[word] + 1 };
  if (before !== null) counts[before] -= 1;
  lines.set(keyOf(part), { phase: part.phase, agent: part.agent, counts, last: { id: handoff, word, at } });
}

const NONE: PhaseLine['counts'] = { pending: 0, in_progress: 0, completed: 0, failed: 0 };

function keyOf({ phase, agent }: NonNullable<PhasePart>): string {
  return `${phase ?? ''} ${agent}`;
}

/** Loads phase and agent of these handoffs. They never change, so each is read once. */
async function loadParts(
  { store }: Context,
  ids: ReadonlySet<HandoffId>,
  parts: Map<HandoffId, PhasePart>,
): Promise<void> {
  if (parts.size > REMEMBERED_MAX) parts.clear();
  const rest = [...ids].filter((id) => !parts.has(id));
  const work = async (): Promise<void> => {
    for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
      const whole = await store.load(id);
      parts.set(id, whole === null ? null : partOf(whole));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

export function partOf(claimed: Claimed): PhasePart {
  const { handoff } = claimed;
  if (handoff.kind !== 'queue') return null;
  return { phase: phaseOf(bodyOf(claimed)), agent: `@${handoff.to}` };
}

function phaseOf({ message, target: known }: Body): number | null {
  const fields = message === undefined ? {} : (JSON.parse(message.replace(/^\uFEFF/, '')) as JsonObject);
  const phase = isJsonObject(fields['target']) ? fields['target']['phase'] : null;
  return typeof phase === 'number' ? phase : (known?.phase ?? null);
}
