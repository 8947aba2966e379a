/**
 * Sends what has to happen outside the database after a commit: at least once, with a key by which the target recognizes
 * a repetition. A slow or broken target holds up no other: a few effects at a time go to each, and each has a time limit.
 */
import { messageOf } from '../foundation/error-message.ts';
import { jittered } from '../foundation/random.ts';
import type { DueEffect } from '../stores/store.ts';
import type { Context } from './context.ts';

export interface EffectSender {
  readonly kind: string;
  /** How long one may take; without, `CARRY_MS`. */
  readonly limitMs?: number;
  /** Effects of one lane go to one target and can fail together; without, all of a carrier do. */
  laneOf?(effect: DueEffect): string;
  /** Why this process cannot carry it, although another one may: it is left as it is for that one. Null: it can. */
  notHere?(effect: DueEffect): string | null;
  /** True where this process can carry what the one that has the duty may have to leave. */
  standsIn?(): boolean;
  /** Ends soon after its signal is aborted; its answer still counts. */
  carry(effect: DueEffect, signal: AbortSignal): Promise<SendResult>;
}

/** `targetDown` says that others of the same lane need not try now. */
export type SendResult =
  | 'done'
  | { readonly retryInMs?: number; readonly says: string; readonly targetDown?: true }
  | { readonly never: string };

export interface SendEffectsOptions {
  readonly signal?: AbortSignal;
  /** Keys that were left to other processes, so that each is reported once. */
  readonly left?: Set<string>;
}

export interface SentCount {
  readonly carried: number;
  readonly postponed: number;
  readonly dropped: number;
}

const ROUND_MAX = 100;
/** So many that are left to other processes are looked past; more of them are put off, so that others get their turn. */
const LEFT_MAX = 1_000;
const PARALLEL_MAX = 8;
const LANE_PARALLEL_MAX = 2;
const CARRY_MS = 30_000;
/** For the answer of a sender whose time is up. */
const LAST_WORD_MS = 1_000;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 5 * 60_000;
/** How long an effect is tried altogether, by its planned pauses: time in which nobody tries does not count. */
const GIVE_UP_MS = 3 * 24 * 60 * 60_000;

/** One round over what is due. Where nothing is, it costs one look at the outbox. */
export async function sendEffects(
  ctx: Context,
  carriers: readonly EffectSender[],
  options: SendEffectsOptions = {},
): Promise<SentCount> {
  const left = options.left ?? new Set<string>();
  const due = await ctx.store.outbox.due(ROUND_MAX + left.size);
  const count = { carried: 0, postponed: 0, dropped: 0 };
  const dueKeys = new Set(due.map(({ key }) => key));
  for (const key of left) if (!dueKeys.has(key)) left.delete(key);
  if (due.length === 0) return count;
  const byKind = new Map(carriers.map((carrier) => [carrier.kind, carrier]));
  const lanes = new Map<string, Lane>();
  for (const effect of due) {
    const carrier = byKind.get(effect.kind);
    if (carrier === undefined) {
      // A newer version may know this kind of effect; it waits for that version, and its tries are not used up.
      await ctx.store.outbox.later(effect.key, jittered(PAUSE_MAX_MS, ctx.random));
      count.postponed += 1;
      continue;
    }
    const notHere = carrier.notHere?.(effect) ?? null;
    if (notHere !== null) {
      await leave(ctx, effect, notHere, left);
      count.postponed += 1;
      continue;
    }
    const name = `${effect.kind} ${carrier.laneOf?.(effect) ?? ''}`;
    const lane = lanes.get(name) ?? { carrier, effects: [], running: 0 };
    lane.effects.push(effect);
    lanes.set(name, lane);
  }
  await workOff([...lanes.values()], options.signal, async (lane, effect) => {
    const ending = await carryOne(ctx, lane, effect, options);
    count[ending] += 1;
  });
  return count;
}

