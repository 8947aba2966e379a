/** The validator of seconds. Separate from `seconds.ts`, because every command loads that. */
import * as z from 'zod';
import { givenText } from '../foundation/given-value-text.ts';
import { millisecondsIn, secondsRule } from '../domain/record-values.ts';

export function secondsShape(min: number, max: number): z.ZodNumber {
  const error = ({ input }: { readonly input?: unknown }): string => `${givenText(input)}: ${secondsRule(min, max)}`;
  return z
    .number({ error })
    .min(min, { error })
    .max(max, { error })
    .refine((seconds) => millisecondsIn(seconds) !== null, { error });
}
