/**
 * Updates handoffs whose dependencies ended without being completed. As their terms say, they record the reason and keep
 * waiting, fail, or run; after a retry of the dependency they wait for the retry.
 *
 * The process that ends or retries a handoff updates its dependents at once. The sweep checks all of them again, because
 * that process may have died in between.
 */
import { err, type Result } from '../../foundation/result.ts';
import type { JsonObject } from '../../foundation/json.ts';
import type { Decide } from '../../domain/decision.ts';
import { endedUnsuccessfully } from '../../domain/dependencies.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { reblock, unblock } from '../../domain/moves/block.ts';
import { failForGood } from '../../domain/moves/fail.ts';
import type { HandoffId } from '../../domain/names.ts';
import { SYSTEM } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { Store } from '../../stores/store.ts';
import { lacksArtifact } from '../artifacts/awaited-artifacts.ts';
import { andThen, change, decideBy, withNotifications } from '../change.ts';
import type { Context } from '../context.ts';
import { decideBlock, thenBlock } from './activate.ts';
import { effectiveHandoffs, dependencyStatus, type EffectiveHandoffs } from './dependencies.ts';
import { failureText } from './failure-text.ts';
import { findHandoff, pagesOf } from './find.ts';

const PAGE = 200;
const PAGES_MAX = 25;
/** How many handoffs are followed at once, dependents of dependents included. The sweep updates the rest. */
const ENDED_MAX = 200;
const ORIGINS_MAX = 32;
const SWEEP_MS = 500;

/** After a handoff has ended without being completed, or was made as a retry of one that has. */
export async function updateDependentsOf(ctx: Context, ended: Handoff): Promise<void> {
  const open = [ended];
  for (let looked = 0; looked < ENDED_MAX; looked += 1) {
    const next = open.shift();
    if (next === undefined) return;
    for (const id of await originsOf(ctx, next)) {
      for await (const page of pagesOf(ctx.store, { by: 'waiting', on: { named: id }, max: PAGE }, PAGES_MAX)) {
        const waiting = page.filter(({ terms }) => terms.dependsOn.includes(id));
        open.push(...(await updateEach(ctx, waiting)).filter(({ state }) => endedUnsuccessfully(state)));
      }
    }
  }
}

/** Updates the dependents after any move. Only an end without completion affects them. */
export async function withDependents<Refused>(
  ctx: Context,
  answer: Result<Handoff, Refused>,
): Promise<Result<Handoff, Refused>> {
  if (answer.ok && endedUnsuccessfully(answer.value.state)) await updateDependentsOf(ctx, answer.value);
  return answer;
}

interface LastSweep {
  readonly atMs: number;
  /** Where the next sweep continues. Null: at the beginning. */
  readonly after: string | null;
}
const lastSweeps = new WeakMap<Store, LastSweep>();

/** Updates one page of handoffs with a failed dependency; the next sweep continues with the next page. */
export async function sweepDependents(ctx: Context): Promise<number> {
  const { store } = ctx;
  const last = lastSweeps.get(store);
  const atMs = ctx.clock.monotonicMs();
  if (last !== undefined && atMs - last.atMs < SWEEP_MS) return 0;
  const query = { by: 'waiting', on: 'failed', max: PAGE } as const;
  const after = last?.after ?? null;
  const { items, next } = await store.find(after === null ? query : { ...query, after });
  lastSweeps.set(store, { atMs, after: next });
  return (await updateEach(ctx, items)).length;
}

/** Offers handoffs whose dependencies are all completed. */
export async function sweepFreed(ctx: Context): Promise<number> {
  const { items } = await ctx.store.find({ by: 'freed', max: PAGE });
  if (items.length === 0) return 0;
  const lacking = new Set<HandoffId>();
  for (const { id, terms } of items) if (await lacksArtifact(ctx, terms.artifacts)) lacking.add(id);
  const decide = andThen(decideFreed, ({ id }) => lacking.has(id), decideBlock('artifact'));
  const answers = await ctx.store.change(items, withNotifications(ctx.rules, decide));
  return answers.filter((answer) => answer.ok).length;
}

