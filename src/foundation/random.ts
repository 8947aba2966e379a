import { randomFillSync } from 'node:crypto';

/** Randomness is passed in for the same reason as time: one seed, one story. */
export interface Random {
  bytes(count: number): Uint8Array;
  /** At least 0 and less than 1. */
  unit(): number;
}

/** Asking the system costs the same for many bytes as for few; none is ever given out twice. */
const STOCK_BYTES = 4096;
const stock = new Uint8Array(STOCK_BYTES);
let used = STOCK_BYTES;

function fromStock(count: number): Uint8Array {
  if (count > STOCK_BYTES) return randomFillSync(new Uint8Array(count));
  if (used + count > STOCK_BYTES) {
    randomFillSync(stock);
    used = 0;
  }
  const bytes = stock.slice(used, used + count);
  stock.fill(0, used, used + count);
  used += count;
  return bytes;
}

export const systemRandom: Random = {
  bytes: fromStock,
  unit: () => Math.random(),
};

export function randomHex(random: Random, bytes: number): string {
  return Buffer.from(random.bytes(bytes)).toString('hex');
}

/** Between half of `ms` and one and a half times it, so that those who failed together do not return together. */
export function jittered(ms: number, random: Random): number {
  return ms * (0.5 + random.unit());
}
