/**
 * Reads the input of an operation, for every interface. Each interface spells names, durations and lists in its own way;
 * the rules and the texts of refusals are the same.
 */
import { givenText } from '../foundation/given-value-text.ts';
import { err, ok, type Result } from '../foundation/result.ts';
import { AGENT_NAME_RULE, HANDOFF_ID_RULE, readAgentId, readHandoffId, type AgentId } from '../domain/names.ts';
import { durationRule, readDuration } from '../domain/duration.ts';
import { isMilliseconds, isStorableText, millisecondsIn, secondsRule } from '../domain/record-values.ts';
import type { AnyField, Fields, FieldShape, InputOf } from './field.ts';

/** How an interface spells its input. */
export interface Spelling {
  /** Of a field, as users of the interface know it. */
  nameOf(key: string, field: AnyField): string;
  /** Under which name its value is given; without: under the same. Options come under the names of their fields. */
  readonly keyOf?: (key: string) => string;
  readonly durations: 'seconds' | 'milliseconds';
  /** Every value is a text, as in an address or on a command line. */
  readonly isText: boolean;
  /** A connection is kept open while an operation waits. */
  readonly isHeld: boolean;
  /** Whether the caller is known by a token: fields that are filled in by the caller need not be there. */
  readonly knowsCaller: boolean;
}

/** `leaseMs` is `leaseSeconds` where people read and write it. */
export function inSeconds(key: string, { type }: AnyField): string {
  return type === 'duration' ? key.replace(/Ms$/, 'Seconds') : key;
}

/** `--wait-for-capacity`, `--lease` */
export function optionNameOf(key: string, { type, option }: AnyField): string {
  const name = type === 'duration' ? key.replace(/Ms$/, '') : key;
  return option ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const AS_OPTIONS: Spelling = {
  nameOf: (key, field) => `--${optionNameOf(key, field)}`,
  keyOf: (key) => key,
  durations: 'seconds',
  isText: true,
  isHeld: false,
  knowsCaller: false,
};
export const AS_JSON: Spelling = {
  nameOf: inSeconds,
  durations: 'seconds',
  isText: false,
  isHeld: true,
  knowsCaller: true,
};
export const AS_QUERY: Spelling = { ...AS_JSON, isText: true };
export const AS_LIBRARY: Spelling = {
  nameOf: (key) => key,
  durations: 'milliseconds',
  isText: false,
  isHeld: false,
  knowsCaller: false,
};

export interface Issue {
  /** As the interface spells it. */
  readonly field: string;
  /** The given value as JSON, cut; absent for texts, which may be long. */
  readonly given?: string;
  /** What is allowed. */
  readonly says: string;
  readonly isMissing?: true;
}

/** More issues do not help a caller with a thousand wrong fields. */
const ISSUES_MAX = 20;
const GIVEN_MAX = 100;

export function readInput<F extends Fields>(
  fields: F,
  given: unknown,
  spelling: Spelling,
  caller: AgentId | null = null,
): Result<InputOf<F>, readonly Issue[]> {
  const reader: Reader = { spelling, caller, issues: [] };
  const input = readFields(reader, fields, given, '');
  return reader.issues.length === 0 ? ok(input as InputOf<F>) : err(reader.issues.slice(0, ISSUES_MAX));
}

/** `type: is missing; fence "x": a whole number from 1 to 9` */
export function issuesText(issues: readonly Issue[]): string {
  return issues
    .map(({ field, given, says }) => {
      const what = [field, given].filter((each) => each !== undefined && each !== '').join(' ');
      return what === '' ? says : `${what}: ${says}`;
    })
    .join('; ');
}

interface Reader {
  readonly spelling: Spelling;
  readonly caller: AgentId | null;
  readonly issues: Issue[];
}

type Input = Record<string, unknown>;

function readFields(reader: Reader, fields: Fields, given: unknown, path: string): Input {
  const input: Input = {};
  if (!isPlainObject(given)) {
    reader.issues.push({ field: path.slice(0, -1), given: givenText(given), says: 'an object' });
    return input;
  }
  const { keys, filled } = namesFor(fields, reader.spelling);
  for (const name of Object.keys(given)) {
    const value = given[name];
    if (value === undefined) continue;
    const key = keys.get(name);
    const described = key === undefined ? undefined : fields[key];
    if (key === undefined || described === undefined) {
      reader.issues.push({ field: path + name.slice(0, GIVEN_MAX), says: 'there is no such field here' });
    } else input[key] = readValue(reader, described, value, path + reader.spelling.nameOf(key, described));
  }
  for (const [key, described] of filled) {
    if (key in input) continue;
    const isCaller = described.byCaller === true && reader.spelling.knowsCaller;
    const value = (isCaller ? reader.caller : null) ?? defaultOf(described, reader.spelling);
    if (value !== undefined) input[key] = value;
    else if (described.isRequired === true) {
      const field = isCaller ? key : path + reader.spelling.nameOf(key, described);
      const says = isCaller ? 'an operator has no name of an agent and says it' : 'is missing';
      reader.issues.push({ field, says, isMissing: true });
    }
  }
  return input;
}

function defaultOf(field: AnyField, { isHeld }: Spelling): unknown {
  const seconds = field.type === 'duration' && isHeld ? field.heldDefaultSeconds : undefined;
  return seconds === undefined ? field.default : seconds * 1000;
}

interface Names {
  /** From the names that an interface takes to those of the fields. */
  readonly keys: ReadonlyMap<string, string>;
  /** Fields that are required or have a default, so that the reader must visit them even when they are absent. */
  readonly filled: readonly (readonly [string, AnyField])[];
}

const spelled = new WeakMap<Fields, Map<Spelling, Names>>();

/** Made once for each operation that is used. */
function namesFor(fields: Fields, spelling: Spelling): Names {
  const known = spelled.get(fields) ?? new Map<Spelling, Names>();
  spelled.set(fields, known);
  const isFilled = ([, field]: readonly [string, AnyField]): boolean =>
    field.isRequired === true || field.byCaller === true || defaultOf(field, spelling) !== undefined;
  const made = known.get(spelling) ?? {
    keys: namesIn(fields, spelling),
    filled: Object.entries(fields).filter(isFilled),
  };
  known.set(spelling, made);
  return made;
}

function namesIn(fields: Fields, spelling: Spelling): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(fields).flatMap(([key, described]) => {
      const names = [spelling.keyOf?.(key) ?? spelling.nameOf(key, described), described.formerly?.field];
      return names.flatMap((name) => (name === undefined ? [] : [[name, key] as const]));
    }),
  );
}

