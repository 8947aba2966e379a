/** What does not go on without a person, the most urgent first, and the pulse of the whole. */
import type { Handoff } from '../../domain/handoff.ts';
import { countedAttempts, failedDependencyOf } from '../../domain/handoff.ts';
import { dueAtOf } from '../../domain/deadlines.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { may, readScopeOf } from '../../domain/rights.ts';
import { list } from '../../engine/handoffs/read.ts';
import type { StateCounts } from '../../stores/store.ts';
import type { Caller } from './caller.ts';
import type { ServerContext } from './server-context.ts';
import type { RowView } from '../shared/work-note.ts';

/** In the order of urgency. */
const REASONS = ['question', 'dependency', 'review', 'overdue', 'failed', 'failing'] as const;
type Reason = (typeof REASONS)[number];

const DAY_MS = 24 * 60 * 60_000;
/** What ended badly is looked for among so many of the newest. */
const ENDED_MAX = 200;
/** Whoever starts a worker a little later is not reported. */
const UNATTENDED_MS = 10 * 60_000;
/** What ends by itself unless somebody does something is told so long before. */
const SOON_MS = 10 * 60_000;
const BAD_ENDS = ['failed', 'rejected', 'expired'] as const;
const RATE_MINUTES = 5;

export interface AttentionView {
  readonly pulse: {
    readonly needYou: number;
    readonly atWork: number;
    readonly waiting: number;
    readonly waitingSince: string | null;
    readonly failing: number;
    /** Settled a minute, over the last minutes. */
    readonly perMinute: number;
  };
  readonly totals: StateCounts;
  readonly counts: Readonly<Record<Reason, number>>;
  readonly items: readonly { readonly why: Reason; readonly handoff: RowView }[];
  /** Agents for whom work has waited for long and nobody works. */
  readonly unattended: readonly { readonly agent: string; readonly waiting: number; readonly since: string }[];
}

export async function attentionFor(
  serverContext: ServerContext,
  { principal }: Caller,
  max: number,
): Promise<AttentionView> {
  const { ctx, tally, notes, totals } = serverContext;
  const scope = readScopeOf(principal);
  const isVisible = (handoff: Handoff): boolean => scope === 'everything' || may(principal, 'read', handoff).ok;
  const open = [...tally.openOnes()].filter(isVisible);
  const nowMs = ctx.store.nowMs();
  const ended = await list(ctx, principal, { by: 'filter', states: BAD_ENDS, max: ENDED_MAX });
  const found = [...open, ...ended.items].flatMap((handoff) => {
    const why = reasonOf(serverContext, handoff, nowMs);
    return why === null || !isTheirs(principal, why, handoff) ? [] : [{ why, handoff }];
  });
  const counts = Object.fromEntries(REASONS.map((why) => [why, found.filter((each) => each.why === why).length]));
  const shown = found
    .toSorted((a, b) => REASONS.indexOf(a.why) - REASONS.indexOf(b.why) || a.handoff.since - b.handoff.since)
    .slice(0, max);
  const rows = await notes.rows(shown.map(({ handoff }) => handoff));
  const waiting = open.filter(({ state }) => state === 'offered');
  const reader = scope === 'everything' || scope === 'nothing' ? undefined : scope.party;
  const counted = scope === 'nothing' ? {} : await totals(reader);
  return {
    pulse: {
      needYou: found.filter(({ why }) => why !== 'failing').length,
      atWork: counted.accepted ?? 0,
      waiting: counted.offered ?? 0,
      waitingSince: instantOf(earliest(waiting)),
      failing: counts['failing'] ?? 0,
      perMinute: scope === 'everything' ? rateOf(tally.minutes(), nowMs) : 0,
    },
    totals: counted,
    counts: counts as Record<Reason, number>,
    items: shown.map(({ why }, index) => ({ why, handoff: rows[index] as RowView })),
    unattended: await unattendedIn(serverContext, waiting, nowMs),
  };
}

function reasonOf({ tally }: ServerContext, handoff: Handoff, nowMs: number): Reason | null {
  const { id, state, blockedOn, since } = handoff;
  if (failedDependencyOf(handoff) !== null) return 'dependency';
  if (state === 'blocked') return blockedOn?.reason === 'question' ? 'question' : null;
  if (state === 'delivered') return 'review';
  if (isOverdue(handoff, nowMs)) return 'overdue';
  if (state === 'offered') return countedAttempts(handoff) > 0 ? 'failing' : null;
  const isLately = isFinal(state) && nowMs - since < DAY_MS;
  return isLately && !tally.wasRetried(id) ? 'failed' : null;
}

/** Nobody takes, offers or ends it, and its time is nearly over. What somebody is at has a clock of its own. */
function isOverdue(handoff: Handoff, nowMs: number): boolean {
  const dueAt = handoff.state === 'draft' || handoff.state === 'offered' ? dueAtOf(handoff) : null;
  return dueAt !== null && dueAt - nowMs < SOON_MS;
}

const NEEDED_RIGHT = {
  question: 'unblock',
  dependency: 'cancel',
  review: 'verify',
  overdue: 'read',
  failed: 'retry',
  failing: 'read',
} as const;

/** An agent is asked only for what it may do. */
function isTheirs(principal: Caller['principal'], why: Reason, handoff: Handoff): boolean {
  return principal.kind === 'operator' || may(principal, NEEDED_RIGHT[why], handoff).ok;
}

function rateOf(minutes: ReturnType<ServerContext['tally']['minutes']>, nowMs: number): number {
  const lately = minutes.filter(({ at }) => nowMs - at < RATE_MINUTES * 60_000);
  const settled = lately.reduce((sum, { completed, failed, other }) => sum + completed + failed + other, 0);
  return Math.round((settled / RATE_MINUTES) * 10) / 10;
}

async function unattendedIn(
  { ctx }: ServerContext,
  waiting: readonly Handoff[],
  nowMs: number,
): Promise<AttentionView['unattended']> {
  const sessions = await ctx.store.sessions.list();
  const attended = new Set(
    sessions.filter(({ ended, silentForMs, leaseMs }) => !ended && silentForMs < leaseMs).map(({ agent }) => agent),
  );
  const long = waiting.filter(
    ({ to, since, notBefore }) => !attended.has(to) && nowMs - Math.max(since, notBefore) > UNATTENDED_MS,
  );
  return [...new Set(long.map(({ to }) => to))].map((agent) => {
    const own = long.filter(({ to }) => to === agent);
    return { agent: `@${agent}`, waiting: own.length, since: instantOf(earliest(own)) ?? '' };
  });
}

function earliest(handoffs: readonly Handoff[]): number | null {
  return handoffs.length === 0 ? null : handoffs.reduce((least, { since }) => Math.min(least, since), Infinity);
}

function instantOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
