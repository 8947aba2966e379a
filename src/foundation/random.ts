import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { orNull } from './or-null.ts';

/** Randomness is passed in, like time, so that a simulation can repeat a seed. */
export interface Random {
  bytes(count: number): Uint8Array;
  /** At least 0 and less than 1. */
  unit(): number;
}

/** One call for many bytes costs as much as one for few. No byte is used twice. */
const POOL_BYTES = 4096;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

function fromPool(count: number): Uint8Array {
  if (count > POOL_BYTES) return filled(new Uint8Array(count));
  if (used + count > POOL_BYTES) {
    filled(pool);
    used = 0;
  }
  const bytes = pool.slice(used, used + count);
  pool.fill(0, used, used + count);
  used += count;
  return bytes;
}

/** From the system's file where it has one: to load `node:crypto` takes 4 ms of a command that makes one id. */
function filled(bytes: Uint8Array): Uint8Array {
  return orNull(() => readRandom(bytes)) === bytes.length ? bytes : randomFillSync(bytes);
}

function readRandom(bytes: Uint8Array): number {
  const file = openSync('/dev/urandom', 'r');
  try {
    return readSync(file, bytes);
  } finally {
    closeSync(file);
  }
}

export const systemRandom: Random = {
  bytes: fromPool,
  unit: () => Math.random(),
};

export function randomHex(random: Random, bytes: number): string {
  return Buffer.from(random.bytes(bytes)).toString('hex');
}

/** From 0.5 to 1.5 times `ms`, so that callers that failed together do not retry together. */
export function jittered(ms: number, random: Random): number {
  return ms * (0.5 + random.unit());
}
