/** Looks for secrets in texts and JSON values. One quick pass decides for nearly every text that there is none. */
import { withoutHidden } from '../../foundation/display-text.ts';
import type { Json } from '../../foundation/json.ts';
import { SECRET_RULES, type SecretRule } from './rules.ts';

/** Never with the secret itself. */
export interface SecretFinding {
  readonly rule: string;
  /** Like `input.env[0].value`. */
  readonly field: string;
}

/** A text with more of them has one cause. */
const FINDINGS_MAX = 20;

const QUICK = new RegExp([...new Set(SECRET_RULES.flatMap(({ keywords }) => keywords))].map(literal).join('|'), 'i');
// eslint-disable-next-line no-control-regex -- everything that is not plain ASCII
const NOT_ASCII = /[^\u0000-\u007f]/;

function literal(keyword: string): string {
  return keyword.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}

/** A secret that is split by invisible characters is still found. */
function plain(text: string): string {
  return NOT_ASCII.test(text) ? withoutHidden(text) : text;
}

export function mayHoldSecret(text: string): boolean {
  return QUICK.test(plain(text));
}

export interface Scanned<Value> {
  readonly findings: readonly SecretFinding[];
  /** With `[redacted:rule]` in the place of each; the same value where there is none. */
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

/** A key is shown with its path, so it is scanned as well: a secret can stand there too. */
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
  // `{"password": "…"}`: the word stands in the key.
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

/** Letters and digits without a pattern; names, versions, paths, places to fill in and plain words are none. */
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

/** Shannon's entropy per character. */
function bitsOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
