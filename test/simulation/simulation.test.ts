import { describe, expect, it } from 'vitest';
import { addCounts, COUNTED, noCounts } from './counters.ts';
import { simulate, type Story } from './simulate.ts';
import { campaignSize } from '../support/campaign-sizes.ts';

const SEEDS = campaignSize('BATON_SIMULATION_SEEDS');
const ONE_SEED = process.env['BATON_SIMULATION_SEED'];
const LINES_SHOWN = ONE_SEED === undefined ? 60 : Number.POSITIVE_INFINITY;
/** So many stories have some of everything. */
const ENOUGH = 500;

/** Stories that once went wrong, and how. */
const REMEMBERED: readonly (readonly [number, string])[] = [
  [6, 'a wall clock that was set took work from somebody who still had time'],
  [69, 'a claim whose answer was lost kept its handoff for ever'],
  [149, 'a passing fault ended a worker that had begun'],
  [174, 'a worker that woke too late ran its command beside the next one'],
  [515, 'a worker that had hung began a command after its time was up'],
  [1224, 'a command that began while a sweep was under way survived its worker'],
  [1234, 'a handoff was given back while its command was still ending'],
];

const seeds = ONE_SEED === undefined ? Array.from({ length: SEEDS }, (_, index) => index + 1) : [Number(ONE_SEED)];

describe('the simulation', () => {
  const sum = noCounts();

  it(
    `I1, I2, I3, I4, I5, I6, I7, I8, I12, I13, I14, I15, I17, I18 and I19 hold over seeds ${seeds[0]} to ${seeds.at(-1)}`,
    async () => {
      for (const seed of seeds) {
        const story = await simulate(seed);
        addCounts(sum, story.counters);
        expect(inWords(story)).toBe('sound');
        await breath();
      }
    },
    seeds.length * 1_000 + 60_000,
  );

  it.skipIf(seeds.length < ENOUGH)('has seen every kind of trouble', () => {
    console.log(`over ${seeds.length} seeds: ${COUNTED.map((name) => `${name} ${sum[name]}`).join(', ')}`);
    expect(COUNTED.filter((name) => sum[name] === 0)).toEqual([]);
  });

  it.each(REMEMBERED)('still holds over seed %i: %s', async (seed) => {
    expect(inWords(await simulate(seed))).toBe('sound');
  });

  it('tells the same story for the same seed, and another one for another', async () => {
    const [first, again, other] = [await simulate(7), await simulate(7), await simulate(8)];
    expect(again.trace.hash()).toBe(first.trace.hash());
    expect(again.counters).toEqual(first.counters);
    expect(other.trace.hash()).not.toBe(first.trace.hash());
  });
});

function inWords({ seed, complaints, trace }: Story): string {
  if (complaints.length === 0) return 'sound';
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
