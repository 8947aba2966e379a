import { expect, it } from 'vitest';
import * as z from 'zod';
import { issueText } from '../../src/formats/issue-text.ts';

const ITEM = z.strictObject({ id: z.string() });

/** What was asked for, what was given, and what is said. */
const CASES: readonly (readonly [z.ZodType, unknown, string])[] = [
  [z.string(), 5, 'a text, not 5'],
  [z.strictObject({ a: z.string() }), {}, 'is missing'],
  [z.strictObject({}), { b: 1, c: 2 }, 'there is no such field here: "b", "c"'],
  [z.int(), 1.5, 'a whole number, not 1.5'],
  [z.number().min(3), 2, '3 or more, not 2'],
  [z.number().lt(3), 3, 'less than 3, not 3'],
  [z.string().min(1), '', 'a text that is not empty, not ""'],
  [z.string().max(2), 'abc', 'a text of at most 2 characters, not "abc"'],
  [z.array(z.string()).max(1), ['a', 'b'], 'a list of at most 1, not ["a","b"]'],
  [z.enum(['on', 'off']), 'yes', 'one of on, off, not "yes"'],
  [z.literal(true), false, 'true, not false'],
  [z.iso.datetime(), 'soon', 'an instant like 2026-11-30T17:00:00Z, not "soon"'],
  [z.union([z.string(), ITEM]), 7, 'a text or an object, not 7'],
  [z.string().regex(/^a/, 'begins with a'), 'b', 'begins with a'],
  [z.string(), 'x'.repeat(10).split(''), `a text, not ${JSON.stringify('x'.repeat(10).split(''))}`],
];

it.each(CASES)('%# says what is allowed and what was given', (shape, given, says) => {
  const read = shape.safeParse(given, { error: issueText });
  expect(read.success ? null : read.error.issues[0]?.message).toBe(says);
});

it('cuts what was given', () => {
  const read = z.number().safeParse('x'.repeat(1_000), { error: issueText });
  expect(read.success ? '' : (read.error.issues[0]?.message ?? '')).toMatch(/^a number, not "x{99}…$/);
});
