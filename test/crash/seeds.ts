/** Chance that can be repeated: the seed is printed with every failure, and a failing one becomes a test. */
export interface Chance {
  /** At least 0 and less than 1. */
  unit(): number;
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(unit() * count);
  return {
    unit,
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
  };
}

/** The one given with BATON_SEED, or another one each time. */
export function seedOfThisRun(): number {
  return Number(process.env['BATON_SEED'] ?? Date.now() % 1_000_000);
}
