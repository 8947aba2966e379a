import { randomFillSync } from 'node:crypto';

/** Randomness is passed in for the same reason as time: one seed, one story. */
export interface Random {
  bytes(count: number): Uint8Array;
  /** At least 0 and less than 1. */
  unit(): number;
}

export const systemRandom: Random = {
  bytes: (count) => randomFillSync(new Uint8Array(count)),
  unit: () => Math.random(),
};

/** Between half of `ms` and one and a half times it, so that those who failed together do not return together. */
export function jittered(ms: number, random: Random): number {
  return ms * (0.5 + random.unit());
}
