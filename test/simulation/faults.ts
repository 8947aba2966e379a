/** What goes wrong around a call of the store, and in the processes that make such calls. */
import { StoreFault } from '../../src/stores/store.ts';
import type { Counters } from './counters.ts';
import type { SimulatedProcess } from './processes.ts';
import type { Scheduler, Strand } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Probabilities per call. Drawn by the seed, so that there are calm stories and stormy ones. */
export interface FaultRates {
  readonly refused: number;
  readonly lost: number;
  readonly slow: number;
  readonly crash: number;
  readonly stop: number;
  readonly hang: number;
}

/** Mostly weather; sometimes so bad that two rare things happen to one handoff. */
export function drawRates(random: SeededRandom): FaultRates {
  const rough = random.chance(0.2);
  return {
    refused: random.pick([0, 0.01, 0.03]),
    lost: random.pick([0, 0.01, 0.03]),
    slow: random.pick(rough ? [0.05, 0.15] : [0, 0.01, 0.03]),
    crash: random.pick(rough ? [0.003, 0.006] : [0, 0.001, 0.003]),
    stop: random.pick(rough ? [0.004, 0.008] : [0, 0.001, 0.003]),
    hang: random.pick([0, 0.001, 0.002]),
  };
}

/** Shorter than a lease, or a beat that is slow would be a beat that is lost. */
const SLOW_MAX_MS = 600;

export interface Faults {
  before(process: SimulatedProcess, strand: Strand, what: string): Promise<void>;
  /** The call has happened; its answer may still be lost. */
  after(process: SimulatedProcess, strand: Strand, what: string): Promise<void>;
  /** From now on the world is kind. */
  cease(): void;
}

export interface FaultParts {
  readonly random: SeededRandom;
  readonly rates: FaultRates;
  readonly scheduler: Scheduler;
  readonly counters: Counters;
  readonly leaseMs: number;
}

export function openFaults({ random, rates, scheduler, counters, leaseMs }: FaultParts): Faults {
  let ceased = false;

  const befall = async (process: SimulatedProcess, strand: Strand): Promise<void> => {
    if (random.chance(rates.crash)) {
      counters.crashes += 1;
      if (process.standsDuty) counters.dutyCrashes += 1;
      process.end('crashes');
    } else if (random.chance(rates.stop)) {
      counters.stops += 1;
      process.stop(random.between(leaseMs, leaseMs * 4));
    } else if (random.chance(rates.hang)) {
      counters.hangs += 1;
      process.hang(random.between(leaseMs, leaseMs * 6));
    } else return;
    await scheduler.turn(strand, 'goes on');
  };

  const dawdle = async (process: SimulatedProcess, strand: Strand): Promise<void> => {
    if (!random.chance(rates.slow)) return;
    counters.slowCalls += 1;
    const ms = random.between(1, SLOW_MAX_MS);
    process.delay(ms);
    await scheduler.timersOf(strand).sleep(ms);
  };

  return {
    async before(process, strand, what) {
      if (ceased) return;
      await befall(process, strand);
      await dawdle(process, strand);
      if (!random.chance(rates.refused)) return;
      counters.refusedCalls += 1;
      throw new StoreFault(`${what} could not be done`, 'unchanged');
    },
    async after(process, strand, what) {
      if (ceased) return;
      await befall(process, strand);
      await dawdle(process, strand);
      if (!random.chance(rates.lost)) return;
      counters.lostAnswers += 1;
      throw new StoreFault(`the answer to ${what} was lost`, 'unknown');
    },
    cease() {
      ceased = true;
    },
  };
}
