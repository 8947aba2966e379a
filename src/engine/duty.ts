/**
 * One process per host (more exactly: per machine, boot and space of process ids) sweeps for all. Nobody is special: whoever is there takes the duty when nobody has it, or when
 * its holder is gone, and a second look decides between two who want it at once.
 */
import { JUMP_MS, type Clock, type ClockLook } from '../foundation/clock.ts';
import { isSameProcess } from '../foundation/process-identity.ts';
import { jittered } from '../foundation/random.ts';
import { StoreGone, type DutyHolder } from '../stores/store.ts';
import { carryBeside } from './effects.ts';
import { keepFolder } from './queue/keep.ts';
import { lookAtClock, sweep, type Steadiness } from './sweep.ts';
import type { Surroundings } from './surroundings.ts';

const SWEEP_MS = 250;
/** A holder that has been silent for this long hangs. */
export const DUTY_LEASE_MS = 5_000;
const RENEW_MS = 1_000;
/** How often a process looks whether another policy was stored. */
const POLICY_MS = 1_000;
/** How often a process without the duty looks for effects that its holder may have to leave. */
const STAND_IN_MS = 1_000;
/** Stands by until the signal is aborted, then leaves the duty to others. */
export async function standDuty(around: Surroundings, signal: AbortSignal): Promise<void> {
  const { store, clock, timers, random, liveness } = around;
  const watch = watchWallClock(around);
  const effects = carryBeside(around, around.rules.carriers);
  const { queue: messages, documents } = around.rules;
  const folders = [
    ...(messages === null ? [] : [keepFolder(around, messages, 'queue')]),
    ...(documents === null ? [] : [keepFolder(around, documents, 'document')]),
  ];
  let renewedMs = Number.NEGATIVE_INFINITY;
  let mine = false;
  const isPolicyDue = every(clock, POLICY_MS);
  const isStandInDue = every(clock, STAND_IN_MS);

  const look = async (): Promise<void> => {
    // Also by those who only stand by: whoever takes the duty after a jump has to know of it.
    const steady = watch.look();
    if (isPolicyDue()) await around.rules.refresh();
    if (mine && clock.monotonicMs() - renewedMs < RENEW_MS) {
      await sweepOnce(steady);
      return;
    }
    const holder = await store.upkeep.dutyHolder(liveness.self);
    mine = mayTake(around, holder) && (await store.upkeep.takeDuty(liveness.self, holder));
    if (!mine) {
      const standsIn = around.rules.carriers.some((carrier) => carrier.standsIn?.() === true);
      if (standsIn && isStandInDue()) effects.look();
      return;
    }
    renewedMs = clock.monotonicMs();
    await sweepOnce(watch.with(await lookAtClock(around), steady));
  };

  const sweepOnce = async (steady: Steadiness): Promise<void> => {
    await sweep(around, steady);
    effects.look();
    for (const folder of folders) folder.look();
    await store.upkeep.tend();
  };

  while (!signal.aborted) {
    try {
      await look();
    } catch (error) {
      mine = false;
      around.report({ kind: 'fault', doing: 'sweeping', error });
      if (error instanceof StoreGone) return;
    }
    await timers.sleep(jittered(SWEEP_MS, random), signal);
  }
  await effects.end();
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

function mayTake({ liveness }: Surroundings, holder: DutyHolder | null): boolean {
  if (holder === null) return true;
  const { self } = liveness;
  return (
    isSameProcess(holder.process, self) || liveness.of(holder.process) === 'gone' || holder.silentForMs > DUTY_LEASE_MS
  );
}

interface WallClockWatch {
  /** What we have seen ourselves, and what was last known in the store. */
  look(): Steadiness;
  /** What is known in the store by now. */
  with(known: ClockLook, seen: Steadiness): Steadiness;
}

function watchWallClock({ store, clock, report }: Surroundings): WallClockWatch {
  const offset = (): number => store.nowMs() - clock.monotonicMs();
  const beganMs = clock.monotonicMs();
  let last = offset();
  let jumpedAtMs = Number.NEGATIVE_INFINITY;
  /** Before the first look into the store nothing is known. */
  let knownSteadySinceMs = beganMs;
  const look = (): Steadiness => {
    const byMs = offset() - last;
    last += byMs;
    const wasSet = Math.abs(byMs) > JUMP_MS;
    if (wasSet) {
      jumpedAtMs = clock.monotonicMs();
      report({ kind: 'clock-jumped', byMs });
    }
    const nowMs = clock.monotonicMs();
    return {
      lookedAt: store.nowMs(),
      steadyMs: nowMs - Math.max(jumpedAtMs, knownSteadySinceMs),
      wasSet,
      watchedMs: nowMs - Math.max(jumpedAtMs, beganMs),
    };
  };
  return {
    look,
    with: (known, seen) => {
      const nowMs = clock.monotonicMs();
      knownSteadySinceMs = nowMs - known.steadyMs;
      return {
        ...seen,
        steadyMs: nowMs - Math.max(jumpedAtMs, knownSteadySinceMs),
        wasSet: seen.wasSet || known.wasSet,
      };
    },
  };
}
