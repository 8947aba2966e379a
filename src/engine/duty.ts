/**
 * One process has the duty to sweep, on each machine, boot and process-id space. Any process takes the duty when no
 * process has it or its holder is gone; a second look decides between two that take it at once.
 */
import type { Clock } from '../foundation/clock.ts';
import { isSameProcess } from '../foundation/process-identity.ts';
import { jittered } from '../foundation/random.ts';
import { StoreGone, type DutyHolder } from '../stores/store.ts';
import { deadLetterSender } from './dead-letters.ts';
import { sendEffectsInBackground } from './effects.ts';
import { folderDuty } from './queue/folder-duty.ts';
import { checkClock, openStallWatch, type StallCheck } from './stall-detection.ts';
import { pruneInBackground } from './retention/prune-in-background.ts';
import { sweep } from './sweep.ts';
import type { Context } from './context.ts';

const SWEEP_MS = 250;
/** A holder that has been silent for longer than this hangs. */
export const DUTY_LEASE_MS = 5_000;
const RENEW_MS = 1_000;
/** How often a process looks whether another policy was stored. */
const POLICY_MS = 1_000;
/** How often a process without the duty looks for effects that its holder may have to leave. */
const STAND_IN_MS = 1_000;
/** Stands by until the signal is aborted, then leaves the duty to others. */
export async function standDuty(ctx: Context, signal: AbortSignal): Promise<void> {
  const { store, clock, timers, random, liveness } = ctx;
  const watch = openStallWatch(ctx, RENEW_MS);
  const effects = sendEffectsInBackground(ctx, [...ctx.rules.effectSenders, deadLetterSender(ctx)]);
  const { queue: messages, documents } = ctx.rules;
  const folders = [
    ...(messages === null ? [] : [folderDuty(ctx, messages, 'queue')]),
    ...(documents === null ? [] : [folderDuty(ctx, documents, 'document')]),
  ];
  const pruning = pruneInBackground(ctx, signal);
  let renewedMs = Number.NEGATIVE_INFINITY;
  let mine = false;
  const isPolicyDue = every(clock, POLICY_MS);
  const isStandInDue = every(clock, STAND_IN_MS);

  const look = async (): Promise<void> => {
    // Also without the duty: a process that takes the duty after a clock jump has to know of the jump.
    const steady = watch.look();
    if (isPolicyDue()) await ctx.rules.refresh();
    if (mine && clock.monotonicMs() - renewedMs < RENEW_MS) {
      await sweepOnce(steady);
      return;
    }
    const holder = await store.upkeep.dutyHolder(liveness.self);
    // The holder renews its duty regularly, which proves to all others that the database can be written.
    if (holder !== null) watch.proven(clock.monotonicMs() - holder.silentForMs);
    mine = mayTake(ctx, holder) && (await store.upkeep.takeDuty(liveness.self, holder));
    if (!mine) {
      const standsIn = ctx.rules.effectSenders.some((carrier) => carrier.standsIn?.() === true);
      if (standsIn && isStandInDue()) effects.look();
      return;
    }
    renewedMs = clock.monotonicMs();
    watch.proven(renewedMs);
    await sweepOnce(watch.with(await checkClock(ctx), steady));
  };

  const sweepOnce = async (steady: StallCheck): Promise<void> => {
    await sweep(ctx, steady, signal);
    if (signal.aborted) return;
    effects.look();
    for (const folder of folders) folder.look();
    pruning.look();
    await store.upkeep.tend();
  };

  while (!signal.aborted) {
    try {
      await look();
    } catch (error) {
      mine = false;
      ctx.report({ kind: 'fault', doing: 'sweeping', error });
      if (error instanceof StoreGone) return;
    }
    await timers.sleep(jittered(SWEEP_MS, random), signal);
  }
  await effects.end();
  await pruning.end();
  for (const folder of folders) await folder.end();
  await store.upkeep.leaveDuty(liveness.self).catch(() => undefined);
}

function every({ monotonicMs }: Clock, ms: number): () => boolean {
  let lastMs = monotonicMs();
  return () => {
    if (monotonicMs() - lastMs < ms) return false;
    lastMs = monotonicMs();
    return true;
  };
}

function mayTake({ liveness }: Context, holder: DutyHolder | null): boolean {
  if (holder === null) return true;
  const { self } = liveness;
  if (isSameProcess(holder.process, self) || liveness.of(holder.process) === 'gone') return true;
  // A stopped process (Ctrl-Z, SIGSTOP) does not sweep.
  return holder.silentForMs > DUTY_LEASE_MS || liveness.isStopped(holder.process);
}
