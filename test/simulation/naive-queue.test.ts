/** One queue folder, programs of ours and naive ones: any order of their steps. */
import { describe, expect, it } from 'vitest';
import { campaignSize } from '../support/campaign-sizes.ts';
import { simulateNaiveQueue } from './queue/naive-queue.ts';

const GROUP = 50;

describe('Q4, Q16, I7, I8, I10, I11: programs of ours and naive ones in one queue folder', () => {
  const asked = process.env['BATON_NAIVE_SEED'];
  const seeds = asked === undefined ? campaignSize('BATON_NAIVE_SEEDS') : 1;
  const groups = Array.from({ length: Math.ceil(seeds / GROUP) }, (_, group) => group * GROUP);

  it.each(groups)('each handoff is done, and no answer is lost, seeds from %i on', async (from) => {
    let [byOurs, byTheirs] = [0, 0];
    for (let index = from; index < Math.min(from + GROUP, seeds); index += 1) {
      const seed = asked === undefined ? index : Number(asked);
      const { broken, trace, ...counted } = await simulateNaiveQueue(seed);
      if (asked !== undefined) process.stdout.write(`${trace.join('\n')}\n`);
      expect(broken, `BATON_NAIVE_SEED=${seed} shows how it came to this`).toEqual([]);
      byOurs += counted.byOurs;
      byTheirs += counted.byTheirs;
    }
    if (asked !== undefined) return;
    // A simulation in which only one side works would prove nothing.
    expect(byOurs).toBeGreaterThan(0);
    expect(byTheirs).toBeGreaterThan(0);
  });
});
