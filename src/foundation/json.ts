/**
 * Reads JSON from outside: limits are checked before parsing, and every problem has a line and a column.
 *
 * JSON.parse alone keeps the last of two equal keys, accepts any depth and only sometimes says where an error is.
 */
import { isKeptInteger, isLongInteger, parseExact, printExact } from './exact-json.ts';
import { err, ok, type Result } from './result.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

declare const jsonText: unique symbol;
/** Text that is known to be well-formed JSON within our limits; it is stored and sent on without parsing it again. */
export type JsonText = string & { readonly [jsonText]: true };

/** The largest accepted text. Larger content belongs in an artifact file. */
export const JSON_BYTES_MAX = 1024 * 1024;
/** Keeps recursive readers safe. */
export const JSON_DEPTH_MAX = 64;
export const JSON_NODES_MAX = 100_000;

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

export interface JsonProblem {
  readonly says: string;
  readonly line: number;
  readonly column: number;
}

export interface JsonRead {
  readonly value: Json;
  readonly text: JsonText;
}

/** Input that may be larger than one message, such as an exported record, has its own limits. */
export interface JsonLimits {
  readonly bytesMax: number;
  readonly nodesMax: number;
  /** 64-bit integers are kept in the text and rounded in the value. Otherwise they are refused. */
  readonly keepsIntegers?: boolean;
}

const TEXT_LIMITS: JsonLimits = { bytesMax: JSON_BYTES_MAX, nodesMax: JSON_NODES_MAX };

export const KEEPING_INTEGERS: JsonLimits = { ...TEXT_LIMITS, keepsIntegers: true };

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null: the value is no string, or an empty one. */
export function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function readJson(source: string, limits: JsonLimits = TEXT_LIMITS): Result<JsonRead, JsonProblem> {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  if (text.length > limits.bytesMax || Buffer.byteLength(text) > limits.bytesMax) {
    return err({ says: `larger than ${limits.bytesMax} bytes`, line: 1, column: 1 });
  }
  const scan = new Scan(text, limits);
  try {
    scan.document();
  } catch (error) {
    if (!(error instanceof ScanError)) throw error;
    return err({ says: error.message, ...placeOf(text, error.at) });
  }
  const value = JSON.parse(text) as Json;
  // Stored as JSON.stringify writes it: without the sender's white space, and with equal bytes for equal values.
  const plain = limits.keepsIntegers === true ? printExact(parseExact(text)) : JSON.stringify(value);
  return ok({ value, text: plain as JsonText });
}

/** For values from code. Refuses what JSON would silently change. A property that is undefined counts as absent. */
export function writeJson(value: unknown, limits: JsonLimits = TEXT_LIMITS): Result<JsonText, JsonProblem> {
  let text: string | undefined;
  try {
    text = printExact(value);
    // Only a text with a null in it can hold a value that silently became null.
    if (text?.includes('null')) JSON.stringify(value, refuseWhatBecomesNull);
  } catch (error) {
    const says = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    return err({ says: `not JSON: ${says ?? 'unknown reason'}`, line: 1, column: 1 });
  }
  if (text === undefined) return err({ says: 'not JSON: undefined or a function', line: 1, column: 1 });
  if (!isObviouslyValid(text)) {
    const read = readJson(text, { ...limits, keepsIntegers: true });
    if (!read.ok) return read;
  }
  return ok(text as JsonText);
}

