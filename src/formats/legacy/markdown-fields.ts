/** The fields of a markdown text: bold ones, header lines, bullets, tables, headings, and blocks of YAML or JSON. */
import { fencesIn } from './fences.ts';
import { jsonFields } from './json-fields.ts';
import { meaningsOf } from './keys.ts';
import { FIELDS_MAX } from './lines.ts';
import { plainText } from './plain-text.ts';
import type { Field, Form, ReadingProblem } from './legacy-reading.ts';
import { isRow, tableFields } from './tables.ts';
import { yamlFields, type Gathered } from './yaml-fields.ts';

export interface MarkdownFields extends Gathered {
  readonly title: Field | null;
  /** The line of the first section; the lines above it are the head of the document. */
  readonly headEnd: number;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.{0,1000})$/;
const MARKER = /^[ \t]*(?:>[ \t]*)*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?/;
const BOLD = /(\*\*|__)([^*_\n][^*\n]{0,80}?)(?:[ \t]*([:：])[ \t]*\1|\1[ \t]*([:：]))[ \t]*/g;
const PLAIN = /^([\p{L}_@][\p{L}\p{N} _/.()'’-]{0,48}?)[ \t]*(?::[ \t]+|：[ \t]*|:$)(.*)$/u;
const WORDS_MAX = 5;

/** `lines` are those of the whole file; reading starts at `from`. */
export function markdownFields(lines: readonly string[], from: number): MarkdownFields {
  const fields: Field[] = [];
  const problems: ReadingProblem[] = [];
  const { inside, blocks } = fencesIn(lines, from);
  let title: Field | null = null;
  let headEnd = lines.length + 1;
  for (let index = from; index < lines.length && fields.length < FIELDS_MAX; index += 1) {
    if (inside[index] === true) continue;
    const line = lines[index] ?? '';
    if (line === '') continue;
    const heading = line.includes('#') ? HEADING.exec(line) : null;
    if (heading !== null) {
      const said = plainText((heading[2] ?? '').replace(/ #{1,20}$/, ''));
      if (title === null && (heading[1] === '#' || fields.length === 0)) title = headed(said, index);
      else if (heading[1] !== '#') headEnd = Math.min(headEnd, index + 1);
      fields.push(...headingFields(said, lines, index, inside));
    } else if (isRow(line) && (index === from || !isRow(lines[index - 1] ?? ''))) {
      fields.push(...tableFields(lines, index));
    } else if (!isRow(line)) fields.push(...lineFields(line, lines, index));
  }
  for (const block of blocks) {
    const gathered = blockFields(block.text, block.word, block.line);
    fields.push(...gathered.fields);
    problems.push(...gathered.problems);
  }
  return { fields: fields.slice(0, FIELDS_MAX), problems, title, headEnd };
}

function headed(text: string, index: number): Field {
  return { key: 'title', path: 'title', text, line: index + 1, form: 'heading' };
}

function lineFields(line: string, lines: readonly string[], index: number): readonly Field[] {
  const marker = MARKER.exec(line)?.[0] ?? '';
  const rest = inMarkdown(line.slice(marker.length));
  const bold = rest.includes('**') || rest.includes('__') ? boldFields(rest, index) : [];
  if (bold.length > 0) return bold.map((field) => (field.text === '' ? continued(field, lines, index) : field));
  const plain = PLAIN.exec(rest);
  if (plain === null || (plain[1] ?? '').split(' ').length > WORDS_MAX) return [];
  const isBullet = /[-*+•\d]/.test(marker);
  const key = (plain[1] ?? '').trim();
  const said = plainText(plain[2] ?? '');
  // A bare "Key:" in prose opens a list or a sentence; only a bullet may have its value below.
  if (said === '' && !isBullet) return [];
  const field = fieldOf(key, said, index, isBullet ? 'bullets' : 'header-lines');
  return [said === '' ? continued(field, lines, index) : field];
}

/** Removes marks around keys: italics, code, pictures, HTML and comments. */
function inMarkdown(text: string): string {
  const open = text.startsWith('<!--') ? text.slice(4).trimStart() : text;
  const end = open.trimEnd();
  const bare = end.endsWith('-->') ? end.slice(0, -3).trimEnd() : end;
  const plain = bare.includes('<') ? bare.replace(/<\/?(?:b|strong|i|em)>/gi, '**').replace(/<br ?\/?>/gi, '') : bare;
  return plain.replace(PICTURE, '').replace(LIGHT_KEY, '**$2:** ');
}

const PICTURE = /^(?:\p{Extended_Pictographic}[\uFE0F\u200D]*)+[ \t]*/u;
const LIGHT_KEY = /^([*_`])([^*_`\n:：]{1,60})(?:[:：]\1|\1[ \t]*[:：])[ \t]*/;

function boldFields(text: string, index: number): readonly Field[] {
  const found = [...text.matchAll(BOLD)].slice(0, FIELDS_MAX);
  // Bold words in the middle of a sentence are no fields, unless the line is a row of them.
  if (found[0] === undefined || found[0].index > 3) return [];
  return found.map((each, position) => {
    const end = found[position + 1]?.index ?? text.length;
    const said = text
      .slice(each.index + each[0].length, end)
      .trimEnd()
      .replace(/[|·•,;]$/, '');
    return fieldOf(plainText(each[2] ?? ''), plainText(said), index, 'bold-fields');
  });
}

/** Takes the value from the line below the key, when that line clearly belongs to it. */
function continued(field: Field, lines: readonly string[], index: number): Field {
  const below = lines[index + 1] ?? '';
  const isOther = /^[ \t]*(?:[-*+•#|>`~]|\d+[.)][ \t]|$)/.test(below);
  const belongs = field.form === 'bold-fields' ? below.length < 200 : /^[ \t]+\S/.test(below);
  return belongs && (!isOther || /^[ \t]+`[^`]/.test(below)) ? { ...field, text: plainText(below) } : field;
}

/** `## From: Grok`, or a heading that is a key with its value below. */
function headingFields(
  said: string,
  lines: readonly string[],
  index: number,
  inside: readonly boolean[],
): readonly Field[] {
  const pair = /^([\p{L}][\p{L}\p{N} _-]{0,40})[:：][ \t]*(.+)$/u.exec(said);
  if (pair !== null) return [fieldOf(pair[1] ?? '', plainText(pair[2] ?? ''), index, 'heading')];
  if (!meaningsOf(said).some(({ role, how }) => how !== 'near' && role !== 'title')) return [];
  for (let next = index + 1; next < Math.min(lines.length, index + 4); next += 1) {
    const line = lines[next] ?? '';
    if (line.trim() === '') continue;
    if (inside[next] === true || HEADING.test(line) || isRow(line)) return [];
    const text = plainText(line.slice((MARKER.exec(line)?.[0] ?? '').length));
    if (text === '' || text.length > 200 || PLAIN.test(text) || text.startsWith('**')) return [];
    return [{ ...fieldOf(said, text, index, 'heading'), line: next + 1 }];
  }
  return [];
}

/** Reads a block only where it is a handoff; other code is skipped. */
function blockFields(text: string, word: string, line: number): Gathered {
  const none: Gathered = { fields: [], problems: [] };
  const isJson = /^json/i.test(word) || /^\s*\{/.test(text);
  const isYaml = /^ya?ml/i.test(word) || (word === '' && /^\s*(?:handoff|handover|handback):/m.test(text));
  if (!isJson && !isYaml) return none;
  const read = isJson ? jsonFields(text) : yamlFields(text, line, 'yaml-block');
  const placed = isJson
    ? read.fields.map((each): Field => ({ ...each, line: each.line + line - 1, form: 'yaml-block' }))
    : read.fields;
  const speaks = placed.some(({ path }) => /^(?:handoff|handover|handback)\b/i.test(path));
  const roles = new Set(
    placed.flatMap(({ key }) => meaningsOf(key).filter(({ how }) => how === 'plain')).map(({ role }) => role),
  );
  if (!speaks && !(roles.has('from') && roles.has('to'))) return none;
  const moved = read.problems.map((each) => (isJson ? { ...each, line: each.line + line - 1 } : each));
  return { fields: placed, problems: moved };
}

function fieldOf(key: string, text: string, index: number, form: Form): Field {
  return { key, path: key, text, line: index + 1, form };
}
