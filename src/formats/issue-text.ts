/**
 * Says what is wrong with a value: what is allowed, and what was given. Used by every `safeParse` whose messages people read:
 * `Shape.safeParse(value, { error: issueText })`.
 */
import type * as z from 'zod';
import { givenText } from '../foundation/given-value-text.ts';

export function issueText(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return `there is no such field here: ${issue.keys.map(givenText).join(', ')}`;
  }
  if (issue.input === undefined) return 'is missing';
  return `${allowedBy(issue)}, not ${givenText(issue.input)}`;
}

function allowedBy(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.length === 1
        ? givenText(issue.values[0])
        : `one of ${issue.values.map((value) => String(value)).join(', ')}`;
    case 'too_small':
      return bounded(issue.origin, 'least', Number(issue.minimum), issue.inclusive !== false);
    case 'too_big':
      return bounded(issue.origin, 'most', Number(issue.maximum), issue.inclusive !== false);
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? `a text of the form ${issue.pattern ?? issue.format}`;
    case 'invalid_union':
      return alternatives(issue.errors);
    default:
      return 'another value';
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'an instant like 2026-11-30T17:00:00Z',
  url: 'an address like https://example.com',
};

function bounded(origin: string, bound: 'least' | 'most', limit: number, isInclusive: boolean): string {
  if (origin === 'string' && bound === 'least' && limit === 1) return 'a text that is not empty';
  if (origin === 'string') return `a text of at ${bound} ${limit} characters`;
  if (origin === 'array' || origin === 'set') return `a list of at ${bound} ${limit}`;
  const [within, beyond] = bound === 'least' ? ['or more', 'more than'] : ['or less', 'less than'];
  return isInclusive ? `${limit} ${within}` : `${beyond} ${limit}`;
}

/** What each alternative allows; one with a problem deeper inside allows an object. */
function alternatives(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const words = errors.flatMap(([first]) =>
    first === undefined ? [] : [first.path.length > 0 ? 'an object' : bare(first.message)],
  );
  return [...new Set(words)].join(' or ');
}

/** A message of `issueText` without the given value, which is named once. */
function bare(message: string): string {
  const at = message.lastIndexOf(', not ');
  return at < 0 ? message : message.slice(0, at);
}

/** Like `a.b[2]`. */
export function fieldPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}