function readValue(reader: Reader, described: AnyField, given: unknown, name: string): unknown {
  switch (described.type) {
    case 'list':
      return readList(reader, described, given, name);
    case 'group':
      return readGroup(reader, described, given, name);
    default: {
      const read = readOne(described, given, reader.spelling);
      if (read.ok) return read.value;
      const what = described.type === 'text' ? {} : { given: givenText(given) };
      reader.issues.push({ field: name, ...what, says: read.refusal });
      return undefined;
    }
  }
}

function readList(
  reader: Reader,
  { of, max, isDistinct }: Extract<FieldShape, { type: 'list' }>,
  given: unknown,
  name: string,
): readonly unknown[] {
  const values = reader.spelling === AS_QUERY ? listItems(given) : given;
  if (!Array.isArray(values)) {
    reader.issues.push({ field: name, given: givenText(given), says: 'a list' });
    return [];
  }
  if (values.length > max) {
    reader.issues.push({ field: name, says: `at most ${max} of them` });
    return [];
  }
  const read = values.map((value) => readValue(reader, of, value, name));
  const twice = isDistinct === true ? read.find((value, at) => read.indexOf(value) !== at) : undefined;
  if (twice !== undefined) reader.issues.push({ field: name, given: givenText(twice), says: 'is there twice' });
  return read;
}

/** In an address several are given as several parameters, or with commas. */
function listItems(given: unknown): readonly unknown[] {
  const texts = Array.isArray(given) ? given : [given];
  return texts.flatMap((text: unknown) =>
    typeof text === 'string' ? text.split(',').map((word) => word.trim()) : [text],
  );
}

function readGroup(
  reader: Reader,
  { fields, text }: Extract<FieldShape, { type: 'group' }>,
  given: unknown,
  name: string,
): unknown {
  // On the command line each field of a group is an option of its own.
  const path = reader.spelling === AS_OPTIONS && text === undefined ? '' : `${name}.`;
  if (typeof given !== 'string' || text === undefined) return readFields(reader, fields, given, path);
  const read = text.read(given);
  if (read !== null) return readFields(reader, fields, read, `${name}.`);
  reader.issues.push({ field: name, given: givenText(given), says: text.form });
  return undefined;
}

