/**
 * Reads the YAML between the fences as plain values, each with its place. An agent may repeat any text that it has read, so
 * everything in YAML that is no plain value is refused: aliases, merged keys, deep nesting, names of prototypes.
 */
import { isAlias, isMap, isScalar, isSeq, parseDocument, type Node, type YAMLMap } from 'yaml';
import type { Json } from '../../foundation/json.ts';

const DEPTH_MAX = 32;
const NODES_MAX = 2000;
/** Lines and commas, counted before parsing: a cheap bound on the number of values. */
const SEPARATORS_MAX = 2 * NODES_MAX;

/** A `fatal` issue refuses the block; another one refuses it only in strict reading. */
export interface Issue {
  /** Offset in the YAML. */
  readonly at: number;
  /** Like `on_failure.retry`; empty where it is about the whole. */
  readonly field: string;
  readonly says: string;
  readonly allowed?: readonly string[];
  readonly fatal: boolean;
}

export interface Field {
  readonly value: Json;
  readonly keyAt: number;
  readonly at: number;
}

export interface YamlRead {
  /** The fields of `handoff`; null: an issue says why they cannot be read. */
  readonly fields: ReadonlyMap<string, Field> | null;
  readonly issues: readonly Issue[];
}

export function readYaml(yaml: string): YamlRead {
  const refused = checkBeforeParsing(yaml);
  if (refused !== null) return { fields: null, issues: [refused] };
  try {
    return new Walk(yaml).read();
  } catch (error) {
    // The parser recurses for every level; nesting that the guard missed ends here.
    if (!(error instanceof RangeError)) throw error;
    return { fields: null, issues: [fatalIssue(0, '', 'nested too deeply to be read')] };
  }
}

// eslint-disable-next-line no-control-regex -- finding control characters is what it is for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]|\p{Surrogate}/u;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

function checkBeforeParsing(yaml: string): Issue | null {
  const control = CONTROL.exec(yaml);
  if (control !== null) return fatalIssue(control.index, '', `holds the character ${nameOf(control[0])}`);
  let depth = 0;
  let separators = 0;
  for (let at = 0; at < yaml.length; at += 1) {
    const code = yaml.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) depth += 1;
    else if ((code === 0x5d || code === 0x7d) && depth > 0) depth -= 1;
    else if (code === 0x2c || code === 0x0a) separators += 1;
    if (separators > SEPARATORS_MAX) return fatalIssue(at, '', `more than ${SEPARATORS_MAX} lines and commas`);
    if (depth > DEPTH_MAX) return fatalIssue(at, '', `nested deeper than ${DEPTH_MAX}`);
  }
  // `- - - -` opens a list in a list in a list, all in one line.
  const nestedList = new RegExp(`(?:^|\\n)(?:[ \\t]*[-?:](?=[ \\t])){${DEPTH_MAX},}`).exec(yaml);
  return nestedList === null ? null : fatalIssue(nestedList.index, '', `nested deeper than ${DEPTH_MAX}`);
}

class Walk {
  private readonly yaml: string;
  private readonly issues: Issue[] = [];
  private nodes = 0;

  constructor(yaml: string) {
    this.yaml = yaml;
  }

  read(): YamlRead {
    // Keys are compared here with a set, because the parser compares each with each.
    const parsed = parseDocument(this.yaml, { uniqueKeys: false, prettyErrors: false, schema: 'core' });
    for (const { pos, code, message } of parsed.errors) {
      const isName = code === 'BAD_SCALAR_START' && this.yaml[pos[0]] === '@';
      if (isName) this.add(pos[0], '', 'a name that begins with @ stands in quotes', false);
      else this.add(pos[0], '', `not YAML: ${firstLine(message)}`, true);
    }
    const top = parsed.contents;
    if (this.isRefused()) return this.nothing();
    if (!isMap(top)) return this.nothing(fatalIssue(0, '', 'not a map'));

    const entries = this.entriesOf(top, '').filter(({ key }) => key.toLowerCase() === 'handoff');
    const [first] = entries;
    if (first === undefined) return this.nothing(fatalIssue(0, 'handoff', 'there is no handoff at the top level'));
    if (entries.length > 1) return this.nothing(fatalIssue(entries[1]?.keyAt ?? 0, 'handoff', 'stands here twice'));
    if (first.key !== 'handoff') this.add(first.keyAt, 'handoff', 'is written in small letters', false);
    if (!isMap(first.node)) return this.nothing(fatalIssue(first.keyAt, 'handoff', 'holds no fields'));

    const fields = new Map<string, Field>();
    for (const { key, keyAt, node } of this.entriesOf(first.node, '')) {
      const at = placeOf(node) ?? keyAt;
      fields.set(key, { value: this.valueOf(node, key, 1, key === 'dependencies'), keyAt, at });
    }
    return this.isRefused() ? this.nothing() : { fields, issues: this.issues };
  }

