/** Reads the metrics that agents report. A value that cannot be read without guessing is kept as text. */
import { groupBy } from '../foundation/group-by.ts';
import { isJsonObject, type Json, type JsonObject } from '../foundation/json.ts';
import { UNIT_MS } from './duration.ts';

type MeasureKind = 'number' | 'percent' | 'duration' | 'count' | 'flag' | 'text';

/** One value under one key. Durations are in milliseconds. A count has `value` of `of`. */
export interface Measure {
  /** Keys of nested maps are joined with dots; a dot in a key is escaped with a backslash. */
  readonly key: string;
  readonly kind: MeasureKind;
  /** As written after the number (`MB`, `lines`), or `%`, or `ms`. Empty: no unit. */
  readonly unit: string;
  readonly value: number;
  readonly of?: number;
  /** As it was written. */
  readonly text: string;
}

const DEPTH_MAX = 8;
/** The rest is ignored. */
const MEASURES_MAX = 500;
const TEXT_MAX = 200;

export function measuresIn(metrics: JsonObject): readonly Measure[] {
  const found: Measure[] = [];
  collect(metrics, '', 0, found);
  return found;
}

function collect(map: JsonObject, prefix: string, depth: number, found: Measure[]): void {
  for (const [name, value] of Object.entries(map)) {
    if (found.length >= MEASURES_MAX) return;
    const key = prefix + name.replaceAll('.', '\\.');
    if (value === null) continue;
    if (isJsonObject(value) && depth < DEPTH_MAX) collect(value, `${key}.`, depth + 1, found);
    else found.push({ key, ...measureOf(value) });
  }
}

type Bare = Omit<Measure, 'key'>;

export function measureOf(value: Json): Bare {
  if (typeof value === 'number') return { kind: 'number', unit: '', value, text: String(value) };
  if (typeof value === 'boolean') return { kind: 'flag', unit: '', value: value ? 1 : 0, text: String(value) };
  const text = short(typeof value === 'string' ? value.trim() : JSON.stringify(value));
  if (typeof value !== 'string') return { kind: 'text', unit: '', value: 0, text };
  // A label may stand before the value: `User workflows: 90%`.
  const bare = text.length > 100 ? '' : (/^[^:]*[^:\d\s][^:]*:\s+(.*)$/.exec(text)?.[1] ?? text);
  const read = flagIn(bare) ?? countIn(bare) ?? durationIn(bare) ?? numberIn(bare);
  return read === null ? { kind: 'text', unit: '', value: 0, text } : { ...read, text };
}

type Read = Omit<Bare, 'text'> | null;

function flagIn(text: string): Read {
  return /^(?:true|false)$/i.test(text)
    ? { kind: 'flag', unit: '', value: text.toLowerCase() === 'true' ? 1 : 0 }
    : null;
}

/** `25/25`, `24 of 25`, also with a remark after it. */
function countIn(text: string): Read {
  const [, value, of] = /^(\d{1,12})\s*(?:\/|of)\s*(\d{1,12})(?:\s*\([^)]*\))?$/.exec(text) ?? [];
  return value === undefined ? null : { kind: 'count', unit: '', value: Number(value), of: Number(of) };
}

const UNIT_WORDS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|msecs?|milliseconds?)$/, UNIT_MS.ms],
  [/^(?:s|secs?|seconds?)$/, UNIT_MS.s],
  [/^(?:m|mins?|minutes?)$/, UNIT_MS.m],
  [/^(?:h|hrs?|hours?)$/, UNIT_MS.h],
  [/^(?:d|days?)$/, UNIT_MS.d],
];

/** `3m 45s`, `2h15m`, `1.5 hours`, `00:03:45`. Units decrease from left to right, so `5m 3h` is no duration. */
function durationIn(text: string): Read {
  const clock = /^(\d{1,4}):([0-5]\d):([0-5]\d)$/.exec(text);
  if (clock !== null) {
    const [, hours, minutes, seconds] = clock.map(Number) as [number, number, number, number];
    return { kind: 'duration', unit: 'ms', value: ((hours * 60 + minutes) * 60 + seconds) * 1000 };
  }
  if (!/^(?:\d{1,9}(?:\.\d{1,6})?\s*[a-z]{1,12}[\s,]*){1,6}$/i.test(text)) return null;
  let total = 0;
  let last = Number.POSITIVE_INFINITY;
  for (const [, amount, word = ''] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const size = UNIT_WORDS.find(([form]) => form.test(word.toLowerCase()))?.[1];
    if (size === undefined || size >= last) return null;
    last = size;
    total += Number(amount) * size;
  }
  return { kind: 'duration', unit: 'ms', value: rounded(total) };
}

function numberIn(text: string): Read {
  const [, digits, unit = ''] =
    /^([-+]?(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,15})?)\s*(%|[a-zA-Zµ][\w/µ-]{0,15})?$/.exec(text) ?? [];
  if (digits === undefined) return null;
  const value = Number(digits.replaceAll(',', ''));
  return { kind: unit === '%' ? 'percent' : 'number', unit, value };
}

export interface Total {
  readonly key: string;
  /** Null: mixed kinds or units. Such keys are listed and not summed. */
  readonly kind: MeasureKind | null;
  readonly unit: string;
  /** How often it was reported. */
  readonly times: number;
  /** Null where a sum is meaningless: percentages, texts, mixed kinds. */
  readonly sum: number | null;
  /** The sum of the totals of counts. */
  readonly of: number | null;
  readonly mean: number | null;
  readonly least: number | null;
  readonly most: number | null;
  readonly first: string;
  readonly last: string;
  /** From the first to the last value; null where they cannot be compared. */
  readonly change: number | null;
  /** The newest values, in the order in which they were reported. */
  readonly series: readonly number[];
  /** The first few distinct values as written, for keys that are not summed. */
  readonly texts: readonly string[];
}

const SERIES_MAX = 100;
const TEXTS_MAX = 10;

/** One per key, in the order of their names. */
export function totalsOf(measures: readonly Measure[]): readonly Total[] {
  const byKey = groupBy(measures, ({ key }) => key);
  return [...byKey.keys()].toSorted().map((key) => totalOf(key, byKey.get(key) ?? []));
}

function totalOf(key: string, all: readonly Measure[]): Total {
  const [first] = all as readonly [Measure];
  const last = all.at(-1) ?? first;
  const isMixed = all.some(({ kind, unit }) => kind !== first.kind || unit !== first.unit);
  const isNumeric = !isMixed && first.kind !== 'text';
  const values = all.map(({ value }) => value);
  const sum = values.reduce((total, value) => total + value, 0);
  return {
    key,
    kind: isMixed ? null : first.kind,
    unit: isMixed ? '' : first.unit,
    times: all.length,
    sum: isNumeric && first.kind !== 'percent' ? rounded(sum) : null,
    of: isNumeric && first.kind === 'count' ? all.reduce((total, { of = 0 }) => total + of, 0) : null,
    mean: isNumeric ? rounded(sum / all.length) : null,
    least: isNumeric ? values.reduce((one, other) => Math.min(one, other)) : null,
    most: isNumeric ? values.reduce((one, other) => Math.max(one, other)) : null,
    first: first.text,
    last: last.text,
    change: isNumeric ? rounded(last.value - first.value) : null,
    series: isNumeric ? values.slice(-SERIES_MAX) : [],
    texts: isNumeric ? [] : [...new Set(all.map(({ text }) => text))].slice(0, TEXTS_MAX),
  };
}

/** Removes floating-point noise. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

function short(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text;
}
