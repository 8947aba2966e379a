/**
 * Which numbers and texts a record may hold: values that every store can write and read back. Every change is checked
 * here, so that a bad value is refused by name before it can block a queue.
 */
import { err } from '../foundation/result.ts';
import { HANDOFF, SENDER_TEXTS, type Handoff, type SenderFields, type Terms } from './handoff.ts';
import { fieldsOf } from './record-fields.ts';
import type { Refusal } from './refusals.ts';

/** The end of the year 9999: later instants cannot be written as a date. */
export const INSTANT_MAX = Date.UTC(10_000, 0, 1) - 1;

export const WEEK_SECONDS = 7 * 24 * 60 * 60;
const COUNT_MAX = 2 ** 31 - 1;

export interface BadValue {
  readonly field: string;
  readonly given: string;
  readonly allowed: string;
}

const MILLISECONDS_RULE = `a whole number of milliseconds from 0 to ${INSTANT_MAX}`;
const TEXT_RULE = 'text without U+0000 and without half of a surrogate pair';

export function isMilliseconds(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= INSTANT_MAX;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= COUNT_MAX;
}

/** Null: the seconds are not a whole number of milliseconds. */
export function millisecondsIn(seconds: number): number | null {
  const ms = Math.round(seconds * 1000);
  return ms / 1000 === seconds ? ms : null;
}

export function secondsRule(min: number, max: number): string {
  return `a number of seconds from ${min} to ${max} with at most three decimals`;
}

/** As `\p{Surrogate}`, for which V8 asks its tables of Unicode at every start. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;

export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && !LONE_SURROGATE.test(text);
}

const DURATIONS = ['attemptTimeoutMs', 'draftMs', 'offeredMs', 'blockedMs'] as const satisfies readonly (keyof Terms)[];
const LISTS = ['dependsOn', 'deliverables', 'criteria', 'verifiers'] as const satisfies readonly (keyof Terms)[];

/** Accepts any stored value: a row can contain anything. */
export function flawOfTerms(terms: Terms): BadValue | null {
  for (const name of DURATIONS) {
    const ms = terms[name];
    if (ms !== null && !isMilliseconds(ms)) return badValue(`terms.${name}`, ms, `${MILLISECONDS_RULE}, or null`);
  }
  for (const name of LISTS) {
    if (!Array.isArray(terms[name])) return badValue(`terms.${name}`, terms[name], 'a list');
  }
  const { retriesMax, delayMs, capMs, multiplier, retryOn } = (terms.retry ?? {}) as Partial<Terms['retry']>;
  if (!isCount(retriesMax)) {
    return badValue('terms.retry.retriesMax', retriesMax, `a whole number from 0 to ${COUNT_MAX}`);
  }
  if (!isMilliseconds(delayMs)) return badValue('terms.retry.delayMs', delayMs, MILLISECONDS_RULE);
  if (!isMilliseconds(capMs)) return badValue('terms.retry.capMs', capMs, MILLISECONDS_RULE);
  if (typeof multiplier !== 'number' || !Number.isFinite(multiplier) || multiplier < 0) {
    return badValue('terms.retry.multiplier', multiplier, 'a number from 0 on');
  }
  return Array.isArray(retryOn) ? null : badValue('terms.retry.retryOn', retryOn, 'a list');
}

/** For texts of a sender. Stored records are not checked, because older ones may hold such text. */
export function flawOfTexts(handoff: SenderFields & Pick<Handoff, 'terms'>): BadValue | null {
  for (const name of SENDER_TEXTS) {
    const text = handoff[name];
    if (text !== null && !isStorableText(text)) return badValue(name, text, TEXT_RULE);
  }
  const { terms } = handoff;
  for (const name of ['deliverables', 'criteria'] as const) {
    const wrong = terms[name].find((text) => !isStorableText(text));
    if (wrong !== undefined) return badValue(`terms.${name}`, wrong, TEXT_RULE);
  }
  const { check = '' } = terms;
  if (!isStorableText(check)) return badValue('terms.check', check, TEXT_RULE);
  return null;
}

const namesOf = (type: 'count' | 'instant'): readonly (keyof Handoff)[] =>
  fieldsOf(HANDOFF)
    .filter(({ shape }) => shape.type === type)
    .map(({ name }) => name as keyof Handoff);
const COUNTS = namesOf('count');
const INSTANTS = namesOf('instant');

export function flawOfNumbers(handoff: Handoff): BadValue | null {
  for (const name of COUNTS) {
    // One below the maximum, because every move increments it.
    if (!isCount(handoff[name]) || handoff[name] === COUNT_MAX) {
      return badValue(name, handoff[name], `a whole number from 0 to ${COUNT_MAX - 1}`);
    }
  }
  for (const name of INSTANTS) {
    const instant = handoff[name];
    const mayMiss = instant === null && HANDOFF[name].shape.nullable === true;
    if (!mayMiss && !isMilliseconds(instant)) return badValue(name, instant, MILLISECONDS_RULE);
  }
  const untilAt = handoff.custody?.untilAt ?? null;
  return untilAt === null || isMilliseconds(untilAt) ? null : badValue('lease', untilAt, MILLISECONDS_RULE);
}

/** Checks the numbers of a record, and the texts with their own columns. */
export function flawOfRecord(handoff: Handoff): BadValue | null {
  const numbers = flawOfNumbers(handoff);
  if (numbers !== null) return numbers;
  const { custody, blockedOn } = handoff;
  const file = custody?.by === 'hand' ? custody.file : undefined;
  if (file !== undefined && !isStorableText(file)) return badValue('file', file, TEXT_RULE);
  return blockedOn?.reason === 'question' && !isStorableText(blockedOn.text)
    ? badValue('question', blockedOn.text, TEXT_RULE)
    : null;
}

const GIVEN_MAX = 100;

function badValue(field: string, given: unknown, allowed: string): BadValue {
  const text = typeof given === 'number' ? String(given) : (JSON.stringify(given) ?? 'nothing');
  return { field, given: text.length > GIVEN_MAX ? `${text.slice(0, GIVEN_MAX)}…` : text, allowed };
}

export function refuseValue(flaw: BadValue): { readonly ok: false; readonly refusal: Refusal } {
  return err<Refusal>({ code: 'bad-value', ...flaw });
}
