/** Scans texts and JSON values for secrets. For nearly every text a fast check finds that there is none. */
import { assert } from '../../foundation/assert.ts';
import { withoutHidden } from '../../foundation/display-text.ts';
import type { Json } from '../../foundation/json.ts';
import { SECRET_RULES, type SecretRule } from './rules.ts';

/** Never contains the secret itself. */
export interface SecretFinding {
  readonly rule: string;
  /** Like `input.env[0].value`. */
  readonly field: string;
}

/** The most findings per value. */
const FINDINGS_MAX = 20;

const KEYWORDS = [...new Set(SECRET_RULES.flatMap(({ keywords }) => keywords))];

const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function literal(keyword: string): string {
  return keyword.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}

/** A secret that is split by invisible characters is still found. */
function plain(text: string): string {
  const isAscii = Buffer.byteLength(text) === text.length;
  return isAscii ? text : withoutHidden(text);
}

/** So many short texts of a process are searched for each keyword in turn; a process that scans more makes tables for it. */
export const PLAIN_SCANS = 20;
let plainScansLeft = PLAIN_SCANS;
const PLAIN_SCAN_MAX = 4096;

interface Tables {
  readonly keyword: RegExp;
  readonly keywordHere: RegExp;
  readonly pairs: Uint8Array;
}

/** Made on first use: a process that sends one handoff scans a few texts, and the tables took it 1 ms of processor time. */
let made: Tables | null = null;

function tables(): Tables {
  made ??= makeTables();
  return made;
}

function makeTables(): Tables {
  const any = KEYWORDS.map(literal).join('|');
  const marked = new Uint8Array(2 ** 16);
  for (const keyword of KEYWORDS) {
    assert(keyword.length > 2, 'a shorter keyword would be overlooked');
    markPair(marked, keyword.slice(0, 2), BEGINS);
    markPair(marked, keyword.slice(1, 3), FOLLOWS);
  }
  return { keyword: new RegExp(any, 'i'), keywordHere: new RegExp(any, 'iy'), pairs: marked };
}

/**
 * Letter pairs at the beginning of keywords (1) and after their first letter (2), in both cases. A keyword has at least
 * three letters, so one of its two pairs is at an even offset of the text, and only even offsets are checked, two letters
 * as one number. For 2 kB this takes 3 µs, and a pattern of a hundred alternatives 12 µs; a send takes 60 µs.
 */
const [BEGINS, FOLLOWS] = [1, 2];

/** Longer texts are rare and use the pattern. One byte per letter: other letters than ASCII only cause a second check. */
const letters = new Uint8Array(16 * 1024);
const lettersBuffer = Buffer.from(letters.buffer);
const pairs = new Uint16Array(letters.buffer);

function markPair(marked: Uint8Array, [first = '', second = '']: string, mark: number): void {
  for (const a of [first, first.toUpperCase()]) {
    for (const b of [second, second.toUpperCase()]) {
      const pair = pairOf(a.charCodeAt(0), b.charCodeAt(0));
      marked[pair] = (marked[pair] as number) | mark;
    }
  }
}

/** As the processor reads two bytes. */
function pairOf(first: number, second: number): number {
  return LITTLE_ENDIAN ? first | (second << 8) : (first << 8) | second;
}

export function mayHoldSecret(given: string): boolean {
  const text = plain(given);
  if (plainScansLeft > 0 && text.length <= PLAIN_SCAN_MAX) {
    plainScansLeft -= 1;
    const small = text.toLowerCase();
    return KEYWORDS.some((keyword) => small.includes(keyword));
  }
  const { keyword: anywhere, pairs: marked } = tables();
  if (text.length > letters.length) return anywhere.test(text);
  const end = lettersBuffer.write(text, 'latin1') >> 1;
  for (let place = 0; place < end; place += 1) {
    const marks = marked[pairs[place] as number] as number;
    if (marks === 0) continue;
    const at = 2 * place;
    if ((marks & BEGINS) !== 0 && (marksAt(marked, at + 1) & FOLLOWS) !== 0 && isKeywordAt(text, at)) return true;
    const isInside = (marks & FOLLOWS) !== 0 && at > 0 && (marksAt(marked, at - 1) & BEGINS) !== 0;
    if (isInside && isKeywordAt(text, at - 1)) return true;
  }
  return false;
}