/** The handoff and all that it retries, back to the first. A dependent may name any of them. */
async function originsOf(ctx: Context, handoff: Handoff): Promise<readonly HandoffId[]> {
  const ids = [handoff.id];
  let before = handoff.lineage.retryOf;
  while (before !== null && ids.length < ORIGINS_MAX) {
    ids.push(before);
    before = (await findHandoff(ctx, before))?.lineage.retryOf ?? null;
  }
  return ids;
}

/** Returns all given handoffs in their current state. */
export async function updateDependents(ctx: Context, handoffs: readonly Handoff[]): Promise<readonly Handoff[]> {
  const changed = new Map((await updateEach(ctx, handoffs)).map((handoff) => [handoff.id, handoff]));
  return handoffs.map((handoff) => changed.get(handoff.id) ?? handoff);
}

/** Returns the changed handoffs. */
async function updateEach(ctx: Context, waiting: readonly Handoff[]): Promise<readonly Handoff[]> {
  const dependencies = waiting.flatMap(({ terms }) => terms.dependsOn);
  const effective = await effectiveHandoffs(ctx, dependencies);
  const changed: Handoff[] = [];
  for (const handoff of waiting) {
    const decide = await decisionFor(ctx, handoff, effective);
    const answer = decide === null ? null : await change(ctx, handoff, ifStill(handoff, decide));
    if (answer?.ok === true) changed.push(answer.value);
  }
  return changed;
}

async function decisionFor(ctx: Context, handoff: Handoff, effective: EffectiveHandoffs): Promise<Decide | null> {
  const { terms, blockedOn } = handoff;
  if (blockedOn?.reason !== 'dependency') return null;
  const { isMet, failed } = dependencyStatus(terms, effective);
  if (isMet) return thenBlock(decideFreed, (await lacksArtifact(ctx, terms.artifacts)) ? 'artifact' : null);
  if (failed !== null && terms.onDependencyFailure === 'fail') return decideFailed(failed);
  if (failed?.id === blockedOn.failed) return null;
  return decideReblocked(failed);
}

/** Applies only to the revision that was read: a process that has changed it since knew newer facts. */
export function ifStill({ revision }: Handoff, decide: Decide): Decide {
  return (handoff, nowMs) =>
    handoff.revision === revision ? decide(handoff, nowMs) : err<Refusal>({ code: 'not-overdue', id: handoff.id });
}

/** Unblocks a handoff in the name of the system. */
export function decideUnblocked(reason: string): Decide {
  return decideBy(SYSTEM, 'unblock', (handoff, nowMs) => ({ moved: unblock(handoff, nowMs), detail: { reason } }));
}

const decideFreed = decideUnblocked('dependencies completed');

function decideReblocked(failed: Handoff | null): Decide {
  return decideBy(SYSTEM, 'block', (handoff, nowMs) => ({
    deed: 'reblock',
    moved: reblock(handoff, { reason: 'dependency', ...(failed === null ? {} : { failed: failed.id }) }, nowMs),
    detail:
      failed === null
        ? { reason: 'what had failed is tried again' }
        : { reason: endText(failed), dependency: failed.id },
  }));
}

function decideFailed(failed: Handoff): Decide {
  const failure = { code: 'DEPENDENCY_FAILED', message: endText(failed) };
  const detail: JsonObject = { ...failure, dependency: failed.id };
  return decideBy(SYSTEM, 'fail', (handoff, nowMs) => ({
    moved: failForGood(handoff, nowMs),
    detail,
    outcome: failureText(failure),
  }));
}

const END_TEXT: Partial<Record<Handoff['state'], string>> = {
  failed: 'has failed',
  rejected: 'was rejected',
  expired: 'has expired',
  cancelled: 'was cancelled',
};

function endText({ id, state }: Pick<Handoff, 'id' | 'state'>): string {
  return `${id}, which it waits for, ${END_TEXT[state] ?? `is ${state}`}`;
}
