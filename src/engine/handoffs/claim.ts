import { assert } from '../../foundation/assert.ts';
import type { Custody, Handoff } from '../../domain/handoff.ts';
import { HAND_LEASE_MS, handUntilAt, overdueRefusal } from '../../domain/deadlines.ts';
import { accept } from '../../domain/moves/accept.ts';
import type { AgentId, SessionId } from '../../domain/names.ts';
import { isMilliseconds } from '../../domain/record-values.ts';
import { tokenIn, type Principal } from '../../domain/principal.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import type { Claimed } from '../../stores/store.ts';
import { decideBy, reconcileFolders } from '../change.ts';
import type { Context } from '../context.ts';
import { checkOnce } from '../stall-detection.ts';
import { sweepOverdue } from '../sweep.ts';

/** For a person or a program without a worker session: only the lease tells when the claim is abandoned. */
export async function claimByHand(
  ctx: Context,
  principal: Principal,
  agent: AgentId,
  leaseMs: number = HAND_LEASE_MS,
): Promise<Claimed | null> {
  assert(isMilliseconds(leaseMs), 'whoever asks has read a lease of whole milliseconds');
  const token = tokenIn(principal);
  const proof = token === null ? {} : { token };
  const custodyOf = ({ kind }: Handoff, nowMs: number): Custody => ({
    by: 'hand',
    holder: agent,
    untilAt: handUntilAt(kind, nowMs, leaseMs),
    ...proof,
  });
  for (;;) {
    const [claimed] = await claim(ctx, principal, agent, 1, custodyOf);
    if (claimed === undefined) {
      // A document that was not taken in time can no longer be taken, and stands before those that came later.
      if ((await expireLateOffers(ctx, agent)) === 0) return null;
      continue;
    }
    if ((await won(ctx, principal, [claimed])).length > 0) return claimed;
  }
}

/** For workspaces where no process sweeps. Usually nothing is late, and then nothing is written. */
async function expireLateOffers(ctx: Context, agent: AgentId): Promise<number> {
  const isLateOffer = ({ kind, state, to }: Handoff): boolean =>
    kind === 'document' && state === 'offered' && to === agent;
  const { items } = await ctx.store.find({ by: 'overdue', max: LATE_MAX });
  return items.some(isLateOffer) ? sweepOverdue(ctx, await checkOnce(ctx), isLateOffer) : 0;
}

const LATE_MAX = 200;

/**
 * The next one, or one that comes within `waitMs`. Null: nothing came, or the signal was aborted, or the caller's token
 * has ended. Nothing is taken after the signal: a caller that has left would never learn what it holds.
 */
export async function claimNext(
  ctx: Context,
  principal: Principal,
  agent: AgentId,
  {
    waitMs = 0,
    leaseMs,
    signal,
  }: { readonly waitMs?: number; readonly leaseMs?: number; readonly signal?: AbortSignal },
  stillGood: () => Promise<boolean>,
): Promise<Claimed | null> {
  const over = new AbortController();
  const end = (): void => over.abort('over');
  signal?.addEventListener('abort', end, { once: true });
  if (waitMs > 0) void ctx.timers.sleep(waitMs, over.signal).then(end);
  try {
    for (;;) {
      const hint = ctx.store.changed({ kind: 'offers', agent }, over.signal);
      const claimed = signal?.aborted === true ? null : await claimByHand(ctx, principal, agent, leaseMs);
      if (claimed !== null || waitMs === 0 || over.signal.aborted) return claimed;
      await hint;
      if (!(await stillGood())) return null;
    }
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

/** For a worker session, up to `max`. */
export async function claimForSession(
  ctx: Context,
  principal: Principal,
  agent: AgentId,
  session: SessionId,
  max: number,
  attemptTimeoutMs?: number,
): Promise<readonly Claimed[]> {
  return claim(ctx, principal, agent, max, custodyFor(ctx, agent, session, attemptTimeoutMs));
}

/** `attemptTimeoutMs` holds where the sender left the time to the workspace. */
export function custodyFor(
  ctx: Context,
  agent: AgentId,
  session: SessionId,
  attemptTimeoutMs: number | undefined,
): (handoff: Handoff, nowMs: number) => Custody {
  const custody: Custody = { by: 'process', holder: agent, session };
  if (attemptTimeoutMs === undefined) return () => custody;
  return (handoff, nowMs) =>
    hasUsualTimeout(ctx, handoff) ? { ...custody, untilAt: nowMs + attemptTimeoutMs } : custody;
}

/** Whether the sender left the time of an attempt to the workspace; then the worker may set its own. */
export function hasUsualTimeout({ rules }: Context, { kind, terms }: Handoff): boolean {
  return terms.attemptTimeoutMs === { ...DEFAULT_TERMS[kind], ...rules.terms[kind] }.attemptTimeoutMs;
}

/** The same of the retries. */
export function hasUsualRetries({ rules }: Context, { kind, terms }: Handoff): boolean {
  return terms.retry.retriesMax === { ...DEFAULT_TERMS[kind], ...rules.terms[kind] }.retry.retriesMax;
}

/** The claimed handoffs whose files no foreign worker has moved: with a queue folder, an acceptance needs the file too. */
export async function won(
  ctx: Context,
  principal: Principal,
  claimed: readonly Claimed[],
): Promise<readonly Claimed[]> {
  const { queue, documents } = ctx.rules;
  if (documents !== null) {
    const taken = claimed.map(({ handoff }) => handoff).filter(({ kind }) => kind === 'document');
    await reconcileFolders(ctx, taken);
  }
  if (queue === null) return claimed;
  const answers = await Promise.all(claimed.map(({ handoff, body }) => queue.winRename(principal, handoff, body)));
  return claimed.filter((_each, index) => answers[index] === true);
}

async function claim(
  ctx: Context,
  principal: Principal,
  agent: AgentId,
  max: number,
  custodyOf: (handoff: Handoff, nowMs: number) => Custody,
): Promise<readonly Claimed[]> {
  await ctx.rules.documents?.catchUp();
  return ctx.store.claim(agent, max, decideAccept(principal, custodyOf));
}

export function decideAccept(
  principal: Principal,
  custodyOf: (handoff: Handoff, nowMs: number) => Custody,
): ReturnType<typeof decideBy> {
  return decideBy(principal, 'accept', (handoff, nowMs) => ({
    moved: overdueRefusal(handoff, nowMs) ?? accept(handoff, custodyOf(handoff, nowMs), nowMs),
  }));
}
