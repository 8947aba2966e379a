/**
 * The YAML of a front matter as entries with their places. Texts stay texts (`no`, `0123`, `1e3`). Deep nesting is refused
 * before the parser sees it, because some depths end the whole process.
 */
import { isMap, isScalar, isSeq, parseDocument, type Node, type Pair } from 'yaml';
import { findFrontMatter, placeAt, type FrontMatter } from './front-matter.ts';
import { DEPTH_MAX, tokensIn } from './tokens.ts';
import type { YamlValue } from './yaml-text.ts';

export interface Entry {
  readonly key: string;
  readonly value: YamlValue;
  /** Offsets into the whole text: of the key, after its colon, of the value's first and after its last character. */
  readonly keyAt: number;
  readonly colonAt: number;
  readonly valueFrom: number;
  readonly valueTo: number;
  /** Where each part of a list or a map stands, by its path (`deliverables[1]`). */
  readonly places: ReadonlyMap<string, number>;
}

export interface DocumentProblem {
  readonly code: 'E_SYNTAX' | 'E_ALIAS' | 'E_KEY' | 'E_SIZE' | 'E_DEPTH' | 'E_SCHEMA';
  /** A document with warnings can be used. */
  readonly severity: 'error' | 'warning';
  /** Like `deliverables[1]`; empty: the whole document. */
  readonly field: string;
  readonly says: string;
  readonly line: number;
  readonly column: number;
}

interface EntriesRead {
  readonly frontMatter: FrontMatter | null;
  readonly entries: readonly Entry[];
  readonly problems: readonly DocumentProblem[];
}

const FRONT_MATTER_MAX = 256 * 1024;
const KEY_MAX = 200;
const ENTRIES_MAX = 10_000;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype', '<<']);

class EntryProblem extends Error {
  readonly code: DocumentProblem['code'];
  readonly at: number;
  constructor(code: DocumentProblem['code'], says: string, at: number) {
    super(says);
    this.code = code;
    this.at = at;
  }
}

export function readEntries(text: string): EntriesRead {
  const found = findFrontMatter(text);
  if (found.kind !== 'found') {
    const says =
      found.kind === 'none'
        ? 'a document begins with a line of three dashes'
        : 'the line of three dashes that ends the front matter is missing';
    return { frontMatter: null, entries: [], problems: [problemAt(text, new EntryProblem('E_SYNTAX', says, 0))] };
  }
  const frontMatter = found.at;
  try {
    return { frontMatter, entries: entriesIn(text, frontMatter), problems: [] };
  } catch (error) {
    if (!(error instanceof EntryProblem)) throw error;
    return { frontMatter, entries: [], problems: [problemAt(text, error)] };
  }
}

function problemAt(text: string, { code, message, at }: EntryProblem): DocumentProblem {
  return { code, severity: 'error', field: '', says: message, ...placeAt(text, at) };
}

