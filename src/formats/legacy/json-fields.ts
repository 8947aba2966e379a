/**
 * The leaves of a JSON text with their lines. Accepts what people and programs do to JSON: comments, extra commas, repeated
 * keys, several values in one file, a missing end. Fields before a mistake are kept.
 */
import { orNull } from '../../foundation/or-null.ts';
import { DEPTH_MAX, FIELDS_MAX, lineCounter } from './lines.ts';
import type { Field, ReadingProblem } from './legacy-reading.ts';
import type { Gathered } from './yaml-fields.ts';

const BLANK = /(?:[\s,\uFEFF]+|\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/)*/y;
const TEXT = /"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'/y;
const WORD = /[^\s,:{}[\]"']+/y;

export function jsonFields(text: string): Gathered {
  const scan = new LooseScan(text);
  scan.all();
  return { fields: scan.fields, problems: scan.problems };
}

class LooseScan {
  readonly fields: Field[] = [];
  readonly problems: ReadingProblem[] = [];
  private at = 0;
  private readonly text: string;
  private readonly lineAt: (at: number) => number;

  constructor(text: string) {
    this.text = text;
    this.lineAt = lineCounter(text);
  }

  all(): void {
    for (let index = 0; ; index += 1) {
      this.blank();
      if (this.at >= this.text.length || this.problems.length > 0) return;
      // In JSON lines the first value is the handoff; the paths of the others have their number.
      this.value('', index === 0 ? '' : `[${index}]`, 0);
    }
  }

  private value(key: string, path: string, depth: number): void {
    this.blank();
    const from = this.at;
    const first = this.text[from];
    if (depth > DEPTH_MAX && (first === '{' || first === '[')) return this.skipDeep(key, path);
    if (first === '{') return this.members(path, depth);
    if (first === '[') return this.items(key, path, depth);
    const said = this.word();
    if (said === null) return this.stop('a value is missing');
    this.add(key, path, said, from);
  }

  private members(path: string, depth: number): void {
    this.at += 1;
    for (;;) {
      this.blank();
      if (this.text[this.at] === '}') break;
      if (this.at >= this.text.length) return this.stop('the text ends inside an object');
      const key = this.word();
      this.blank();
      if (key === null || this.text[this.at] !== ':') return this.stop('a key with its colon is missing');
      this.at += 1;
      this.value(key, path === '' ? key : `${path}.${key}`, depth + 1);
      if (this.problems.length > 0) return;
    }
    this.at += 1;
  }

  private items(key: string, path: string, depth: number): void {
    this.at += 1;
    for (let index = 0; ; index += 1) {
      this.blank();
      if (this.text[this.at] === ']') break;
      if (this.at >= this.text.length) return this.stop('the text ends inside a list');
      this.value(key, `${path}[${index}]`, depth + 1);
      if (this.problems.length > 0) return;
    }
    this.at += 1;
  }

  private word(): string | null {
    TEXT.lastIndex = this.at;
    const quoted = TEXT.exec(this.text);
    if (quoted !== null) {
      this.at = TEXT.lastIndex;
      return quoted[1] === undefined ? (quoted[2] ?? '') : unescaped(quoted[1]);
    }
    WORD.lastIndex = this.at;
    const bare = WORD.exec(this.text)?.[0] ?? null;
    if (bare !== null) this.at += bare.length;
    return bare;
  }

  /** Keeps a value that is nested too deeply as text. */
  private skipDeep(key: string, path: string): void {
    const from = this.at;
    let depth = 0;
    for (; this.at < this.text.length; this.at += 1) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x7b || code === 0x5b) depth += 1;
      else if (code === 0x7d || code === 0x5d) depth -= 1;
      if (depth === 0) break;
    }
    this.at += 1;
    this.add(key, path, this.text.slice(from, this.at), from);
  }

  private add(key: string, path: string, text: string, at: number): void {
    if (this.fields.length >= FIELDS_MAX) return this.stop(`more than ${FIELDS_MAX} fields`);
    this.fields.push({ key, path, text, line: this.lineAt(at), form: 'json' });
  }

  private stop(says: string): void {
    if (this.problems.length === 0) this.problems.push({ line: this.lineAt(this.at), says });
    this.at = this.text.length;
  }

  private blank(): void {
    BLANK.lastIndex = this.at;
    BLANK.exec(this.text);
    this.at = Math.max(this.at, BLANK.lastIndex);
  }
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const inJson = text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
  return orNull(() => JSON.parse(`"${inJson}"`) as string) ?? text;
}