/** For a loop that must not wait for slow targets: at most one round at a time, beside whatever else the loop does. */
export function sendEffectsInBackground(
  ctx: Context,
  carriers: readonly EffectSender[],
): { readonly look: () => void; readonly end: () => Promise<void> } {
  const over = new AbortController();
  const left = new Set<string>();
  let round: Promise<void> | null = null;
  return {
    look: () => {
      if (over.signal.aborted) return;
      round ??= sendEffects(ctx, carriers, { left, signal: over.signal })
        .then(() => undefined)
        .catch((error: unknown) => ctx.report({ kind: 'fault', doing: 'carrying effects', error }))
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
  readonly carrier: EffectSender;
  /** Still to be tried, in order. */
  readonly effects: DueEffect[];
  running: number;
  /** Why the rest of this lane is not tried in this round. */
  down?: string;
}

/** The lanes take turns, so that a long one does not hold up a short one. */
async function workOff(
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
  // A store that failed for one does not leave the others half done.
  if (faults.length > 0) throw faults[0];
}

async function carryOne(
  ctx: Context,
  lane: Lane,
  effect: DueEffect,
  options: SendEffectsOptions,
): Promise<keyof SentCount> {
  const { outbox } = ctx.store;
  const answer =
    lane.down === undefined ? await attempt(ctx, lane.carrier, effect, options.signal) : { says: lane.down };
  if (answer === TAKEN) return 'postponed';
  if (answer === 'done') {
    await outbox.done([effect.key]);
    return 'carried';
  }
  if ('never' in answer) return drop(ctx, effect, answer.never);
  if ('targetDown' in answer && answer.targetDown) lane.down = answer.says;
  // This process stops: the next one tries the effect as if it had not been tried.
  if (options.signal?.aborted === true) return postpone(ctx, effect, answer.says, 0, effect.tries ?? 0);
  const tries = (effect.tries ?? 0) + 1;
  if (plannedMs(tries) > GIVE_UP_MS) return drop(ctx, effect, `tried ${tries} times in vain: ${answer.says}`);
  const pauseMs = jittered(pauseAfter(tries), ctx.random);
  const wishedMs = 'retryInMs' in answer ? (answer.retryInMs ?? 0) : 0;
  return postpone(ctx, effect, answer.says, Math.max(pauseMs, wishedMs), tries);
}

/** Another process was faster, and has it now. */
const TAKEN = 'taken';

/**
 * Taken before it is tried: a second process that looks meanwhile leaves it alone, and when this one dies it is due
 * again.
 */
async function attempt(
  ctx: Context,
  carrier: EffectSender,
  effect: DueEffect,
  signal: AbortSignal | undefined,
): Promise<SendResult | typeof TAKEN> {
  const limitMs = carrier.limitMs ?? CARRY_MS;
  if (!(await ctx.store.outbox.take(effect.key, 2 * (limitMs + LAST_WORD_MS)))) return TAKEN;
  if (signal?.aborted === true) return { says: 'stopped before it was tried' };
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  signal?.addEventListener('abort', abort, { once: true });
  const over = new AbortController();
  const carrying = carrier
    .carry(effect, stop.signal)
    .catch((error: unknown): SendResult => ({ says: messageOf(error) }));
  const timeIsUp = async (): Promise<SendResult> => {
    await ctx.timers.sleep(limitMs, AbortSignal.any([over.signal, stop.signal]));
    stop.abort();
    await ctx.timers.sleep(LAST_WORD_MS, over.signal);
    return { says: `did not end within ${limitMs} ms`, targetDown: true };
  };
  try {
    return await Promise.race([carrying, timeIsUp()]);
  } finally {
    over.abort();
    signal?.removeEventListener('abort', abort);
  }
}

/** It stays due, so that a process that can carry it finds it at once. */
async function leave(ctx: Context, { key, kind }: DueEffect, says: string, left: Set<string>): Promise<void> {
  if (left.has(key)) return;
  if (left.size < LEFT_MAX) left.add(key);
  else await ctx.store.outbox.later(key, jittered(PAUSE_MAX_MS, ctx.random));
  ctx.report({ kind: 'effect-postponed', key, effect: kind, says });
}

async function postpone(
  ctx: Context,
  { key, kind }: DueEffect,
  says: string,
  inMs: number,
  tries: number,
): Promise<'postponed'> {
  await ctx.store.outbox.later(key, Math.ceil(inMs), tries);
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