function entriesIn(text: string, { from, to }: FrontMatter): readonly Entry[] {
  const yaml = text.slice(from, to);
  if (yaml.length > FRONT_MATTER_MAX) {
    throw new EntryProblem('E_SIZE', `a front matter has at most ${FRONT_MATTER_MAX} characters`, from);
  }
  refuseTokens(yaml, from);
  const document = parseDocument(yaml, { schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) {
    // The place in the message counts from the beginning of the YAML; ours counts from the beginning of the file.
    const says = (error.message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
    throw new EntryProblem(error.code === 'KEY_OVER_1024_CHARS' ? 'E_SIZE' : 'E_SYNTAX', says, from + error.pos[0]);
  }
  const { contents } = document;
  if (contents === null) return [];
  if (!isMap(contents) || contents.flow === true) {
    throw new EntryProblem('E_SYNTAX', 'a front matter is a list of lines like "key: value"', from);
  }
  const seen = new Set<string>();
  const limit = { left: ENTRIES_MAX };
  return contents.items.map((pair) => {
    const key = keyOf(pair, seen, from);
    const places = new Map<string, number>();
    const value = jsonOf(pair.value, key, { places, offset: from, limit }, 1);
    const [keyAt, keyTo] = rangeOf(pair.key);
    const colonAt = yaml.indexOf(':', keyTo) + 1;
    const [valueFrom, valueTo] = pair.value === null ? [colonAt, colonAt] : rangeOf(pair.value);
    return {
      key,
      value,
      keyAt: from + keyAt,
      colonAt: from + colonAt,
      valueFrom: from + valueFrom,
      valueTo: from + valueTo,
      places,
    };
  });
}

function refuseTokens(yaml: string, offset: number): void {
  for (const { token, at, isText, isTooDeep } of tokensIn(yaml)) {
    if (isText) continue;
    const first = token[0] ?? '';
    if (first === '*' || first === '&')
      throw new EntryProblem('E_ALIAS', 'anchors and aliases are not read', offset + at);
    if (first === '!') throw new EntryProblem('E_KEY', 'tags are not read', offset + at);
    if (token === '...' || token === '---' || first === '%') {
      throw new EntryProblem('E_SYNTAX', `${JSON.stringify(token)} has no place in a front matter`, offset + at);
    }
    if (isTooDeep) throw new EntryProblem('E_DEPTH', `nested deeper than ${DEPTH_MAX}`, offset + at);
  }
}

function keyOf(pair: Pair, seen: Set<string>, offset: number): string {
  const node = pair.key as Node | null;
  const at = offset + (node === null ? 0 : rangeOf(node)[0]);
  if (!isScalar(node) || typeof node.value !== 'string') throw new EntryProblem('E_KEY', 'a key is one word', at);
  const key = node.value;
  if (key.length > KEY_MAX) throw new EntryProblem('E_SIZE', `a key has at most ${KEY_MAX} characters`, at);
  if (FORBIDDEN_KEYS.has(key)) throw new EntryProblem('E_KEY', `the key ${JSON.stringify(key)} is not allowed`, at);
  if (seen.has(key)) throw new EntryProblem('E_KEY', `the key ${JSON.stringify(key)} stands here twice`, at);
  seen.add(key);
  return key;
}

interface Walk {
  readonly places: Map<string, number>;
  readonly offset: number;
  readonly limit: { left: number };
}

function jsonOf(node: Node | null, path: string, walk: Walk, depth: number): YamlValue {
  if (node === null) return null;
  const at = walk.offset + rangeOf(node)[0];
  walk.places.set(path, at);
  walk.limit.left -= 1;
  if (walk.limit.left < 0) throw new EntryProblem('E_SIZE', `more than ${ENTRIES_MAX} values`, at);
  if (depth > DEPTH_MAX) throw new EntryProblem('E_DEPTH', `nested deeper than ${DEPTH_MAX}`, at);
  if (isSeq(node)) {
    return node.items.map((item, index) => jsonOf(item as Node | null, `${path}[${index}]`, walk, depth + 1));
  }
  if (isMap(node)) {
    const seen = new Set<string>();
    const read = node.items.map((pair): [string, YamlValue] => {
      const key = keyOf(pair, seen, walk.offset);
      return [key, jsonOf(pair.value as Node | null, `${path}.${key}`, walk, depth + 1)];
    });
    return Object.fromEntries(read);
  }
  if (!isScalar(node)) throw new EntryProblem('E_ALIAS', 'anchors and aliases are not read', at);
  const text = String(node.value);
  if (text.includes('\u0000')) throw new EntryProblem('E_SYNTAX', 'the character U+0000 in a text', at);
  return node.type === 'PLAIN' && /^(?:|~|null|Null|NULL)$/.test(text) ? null : text;
}

function rangeOf(node: Node): readonly [number, number] {
  const [from, to] = node.range ?? [0, 0];
  return [from, to];
}
