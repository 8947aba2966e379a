/**
 * Carries out effects outside the database after a commit: at least once, with a key by which the target recognizes a
 * repetition. A slow target does not delay others: each gets a few effects at a time, and each effect has a time limit.
 */
import { messageOf } from '../foundation/error-message.ts';
import { jittered } from '../foundation/random.ts';
import type { DueEffect } from '../stores/store.ts';
import type { Context } from './context.ts';

export interface EffectSender {
  readonly kind: string;
  /**
   * The time limit of one effect.
   * @default SEND_MS
   */
  readonly limitMs?: number;
  /** Effects of one lane go to one target and can fail together. Absent: all effects of the sender are one lane. */
  laneOf?(effect: DueEffect): string;
  /** Why only another process can send the effect, which is then left unchanged. Null: this process can. */
  whyNotHere?(effect: DueEffect): string | null;
  /** Whether this process can send effects that the duty holder cannot. */
  canStandIn?(): boolean;
  /** Must end soon after its signal is aborted; its result still counts. */
  send(effect: DueEffect, signal: AbortSignal): Promise<SendResult>;
}

/** `targetDown`: the rest of the lane is not tried now. */
export type SendResult =
  | 'done'
  | { readonly retryInMs?: number; readonly says: string; readonly targetDown?: true }
  | { readonly never: string };

export interface SendEffectsOptions {
  readonly signal?: AbortSignal;
  /** Keys left to other processes, so that each is reported once. */
  readonly left?: Set<string>;
}

export interface SentCount {
  readonly carried: number;
  readonly postponed: number;
  readonly dropped: number;
}

const ROUND_MAX = 100;
/** At most this many effects that are left to other processes are skipped; further ones are postponed. */
const LEFT_MAX = 1_000;
const PARALLEL_MAX = 8;
const LANE_PARALLEL_MAX = 2;
const SEND_MS = 30_000;
/** How long a sender may still answer after its time limit. */
const ABORT_GRACE_MS = 1_000;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 5 * 60_000;
/** How long an effect is tried in total, by its planned pauses: time without a running process does not count. */
const GIVE_UP_MS = 3 * 24 * 60 * 60_000;

/** One round over all due effects. If nothing is due, it costs one read of the outbox. */
export async function sendEffects(
  ctx: Context,
  senders: readonly EffectSender[],
  options: SendEffectsOptions = {},
): Promise<SentCount> {
  const left = options.left ?? new Set<string>();
  const due = await ctx.store.outbox.due(ROUND_MAX + left.size);
  const count = { carried: 0, postponed: 0, dropped: 0 };
  const dueKeys = new Set(due.map(({ key }) => key));
  for (const key of left) if (!dueKeys.has(key)) left.delete(key);
  if (due.length === 0) return count;
  const byKind = new Map(senders.map((sender) => [sender.kind, sender]));
  const lanes = new Map<string, Lane>();
  for (const effect of due) {
    const sender = byKind.get(effect.kind);
    if (sender === undefined) {
      // A newer version may know this kind of effect: it waits, without counting as tried.
      await ctx.store.outbox.postpone(effect.key, jittered(PAUSE_MAX_MS, ctx.random));
      count.postponed += 1;
      continue;
    }
    const notHere = sender.whyNotHere?.(effect) ?? null;
    if (notHere !== null) {
      await leave(ctx, effect, notHere, left);
      count.postponed += 1;
      continue;
    }
    const name = `${effect.kind} ${sender.laneOf?.(effect) ?? ''}`;
    const lane = lanes.get(name) ?? { sender, effects: [], running: 0 };
    lane.effects.push(effect);
    lanes.set(name, lane);
  }
  await runLanes([...lanes.values()], options.signal, async (lane, effect) => {
    const ending = await sendOne(ctx, lane, effect, options);
    count[ending] += 1;
  });
  return count;
}

/** For a loop that must not wait for slow targets: runs at most one round at a time in the background. */
export function sendEffectsInBackground(
  ctx: Context,
  senders: readonly EffectSender[],
): { readonly poll: () => void; readonly end: () => Promise<void> } {
  const over = new AbortController();
  const left = new Set<string>();
  let round: Promise<void> | null = null;
  return {
    poll: () => {
      if (over.signal.aborted) return;
      round ??= sendEffects(ctx, senders, { left, signal: over.signal })
        .then(() => undefined)
        .catch((error: unknown) => ctx.report({ kind: 'fault', doing: 'sending effects', error }))
        .finally(() => {
          round = null;
        });
    },
    end: async () => {
      over.abort();
      await round;
    },
  };
}

interface Lane {
  readonly sender: EffectSender;
  /** Still to be tried, in order. */
  readonly effects: DueEffect[];
  running: number;
  /** Why the rest of this lane is not tried in this round. */
  down?: string;
}

