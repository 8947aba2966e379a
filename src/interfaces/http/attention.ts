/** Handoffs that need a person, the most urgent first, and the numbers of the whole. */
import { instantOrNull } from '../../foundation/instant-text.ts';
import {
  ATTENTION,
  ATTENTION_REASONS,
  attentionReason,
  FAILURE_STATES,
  type AttentionReason,
} from '../../domain/attention.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { may, readScopeOf } from '../../domain/rights.ts';
import { list } from '../../engine/handoffs/read.ts';
import type { StateCounts } from '../../stores/store.ts';
import type { Caller } from './caller.ts';
import type { ServerContext } from './server-context.ts';
import type { RowView } from '../shared/work-progress.ts';

/** How many of the newest failed handoffs are looked at. */
const ENDED_MAX = 200;
/** Work that waits for less time than this is not reported as unattended. */
const UNATTENDED_MS = 10 * 60_000;
/** How many running handoffs are listed. */
const AT_WORK_MAX = 50;
const RATE_MINUTES = 5;

export interface AttentionView {
  readonly pulse: {
    readonly needYou: number;
    readonly atWork: number;
    readonly waiting: number;
    readonly waitingSince: string | null;
    readonly failing: number;
    /** Settled handoffs per minute, over the last minutes. */
    readonly perMinute: number;
  };
  readonly totals: StateCounts;
  readonly counts: Readonly<Record<AttentionReason, number>>;
  readonly items: readonly { readonly why: AttentionReason; readonly handoff: RowView }[];
  /** Running handoffs, the longest first. */
  readonly atWork: readonly RowView[];
  /** Agents without a worker whose work has waited for long. */
  readonly unattended: readonly { readonly agent: string; readonly waiting: number; readonly since: string }[];
}

export async function attentionFor(
  serverContext: ServerContext,
  { principal }: Caller,
  max: number,
): Promise<AttentionView> {
  const { ctx, counters, notes, totals } = serverContext;
  const scope = readScopeOf(principal);
  const isVisible = (handoff: Handoff): boolean => scope === 'everything' || may(principal, 'read', handoff).ok;
  const open = [...counters.openOnes()].filter(isVisible);
  const nowMs = ctx.store.nowMs();
  const ended = await list(ctx, principal, { by: 'filter', states: FAILURE_STATES, max: ENDED_MAX });
  const found = [...open, ...ended.items].flatMap((handoff) => {
    const why = attentionReason(handoff, nowMs);
    if (why === null || !isTheirs(principal, why, handoff)) return [];
    return why === 'failed' && counters.wasRetried(handoff.id) ? [] : [{ why, handoff }];
  });
  const counts = Object.fromEntries(
    ATTENTION_REASONS.map((why) => [why, found.filter((each) => each.why === why).length]),
  );
  const shown = found
    .toSorted(
      (a, b) =>
        ATTENTION_REASONS.indexOf(a.why) - ATTENTION_REASONS.indexOf(b.why) || a.handoff.since - b.handoff.since,
    )
    .slice(0, max);
  const working = open.filter(({ state }) => state === 'accepted').toSorted((a, b) => a.since - b.since);
  const rows = await notes.rows(shown.map(({ handoff }) => handoff));
  const waiting = open.filter(({ state }) => state === 'offered');
  const reader = scope === 'everything' || scope === 'nothing' ? undefined : scope.party;
  const counted = scope === 'nothing' ? {} : await totals(reader);
  return {
    pulse: {
      needYou: found.filter(({ why }) => why !== 'failing').length,
      atWork: counted.accepted ?? 0,
      waiting: counted.offered ?? 0,
      waitingSince: instantOrNull(earliest(waiting)),
      failing: counts['failing'] ?? 0,
      perMinute: scope === 'everything' ? rateOf(counters.minutes(), nowMs) : 0,
    },
    totals: counted,
    counts: counts as Record<AttentionReason, number>,
    items: shown.map(({ why }, index) => ({ why, handoff: rows[index] as RowView })),
    atWork: max === 0 ? [] : await notes.rows(working.slice(0, AT_WORK_MAX)),
    unattended: await unattendedIn(serverContext, waiting, nowMs),
  };
}

/** An agent sees only what it may act on. */
function isTheirs(principal: Caller['principal'], why: AttentionReason, handoff: Handoff): boolean {
  return principal.kind === 'operator' || may(principal, ATTENTION[why].right, handoff).ok;
}

function rateOf(minutes: ReturnType<ServerContext['counters']['minutes']>, nowMs: number): number {
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
    return { agent: `@${agent}`, waiting: own.length, since: instantOrNull(earliest(own)) ?? '' };
  });
}

function earliest(handoffs: readonly Handoff[]): number | null {
  return handoffs.length === 0 ? null : handoffs.reduce((least, { since }) => Math.min(least, since), Infinity);
}
