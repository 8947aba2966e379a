import { describe, expect, it } from 'vitest';
import { INVARIANTS } from './inspector.ts';
import { MUTANTS } from './mutants.ts';
import { simulate, type Mutant } from './simulate.ts';

/** A mutant that lives longer than this would live in the nightly runs as well. */
const SEEDS_MAX = 100;
const mutants: readonly (readonly [string, Mutant])[] = Object.entries(MUTANTS);

describe('a simulation of code that is broken on purpose', () => {
  it.each(mutants)('notices a world that %s', async (_, mutant) => {
    expect(await firstBroken(mutant)).toBe(mutant.breaks);
  });

  it('has a mutant for every invariant that it watches', () => {
    const broken = new Set<string>(mutants.map(([, { breaks }]) => breaks));
    // Anything that throws fails the run by itself.
    expect(INVARIANTS.filter((invariant) => !broken.has(invariant))).toEqual(['nothing throws']);
  });
});

async function firstBroken(mutant: Mutant): Promise<string> {
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    const [complaint] = (await simulate(seed, mutant)).complaints;
    if (complaint !== undefined) return complaint.invariant;
  }
  return `nothing over ${SEEDS_MAX} seeds`;
}
