import { describe, expect, it } from 'vitest';
import { addCounts, COUNTED, noCounts } from './counters.ts';
import { simulate, type Story } from './simulate.ts';

const SEEDS = Number(process.env['BATON_SIMULATION_SEEDS'] ?? 500);
const ONE_SEED = process.env['BATON_SIMULATION_SEED'];
const LINES_SHOWN = ONE_SEED === undefined ? 60 : Number.POSITIVE_INFINITY;

const seeds = ONE_SEED === undefined ? Array.from({ length: SEEDS }, (_, index) => index + 1) : [Number(ONE_SEED)];

describe('the simulation', () => {
  it(
    `I1, I2, I3, I4, I5, I6, I7, I8, I12, I13, I14, I15, I17, I18 and I19 hold over seeds 1 to ${SEEDS}`,
    async () => {
      const sum = noCounts();
      for (const seed of seeds) {
        const story = await simulate(seed);
        addCounts(sum, story.counters);
        if (story.complaints.length > 0) expect.fail(inWords(story));
        await breath();
      }
      console.log(`over ${seeds.length} seeds: ${COUNTED.map((name) => `${name} ${sum[name]}`).join(', ')}`);
      const never = COUNTED.filter((name) => sum[name] === 0);
      if (seeds.length >= 500) expect(never, 'kinds of trouble that never happened').toEqual([]);
    },
    SEEDS * 1_000,
  );

  it('tells the same story for the same seed, and another one for another', async () => {
    const [first, again, other] = [await simulate(7), await simulate(7), await simulate(8)];
    expect(again.trace.hash()).toBe(first.trace.hash());
    expect(again.counters).toEqual(first.counters);
    expect(other.trace.hash()).not.toBe(first.trace.hash());
  });
});

function inWords({ seed, complaints, trace }: Story): string {
  return [
    `seed ${seed} breaks ${complaints.map(({ invariant, says }) => `${invariant}: ${says}`).join('; ')}`,
    ...trace.last(LINES_SHOWN),
    `run it alone, with its whole trace: BATON_SIMULATION_SEED=${seed} npx vitest run test/simulation/simulation.test.ts`,
  ].join('\n');
}

/** The runner wants to hear from us now and then; no story hears of it. */
function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
