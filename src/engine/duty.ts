/**
 * One process per machine, boot and process-id space has the duty to sweep. Any process takes the duty when no process has
 * it or its holder is gone; the store decides between two that take it at once.
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
/** A holder that is silent for longer than this counts as hanging. */
export const DUTY_LEASE_MS = 5_000;
const RENEW_MS = 1_000;
/** How often a process checks for a newer policy. */
const POLICY_MS = 1_000;
/** How often a process without the duty checks for effects that the duty holder cannot send. */
const STAND_IN_MS = 1_000;
/** Competes for the duty and carries it out until the signal is aborted. */
export async function runDuty(ctx: Context, signal: AbortSignal): Promise<void> {
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
  let hasDuty = false;
  const isPolicyDue = onceEvery(clock, POLICY_MS);
  const isStandInDue = onceEvery(clock, STAND_IN_MS);

  const runOnce = async (): Promise<void> => {
    // Also without the duty: a process that takes it after a clock jump must know of the jump.
    const stallCheck = watch.check();
    if (isPolicyDue()) await ctx.rules.refresh();
    if (hasDuty && clock.monotonicMs() - renewedMs < RENEW_MS) {
      await sweepOnce(stallCheck);
      return;
    }
    const holder = await store.upkeep.dutyHolder(liveness.self);
    // The holder renews its duty regularly, which proves that the database can be written.
    if (holder !== null) watch.proven(clock.monotonicMs() - holder.silentForMs);
    hasDuty = mayTakeDuty(ctx, holder) && (await store.upkeep.takeDuty(liveness.self, holder));
    if (!hasDuty) {
      const standsIn = ctx.rules.effectSenders.some((sender) => sender.canStandIn?.() === true);
      if (standsIn && isStandInDue()) effects.poll();
      return;
    }
    renewedMs = clock.monotonicMs();
    watch.proven(renewedMs);
    await sweepOnce(watch.with(await checkClock(ctx), stallCheck));
  };

  const sweepOnce = async (stallCheck: StallCheck): Promise<void> => {
    await sweep(ctx, stallCheck, signal);
    if (signal.aborted) return;
    effects.poll();
    for (const folder of folders) folder.poll();
    pruning.poll();
    await store.upkeep.maintain();
  };

  while (!signal.aborted) {
    try {
      await runOnce();
    } catch (error) {
      hasDuty = false;
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

function onceEvery({ monotonicMs }: Clock, ms: number): () => boolean {
  let lastMs = monotonicMs();
  return () => {
    if (monotonicMs() - lastMs < ms) return false;
    lastMs = monotonicMs();
    return true;
  };
}

function mayTakeDuty({ liveness }: Context, holder: DutyHolder | null): boolean {
  if (holder === null) return true;
  const { self } = liveness;
  if (isSameProcess(holder.process, self) || liveness.of(holder.process) === 'gone') return true;
  // A stopped process (Ctrl-Z, SIGSTOP) does not sweep.
  return holder.silentForMs > DUTY_LEASE_MS || liveness.isStopped(holder.process);
}
