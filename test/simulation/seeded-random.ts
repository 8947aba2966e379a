import { assert } from '../../src/foundation/assert.ts';
import type { Random } from '../../src/foundation/random.ts';

export interface SeededRandom extends Random {
  /** A whole number of at least 0 and less than `count`. */
  below(count: number): number;
  /** A whole number, both ends included. */
  between(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** A stream of its own, so that one actor's luck does not depend on how often another one asks. */
  fork(): SeededRandom;
}

/** Mulberry32: small, fast, and the same everywhere. */
export function seededRandom(seed: number): SeededRandom {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const unit = (): number => next() / 2 ** 32;
  const below = (count: number): number => Math.floor(unit() * count);
  return {
    unit,
    below,
    bytes: (count) => Uint8Array.from({ length: count }, () => next() & 0xff),
    between: (min, max) => min + below(max - min + 1),
    chance: (probability) => probability > 0 && unit() < probability,
    pick: <Item>(items: readonly Item[]) => {
      assert(items.length > 0, 'there is something to pick from');
      return items[below(items.length)] as Item;
    },
    fork: () => seededRandom(next()),
  };
}
