import { BadCursor } from '../foundation/store-fault.ts';

/** Fifteen digits are always a safe integer. */
const WHOLE = /^[0-9]{1,15}$/;

/** Reads a cursor that is the number of a row or of a fact. */
export function readCursor(text: string): number {
  if (WHOLE.test(text)) return Number(text);
  throw new BadCursor(text);
}