  private entriesOf(map: YAMLMap, path: string): readonly Entry[] {
    const seen = new Set<string>();
    const entries: Entry[] = [];
    for (const pair of map.items) {
      const keyNode = pair.key as Node | null;
      const keyAt = placeOf(keyNode) ?? 0;
      if (!isScalar(keyNode) || keyNode.value === null) {
        this.add(keyAt, path, 'a key is a word', true);
        continue;
      }
      const key = typeof keyNode.value === 'string' ? keyNode.value : (keyNode.source ?? '');
      const field = path === '' ? key : `${path}.${key}`;
      if (CONTROL.test(key)) this.add(keyAt, path, 'a key holds a control character', true);
      else if (FORBIDDEN_KEYS.has(key)) this.add(keyAt, field, 'is a name that is not allowed; it is left out', false);
      else if (key === '<<') this.add(keyAt, path, 'merged keys (<<) are not read; they are left out', false);
      else if (seen.has(key)) this.add(keyAt, field, 'stands here twice', true);
      else entries.push({ key, keyAt, node: pair.value as Node | null });
      seen.add(key);
    }
    return entries;
  }

  private valueOf(node: Node | null, path: string, depth: number, asWritten: boolean): Json {
    const at = placeOf(node) ?? 0;
    this.nodes += 1;
    if (this.nodes > NODES_MAX) return this.refuse(at, path, `more than ${NODES_MAX} values`);
    if (depth > DEPTH_MAX) return this.refuse(at, path, `nested deeper than ${DEPTH_MAX}`);
    if (node === null) return null;
    if (isAlias(node)) return this.refuse(at, path, 'refers to another place (*); write the value itself');
    if (isSeq(node)) {
      return node.items.map((each, index) => this.valueOf(each as Node, `${path}[${index}]`, depth + 1, asWritten));
    }
    if (isMap(node)) {
      const entries = this.entriesOf(node, path);
      return Object.fromEntries(
        entries.map(({ key, node: value }) => [key, this.valueOf(value, `${path}.${key}`, depth + 1, asWritten)]),
      );
    }
    if (!isScalar(node)) return this.refuse(at, path, 'is of a kind that is not read');
    const { value } = node;
    if (typeof value === 'number') {
      // Ids like 15.30 and long numbers are kept digit by digit.
      const isExact = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
      return isExact && !asWritten ? value : (node.source ?? String(value));
    }
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value !== 'string') return this.refuse(at, path, 'is of a kind that is not read');
    return CONTROL.test(value) ? this.refuse(at, path, 'holds a control character') : value;
  }

  private refuse(at: number, field: string, says: string): null {
    this.add(at, field, says, true);
    return null;
  }

  private add(at: number, field: string, says: string, isFatal: boolean): void {
    // The first few say what is wrong; ten thousand would only burden the reader.
    if (this.issues.length < ISSUES_MAX) this.issues.push({ at, field, says, fatal: isFatal });
  }

  private isRefused(): boolean {
    return this.issues.some((issue) => issue.fatal);
  }

  private nothing(issue?: Issue): YamlRead {
    return { fields: null, issues: issue === undefined ? this.issues : [...this.issues, issue] };
  }
}

const ISSUES_MAX = 50;

interface Entry {
  readonly key: string;
  readonly keyAt: number;
  readonly node: Node | null;
}

function fatalIssue(at: number, field: string, says: string): Issue {
  return { at, field, says, fatal: true };
}

function placeOf(node: Node | null): number | null {
  return node?.range?.[0] ?? null;
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

function nameOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