type One = Exclude<FieldShape, { type: 'list' | 'group' }>;

/** Returns the rule that the value breaks, as text after "allowed is". */
function readOne(shape: One, given: unknown, spelling: Spelling): Result<unknown, string> {
  const text = typeof given === 'string' ? given : null;
  switch (shape.type) {
    case 'agent':
      return orRule(text === null ? null : readAgentId(text), AGENT_NAME_RULE);
    // An artifact id follows the same rule.
    case 'handoff':
    case 'artifact':
      return orRule(text === null ? null : readHandoffId(text), HANDOFF_ID_RULE);
    case 'text': {
      const isStorable = text === null || isStorableText(text);
      const isThere = text !== null && (shape.mayBeEmpty === true || text.trim() !== '');
      const more = isStorable ? '' : ', without U+0000 and without half of a surrogate pair';
      const isGood = isThere && isStorable && text.length <= shape.max;
      return orRule(isGood ? text : null, `1 to ${shape.max} characters of text${more}`);
    }
    case 'cursor': {
      const isCursor = text !== null && /^[A-Za-z0-9:_.-]{1,100}$/.test(text);
      return orRule(isCursor ? text : null, 'not a cursor that this server gave out');
    }
    case 'choice': {
      const word = text?.toLowerCase();
      return orRule(shape.of.find((each) => each === word) ?? null, `one of ${shape.of.join(', ')}`);
    }
    case 'integer': {
      const value = spelling.isText ? numberIn(given, /^[0-9]{1,16}$/) : given;
      const isGood = Number.isInteger(value) && isWithin(value as number, shape);
      return orRule(isGood ? value : null, `a whole number from ${shape.min} to ${shape.max}`);
    }
    case 'number': {
      const value = spelling.isText ? numberIn(given, /\S/) : given;
      const isGood = typeof value === 'number' && Number.isFinite(value) && isWithin(value, shape);
      return orRule(isGood ? value : null, `a number from ${shape.min} to ${shape.max}`);
    }
    case 'duration':
      return spelling.durations === 'seconds' ? readSeconds(shape, given, spelling) : readMilliseconds(shape, given);
    case 'instant':
      return orRule(instantIn(given), 'an instant like 2026-11-30T17:00:00Z');
    case 'flag': {
      const value = spelling.isText && given === 'true' ? true : spelling.isText && given === 'false' ? false : given;
      return orRule(typeof value === 'boolean' ? value : null, 'true or false');
    }
    case 'object':
      return orRule(isPlainObject(given) ? given : null, 'a JSON object');
    case 'json':
      // The engine writes it as JSON and refuses a value that JSON cannot hold.
      return ok(given);
  }
}

function orRule<Value>(value: Value | null, rule: string): Result<Value, string> {
  return value === null ? err(rule) : ok(value);
}

function readSeconds(
  { minSeconds, maxSeconds, heldMaxSeconds }: Extract<FieldShape, { type: 'duration' }>,
  given: unknown,
  { isText, isHeld }: Spelling,
): Result<number, string> {
  const max = isHeld ? (heldMaxSeconds ?? maxSeconds) : maxSeconds;
  const ms = isText ? readDuration(String(given)) : typeof given === 'number' ? millisecondsIn(given) : null;
  const isGood = ms !== null && ms >= minSeconds * 1000 && ms <= max * 1000;
  return orRule(isGood ? ms : null, isText ? durationRule(minSeconds, max) : secondsRule(minSeconds, max));
}

/** Programs may give less than one second, people may not. */
function readMilliseconds(
  { minSeconds, maxSeconds }: Extract<FieldShape, { type: 'duration' }>,
  given: unknown,
): Result<number, string> {
  const limits = { min: Math.min(1, minSeconds), max: maxSeconds * 1000 };
  const isGood = Number.isInteger(given) && isWithin(given as number, limits);
  return orRule(isGood ? (given as number) : null, `a whole number from ${limits.min} to ${limits.max}`);
}

function isWithin(value: number, { min, max }: { readonly min: number; readonly max: number }): boolean {
  return value >= min && value <= max;
}

function numberIn(given: unknown, form: RegExp): number | null {
  return typeof given === 'string' && form.test(given) ? Number(given) : null;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

function instantIn(given: unknown): number | null {
  const text = typeof given === 'string' && INSTANT.test(given) ? given : '';
  const ms = given instanceof Date ? given.getTime() : Date.parse(text);
  return isMilliseconds(ms) ? ms : null;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