function refuseWhatBecomesNull(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} is not a number of JSON`);
  const isNothing = value === undefined || typeof value === 'function' || typeof value === 'symbol';
  if (isNothing && Array.isArray(this)) throw new Error(`${typeof value} in a list`);
  return typeof value === 'bigint' ? String(value) : value;
}

/**
 * A fast check on the path of every send. JSON.stringify writes no malformed text, so only size, depth and the refused
 * escapes and keys have to be checked. False: the full scan decides.
 */
function isObviouslyValid(text: string): boolean {
  // A character has at most three bytes, so this length cannot exceed the limit in bytes.
  if (text.length > JSON_BYTES_MAX / 3) return false;
  if (text.includes('\\u') || text.includes('__proto__') || text.includes('"constructor"')) return false;
  if (text.includes('"prototype"')) return false;
  let depth = 0;
  let nodes = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x7d || code === 0x5d) depth -= 1;
    else if (code === 0x2c || code === 0x3a) nodes += 1;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      nodes += 1;
    }
    if (depth > JSON_DEPTH_MAX || nodes > JSON_NODES_MAX) return false;
  }
  return true;
}

function endOfString(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (text.charCodeAt(at - 1) === 0x5c && backslashesBefore(text, at) % 2 === 1) at = text.indexOf('"', at + 1);
  return at;
}

function backslashesBefore(text: string, at: number): number {
  let count = 0;
  while (text.charCodeAt(at - 1 - count) === 0x5c) count += 1;
  return count;
}

class ScanError extends Error {
  readonly at: number;
  constructor(says: string, at: number) {
    super(says);
    this.at = at;
  }
}

/** As `\p{Surrogate}`, for which V8 asks its tables of Unicode at every start. */
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
// eslint-disable-next-line no-control-regex -- control characters are exactly what a JSON string may not hold
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

class Scan {
  private at = 0;
  private nodes = 0;
  private readonly text: string;
  private readonly nodesMax: number;
  private readonly keepsIntegers: boolean;

  constructor(text: string, { nodesMax, keepsIntegers = false }: JsonLimits) {
    this.text = text;
    this.nodesMax = nodesMax;
    this.keepsIntegers = keepsIntegers;
  }

  document(): void {
    this.space();
    this.value(0);
    this.space();
    if (this.at < this.text.length) throw new ScanError('more text after the end of the JSON value', this.at);
  }

  private value(depth: number): void {
    if (depth > JSON_DEPTH_MAX) throw new ScanError(`nested deeper than ${JSON_DEPTH_MAX}`, this.at);
    this.nodes += 1;
    if (this.nodes > this.nodesMax) throw new ScanError(`more than ${this.nodesMax} values`, this.at);
    const first = this.text[this.at];
    if (first === '{') this.object(depth);
    else if (first === '[') this.array(depth);
    else if (first === '"') this.string();
    else if (!this.number() && !this.take(WORD)) throw this.unexpected('a value');
  }

  /** Infinity would be written as null, and a long integer would lose its last digits. */
  private number(): boolean {
    const from = this.at;
    if (!this.take(NUMBER)) return false;
    const digits = this.text.slice(from, this.at);
    if (!Number.isFinite(Number(digits))) throw new ScanError('a number that is too large', from);
    if (isLongInteger(digits) && !(this.keepsIntegers && isKeptInteger(digits))) {
      throw new ScanError('a whole number with more digits than can be kept; send it as a text', from);
    }
    return true;
  }

  private object(depth: number): void {
    const keys = new Set<string>();
    this.at += 1;
    this.space();
    if (this.skip('}')) return;
    do {
      this.space();
      if (this.text[this.at] !== '"') throw this.unexpected('a key in double quotes');
      const keyAt = this.at;
      const key = JSON.parse(this.string()) as string;
      if (FORBIDDEN_KEYS.has(key)) throw new ScanError(`the key "${key}" is not allowed`, keyAt);
      if (keys.has(key)) throw new ScanError(`the key ${JSON.stringify(key)} stands here twice`, keyAt);
      keys.add(key);
      this.space();
      if (!this.skip(':')) throw this.unexpected('":"');
      this.space();
      this.value(depth + 1);
      this.space();
    } while (this.skip(','));
    if (!this.skip('}')) throw this.unexpected('"," or "}"');
  }

  private array(depth: number): void {
    this.at += 1;
    this.space();
    if (this.skip(']')) return;
    do {
      this.space();
      this.value(depth + 1);
      this.space();
    } while (this.skip(','));
    if (!this.skip(']')) throw this.unexpected('"," or "]"');
  }

  private string(): string {
    const from = this.at;
    if (!this.take(STRING)) throw this.badString();
    const raw = this.text.slice(from, this.at);
    // Neither database can store these two, so they are refused for every store.
    const decoded = raw.includes('\\u') ? (JSON.parse(raw) as string) : raw;
    if (decoded.includes('\u0000')) throw new ScanError('the character U+0000 in a text', from);
    if (LONE_SURROGATE.test(decoded)) throw new ScanError('half of a surrogate pair in a text', from);
    return raw;
  }

  private badString(): ScanError {
    for (let at = this.at + 1; at < this.text.length; at += 1) {
      const code = this.text.charCodeAt(at);
      if (code < 0x20) return new ScanError('a control character (or line end) inside a text', at);
      if (code === 0x5c) {
        if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(this.text.slice(at, at + 6))) {
          return new ScanError('a backslash with an unknown letter after it', at);
        }
        at += 1;
      }
    }
    return new ScanError('a text that is not closed', this.at);
  }

  private unexpected(wanted: string): ScanError {
    const found = this.text[this.at];
    if (found === undefined) return new ScanError(`the text ends where ${wanted} should stand`, this.at);
    if (/^(?:NaN|-?Infinity|undefined)/.test(this.text.slice(this.at, this.at + 9))) {
      return new ScanError('NaN, Infinity and undefined are not JSON', this.at);
    }
    return new ScanError(`${JSON.stringify(found)} where ${wanted} should stand`, this.at);
  }

  private space(): void {
    SPACE.lastIndex = this.at;
    SPACE.exec(this.text);
    this.at = SPACE.lastIndex;
  }

  private skip(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private take(token: RegExp): boolean {
    token.lastIndex = this.at;
    if (!token.test(this.text)) return false;
    this.at = token.lastIndex;
    return true;
  }
}

function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return { line, column: at - before.lastIndexOf('\n') };
}
