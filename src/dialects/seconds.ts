/** Seconds as people write them, in every text that holds some: whole milliseconds, or told what is allowed. */
import * as z from 'zod';
import { millisecondsIn, secondsRule } from '../domain/record-values.ts';

export function secondsShape(min: number, max: number): z.ZodNumber {
  const error = ({ input }: { readonly input?: unknown }): string => `${String(input)}: ${secondsRule(min, max)}`;
  return z
    .number()
    .min(min, { error })
    .max(max, { error })
    .refine((seconds) => millisecondsIn(seconds) !== null, { error });
}

/** For what the shape has let in. */
export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}
