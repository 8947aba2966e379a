import { v7 } from 'uuid';
import type { Random } from './random.ts';

/** Unique without agreement, and in order of making as long as clocks agree: indexes stay dense at their right end. */
export function newUuid(nowMs: number, random: Random): string {
  return v7({ msecs: nowMs, random: random.bytes(16) });
}
