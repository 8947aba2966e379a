import { assert } from '../../foundation/assert.ts';
import type { Custody, Handoff } from '../../domain/handoff.ts';
import { MANUAL_LEASE_MS, manualLeaseUntil, overdueRefusal } from '../../domain/deadlines.ts';
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

/** For a person or a program without a worker session: only the lease shows that the claim is abandoned. */
export async function claimByHand(
  ctx: Context,
  principal: Principal,
  agent: AgentId,
  leaseMs: number = MANUAL_LEASE_MS,
): Promise<Claimed | null> {
  assert(isMilliseconds(leaseMs), 'the lease is a whole number of milliseconds');
  const token = tokenIn(principal);
  const proof = token === null ? {} : { token };
  const custodyOf = ({ kind }: Handoff, nowMs: number): Custody => ({
    by: 'hand',
    holder: agent,
    untilAt: manualLeaseUntil(kind, nowMs, leaseMs),
    ...proof,
  });
  for (;;) {
    const [claimed] = await claim(ctx, principal, agent, 1, custodyOf);
    if (claimed === undefined) {
      // An overdue document can no longer be claimed, and blocks later handoffs.
      if ((await expireLateOffers(ctx, agent)) === 0) return null;
      continue;
    }
    if ((await withFilesWon(ctx, principal, [claimed])).length > 0) return claimed;
  }
}

/** For workspaces where no process sweeps. Usually nothing is overdue, and nothing is written. */
async function expireLateOffers(ctx: Context, agent: AgentId): Promise<number> {
  const isLateOffer = ({ kind, state, to }: Handoff): boolean =>
    kind === 'document' && state === 'offered' && to === agent;
  const { items } = await ctx.store.find({ by: 'overdue', max: LATE_MAX });
  return items.some(isLateOffer) ? sweepOverdue(ctx, await checkOnce(ctx), isLateOffer) : 0;
}

const LATE_MAX = 200;

/**
 * Claims the next handoff, or one that is offered within `waitMs`. Null: none was offered, the signal was aborted, or the
 * token of the caller has ended. Nothing is claimed after the signal, because the caller would not learn of it.
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

/** `attemptTimeoutMs` applies if the sender has not set a timeout. */
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

/** Whether the timeout is that of the workspace; then the worker may set its own. */
export function hasUsualTimeout({ rules }: Context, { kind, terms }: Handoff): boolean {
  return terms.attemptTimeoutMs === { ...DEFAULT_TERMS[kind], ...rules.terms[kind] }.attemptTimeoutMs;
}

/** Whether the retries are those of the workspace. */
export function hasUsualRetries({ rules }: Context, { kind, terms }: Handoff): boolean {
  return terms.retry.retriesMax === { ...DEFAULT_TERMS[kind], ...rules.terms[kind] }.retry.retriesMax;
}

/** The claimed handoffs whose file was won too: with a queue folder, a foreign worker may have moved the file first. */
export async function withFilesWon(
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