function marksAt(marked: Uint8Array, at: number): number {
  return marked[pairOf(letters[at] as number, letters[at + 1] as number)] as number;
}

function isKeywordAt(text: string, at: number): boolean {
  const { keywordHere } = tables();
  keywordHere.lastIndex = at;
  return keywordHere.test(text);
}

export interface Scanned<Value> {
  readonly findings: readonly SecretFinding[];
  /** The value with `[redacted:rule]` for each secret; the same value if there are none. */
  readonly redacted: Value;
}

export function scanJson<Value extends Json>(value: Value, field: string): Scanned<Value> {
  const findings: SecretFinding[] = [];
  const redacted = walk(value, field, '', findings) as Value;
  return findings.length === 0 ? { findings, redacted: value } : { findings, redacted };
}

export function scanText(text: string, field: string): Scanned<string> {
  return mayHoldSecret(text) ? scanJson(text, field) : { findings: [], redacted: text };
}

function walk(value: Json, field: string, name: string, findings: SecretFinding[]): Json {
  if (typeof value === 'string') return inLeaf(value, field, name, findings);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    return value.map((each: Json, index) => walk(each, `${field}[${index}]`, name, findings));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, Json]) => [key, walk(each, pathTo(field, key), key, findings)]),
  );
}

const KEY_MAX = 60;

/** Keys are shown in findings, so a key that contains a secret is hidden. */
function pathTo(field: string, key: string): string {
  const shown = scanText(key, '').findings.length > 0 ? '(secret)' : plain(key).slice(0, KEY_MAX);
  return field === '' ? shown : `${field}.${shown}`;
}

function inLeaf(text: string, field: string, name: string, findings: SecretFinding[]): string {
  let clean = plain(text);
  let isFound = false;
  const found = (rule: SecretRule): string => {
    isFound = true;
    if (findings.length < FINDINGS_MAX && !findings.some((each) => each.rule === rule.id && each.field === field)) {
      findings.push({ rule: rule.id, field });
    }
    return `[redacted:${rule.id}]`;
  };
  const small = clean.toLowerCase();
  for (const rule of SECRET_RULES) {
    if (rule.keywords.some((keyword) => small.includes(keyword))) clean = replaced(clean, rule, () => found(rule));
  }
  // `{"password": "…"}`: the keyword is the key.
  if (!isFound && name !== '' && NAMES_A_SECRET.test(name) && isRandom(clean)) clean = found(ASSIGNED);
  return isFound ? clean : text;
}

const NAMES_A_SECRET =
  /(?:password|passwd|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)$/i;
const ASSIGNED = SECRET_RULES.find(({ id }) => id === 'assigned-secret') as SecretRule;

function replaced(text: string, { pattern, isRandomOnly }: SecretRule, instead: () => string): string {
  return text.replaceAll(pattern, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1);
    const value = typeof groups === 'object' && groups !== null ? (groups as { value?: string }).value : undefined;
    const secret = value ?? match;
    if (secret.startsWith('[redacted:') || (isRandomOnly === true && !isRandom(secret))) return match;
    return match.replace(secret, instead);
  });
}

const RANDOM_MIN = 10;
const RANDOM_MAX = 200;
const BITS_MIN = 3;

/** Whether a text looks random: letters and digits of high entropy, but no path, placeholder or variable. */
function isRandom(text: string): boolean {
  if (text.length < RANDOM_MIN || text.length > RANDOM_MAX || /\s/.test(text)) return false;
  if (!/[0-9]/.test(text) || !/[A-Za-z]/.test(text)) return false;
  if (
    /^(?:\$|%|\*|x{3}|<|\{|process\.|env\.|https?:|\.{0,2}\/)/i.test(text) ||
    /example|placeholder|changeme/i.test(text)
  )
    return false;
  return bitsOf(text) >= BITS_MIN;
}

/** Shannon entropy per character. */
function bitsOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
