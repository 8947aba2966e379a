/**
 * The fields of a YAML text as written: `0042` stays `0042`. Aliases are kept by name and never expanded, so ten lines
 * cannot become a billion.
 */
import { isAlias, isMap, isScalar, isSeq, parseAllDocuments, type Node, type Pair } from 'yaml';
import { DEPTH_MAX, FIELDS_MAX, lineCounter } from './lines.ts';
import { looseFields } from './loose-keys.ts';
import type { Field, Form, ReadingProblem } from './legacy-reading.ts';

/** A larger text is read line by line, because the parser would take too long. */
const PARSED_MAX = 128 * 1024;
const BLANK_LINES_MAX = 300;

export interface Gathered {
  readonly fields: readonly Field[];
  readonly problems: readonly ReadingProblem[];
}

/** `firstLine` is the line in the file on which this text begins. */
export function yamlFields(text: string, firstLine: number, form: Form): Gathered {
  const plain = flatFields(text, firstLine, form);
  if (plain !== null) return { fields: plain, problems: [] };
  const parsed = parse(text);
  if (parsed.documents === null) {
    const problems = [{ line: firstLine + parsed.line - 1, says: `not YAML: ${parsed.says}` }];
    return { fields: looseFields(text, firstLine, form), problems };
  }
  const lineAt = lineCounter(text);
  const fields: Field[] = [];
  const problems: ReadingProblem[] = [];
  const add = (key: string, path: string, said: string, at: number): void => {
    if (fields.length < FIELDS_MAX) fields.push({ key, path, text: said, line: firstLine + lineAt(at) - 1, form });
  };
  const walk = (node: unknown, key: string, path: string, depth: number, keyAt: number): void => {
    const at = rangeOf(node)?.[0] ?? keyAt;
    const line = Math.min(at, keyAt === -1 ? at : keyAt);
    if (depth > DEPTH_MAX) return add(key, path, text.slice(at, rangeOf(node)?.[1] ?? at), line);
    if (isMap(node) && node.items.length > 0) {
      for (const pair of node.items) walkPair(pair, path, depth);
    } else if (isSeq(node) && node.items.length > 0) {
      for (const [index, item] of node.items.entries()) walk(item, key, `${path}[${index}]`, depth + 1, -1);
    } else if (path !== '') add(key, path, wordsOf(node, text), line);
  };
  const walkPair = (pair: Pair<unknown, unknown>, path: string, depth: number): void => {
    const key = isScalar(pair.key) ? String(pair.key.source ?? pair.key.value) : wordsOf(pair.key, text);
    const at = rangeOf(pair.key)?.[0] ?? 0;
    walk(pair.value, key, path === '' ? key : `${path}.${key}`, depth + 1, at);
  };
  // The first document is the handoff; the paths of the others have their number.
  for (const [index, { contents }] of parsed.documents.entries())
    walk(contents, '', index === 0 ? '' : `[${index}]`, 0, -1);
  if (fields.length === FIELDS_MAX) problems.push({ line: firstLine, says: `more than ${FIELDS_MAX} fields` });
  return { fields, problems };
}

type Parsed =
  | { readonly documents: readonly { readonly contents: unknown }[] }
  | { readonly documents: null; readonly says: string; readonly line: number };

function parse(text: string): Parsed {
  if (text.length > PARSED_MAX) return { documents: null, says: `larger than ${PARSED_MAX} characters`, line: 1 };
  if (isTooExpensive(text)) return { documents: null, says: 'nested or stretched beyond what anybody writes', line: 1 };
  try {
    const documents = parseAllDocuments(text, {
      uniqueKeys: false,
      keepSourceTokens: false,
      logLevel: 'silent',
      prettyErrors: false,
    });
    const list = Array.isArray(documents) ? documents : [];
    const error = list.flatMap((each) => each.errors)[0];
    if (error === undefined) return { documents: list };
    const [says = 'unreadable'] = error.message.split('\n', 1);
    return { documents: null, says: says.replace(/ at line \d+.*$/, ''), line: lineCounter(text)(error.pos[0]) };
  } catch (error) {
    return { documents: null, says: error instanceof Error ? error.message.slice(0, 200) : 'unreadable', line: 1 };
  }
}

/** The parser recurses with brackets, dashes and indentation, and reads blank lines again and again. */
function isTooExpensive(text: string): boolean {
  let depth = 0;
  let blank = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (code === 0x0a) blank += 1;
    else if (code > 0x20) blank = 0;
    if (depth > DEPTH_MAX || blank > BLANK_LINES_MAX) return true;
  }
  return /^(?:[ \t]{400}|\s*(?:[-?] ){64})/m.test(text);
}

const FLAT_LINE = /^([A-Za-z][\w-]{0,60}): +(?:"([^"\\]{0,400})"|([A-Za-z0-9][^#:"'\\{}[\]&*!|>%@`]{0,400}))?$/;

/** Most front matter is a few plain lines, which need no parser. */
function flatFields(text: string, firstLine: number, form: Form): readonly Field[] | null {
  if (text.length > 4_000) return null;
  const fields: Field[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const said = line.trimEnd();
    if (said === '') continue;
    const found = FLAT_LINE.exec(said);
    const value = found?.[2] ?? found?.[3];
    if (found?.[1] === undefined || value === undefined) return null;
    fields.push({ key: found[1], path: found[1], text: value, line: firstLine + index, form });
  }
  return fields;
}

function wordsOf(node: unknown, text: string): string {
  if (isScalar(node)) return node.source ?? (typeof node.value === 'string' ? node.value : '');
  if (isAlias(node)) return `*${node.source}`;
  const range = rangeOf(node);
  return range === null ? '' : text.slice(range[0], range[1]).trim();
}

function rangeOf(node: unknown): readonly [number, number, number] | null {
  return (node as Node | null | undefined)?.range ?? null;
}