/** The lanes take turns, so that a long lane does not delay a short one. */
async function runLanes(
  lanes: readonly Lane[],
  signal: AbortSignal | undefined,
  act: (lane: Lane, effect: DueEffect) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const faults: unknown[] = [];
  let turn = 0;
  const next = (): Lane | undefined => {
    const order = lanes.map((_, index) => lanes[(turn + index) % lanes.length]);
    turn += 1;
    return order.find((lane) => lane !== undefined && lane.effects.length > 0 && lane.running < LANE_PARALLEL_MAX);
  };
  for (;;) {
    const lane = signal?.aborted === true || running.size >= PARALLEL_MAX ? undefined : next();
    const effect = lane?.effects.shift();
    if (lane !== undefined && effect !== undefined) {
      lane.running += 1;
      const one = act(lane, effect)
        .catch((error: unknown) => void faults.push(error))
        .finally(() => {
          lane.running -= 1;
          running.delete(one);
        });
      running.add(one);
      continue;
    }
    if (running.size === 0) break;
    await Promise.race(running);
  }
  // Thrown only now, so that the other effects are finished.
  if (faults.length > 0) throw faults[0];
}

async function sendOne(
  ctx: Context,
  lane: Lane,
  effect: DueEffect,
  options: SendEffectsOptions,
): Promise<keyof SentCount> {
  const { outbox } = ctx.store;
  const answer =
    lane.down === undefined ? await attempt(ctx, lane.sender, effect, options.signal) : { says: lane.down };
  if (answer === TAKEN) return 'postponed';
  if (answer === 'done') {
    await outbox.done([effect.key]);
    return 'carried';
  }
  if ('never' in answer) return drop(ctx, effect, answer.never);
  if ('targetDown' in answer && answer.targetDown) lane.down = answer.says;
  // This process stops: the next process tries the effect as if it had not been tried.
  if (options.signal?.aborted === true) return postpone(ctx, effect, answer.says, 0, effect.tries ?? 0);
  const tries = (effect.tries ?? 0) + 1;
  if (plannedMs(tries) > GIVE_UP_MS) return drop(ctx, effect, `failed ${tries} times: ${answer.says}`);
  const pauseMs = jittered(pauseAfter(tries), ctx.random);
  const requestedMs = 'retryInMs' in answer ? (answer.retryInMs ?? 0) : 0;
  return postpone(ctx, effect, answer.says, Math.max(pauseMs, requestedMs), tries);
}

/** Another process has taken the effect. */
const TAKEN = 'taken';

/**
 * Takes the effect before sending it, so that other processes leave it alone; if this process dies, it becomes due again.
 */
async function attempt(
  ctx: Context,
  sender: EffectSender,
  effect: DueEffect,
  signal: AbortSignal | undefined,
): Promise<SendResult | typeof TAKEN> {
  const limitMs = sender.limitMs ?? SEND_MS;
  if (!(await ctx.store.outbox.take(effect.key, 2 * (limitMs + ABORT_GRACE_MS)))) return TAKEN;
  if (signal?.aborted === true) return { says: 'stopped before it was tried' };
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  signal?.addEventListener('abort', abort, { once: true });
  const over = new AbortController();
  const sending = sender.send(effect, stop.signal).catch((error: unknown): SendResult => ({ says: messageOf(error) }));
  const timeIsUp = async (): Promise<SendResult> => {
    await ctx.timers.sleep(limitMs, AbortSignal.any([over.signal, stop.signal]));
    stop.abort();
    await ctx.timers.sleep(ABORT_GRACE_MS, over.signal);
    return { says: `did not end within ${limitMs} ms`, targetDown: true };
  };
  try {
    return await Promise.race([sending, timeIsUp()]);
  } finally {
    over.abort();
    signal?.removeEventListener('abort', abort);
  }
}

/** The effect stays due, so that a process that can send it finds it at once. */
async function leave(ctx: Context, { key, kind }: DueEffect, says: string, left: Set<string>): Promise<void> {
  if (left.has(key)) return;
  if (left.size < LEFT_MAX) left.add(key);
  else await ctx.store.outbox.postpone(key, jittered(PAUSE_MAX_MS, ctx.random));
  ctx.report({ kind: 'effect-postponed', key, effect: kind, says });
}

async function postpone(
  ctx: Context,
  { key, kind }: DueEffect,
  says: string,
  inMs: number,
  tries: number,
): Promise<'postponed'> {
  await ctx.store.outbox.postpone(key, Math.ceil(inMs), tries);
  ctx.report({ kind: 'effect-postponed', key, effect: kind, says });
  return 'postponed';
}

async function drop(ctx: Context, { key, kind }: DueEffect, says: string): Promise<'dropped'> {
  await ctx.store.outbox.drop(key, says);
  ctx.report({ kind: 'effect-dropped', key, effect: kind, says });
  return 'dropped';
}

function pauseAfter(tries: number): number {
  return Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
}

/** All pauses up to the one after this try. */
function plannedMs(tries: number): number {
  const doubling = Math.min(tries, Math.ceil(Math.log2(PAUSE_MAX_MS / FIRST_PAUSE_MS)));
  return FIRST_PAUSE_MS * (2 ** doubling - 1) + (tries - doubling) * PAUSE_MAX_MS;
}
