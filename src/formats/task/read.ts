/**
 * A task file in either of its forms: with a front matter, or with lines like `status: Assigned` at its head. Only the
 * few fields that we keep in step are understood; everything else is its writer's.
 */
import { readEntries } from '../document/entries.ts';
import { placeAt } from '../document/front-matter.ts';

export interface TaskRead {
  readonly form: 'front-matter' | 'bare';
  readonly title: string | null;
  readonly status: string | null;
  readonly owner: string | null;
}

export interface TaskUnread {
  readonly line: number;
  readonly column: number;
  readonly says: string;
}

/** One `key: value` line of the bare form; offsets into the whole text. */
export interface BareLine {
  readonly key: string;
  readonly value: string;
  readonly valueFrom: number;
  readonly valueTo: number;
  readonly lineTo: number;
}

const HEAD_LINES_MAX = 200;
const LINE_CHARS_MAX = 1_000;
/** A link has a colon as well, and is no field. */
const FIELD = /^([A-Za-z][A-Za-z0-9_ -]{0,59}?)[ \t]*:(?!\/\/)([ \t]*)(.*?)(?:[ \t]+#.*)?[ \t]*\r?$/;
/** What may stand between fields: nothing, a heading or remark, what belongs to the field above. */
const BETWEEN = /^\s*$|^#|^[ \t]+\S|^- /;

export function readTask(text: string): TaskRead | TaskUnread {
  if (/^\uFEFF?---[ \t]*\r?(?:\n|$)/.test(text)) {
    const { entries, problems } = readEntries(text);
    const [problem] = problems;
    if (problem !== undefined) return { line: problem.line, column: problem.column, says: problem.says };
    const word = (key: string): string | null => {
      const value = entries.find((entry) => entry.key === key)?.value ?? null;
      return typeof value === 'string' ? value : null;
    };
    return { form: 'front-matter', title: word('title'), status: word('status'), owner: word('owner') };
  }
  const lines = bareLines(text);
  const word = (key: string): string | null => bareLine(lines, key)?.value ?? null;
  if (word('status') !== null || word('owner') !== null || word('id') !== null) {
    return { form: 'bare', title: word('title'), status: word('status'), owner: word('owner') };
  }
  return { ...placeAt(text, 0), says: 'it has neither a front matter nor a line like "status: Assigned" at its head' };
}

export function bareLine(lines: readonly BareLine[], key: string): BareLine | undefined {
  return lines.find((line) => line.key === key);
}

/** Down to the first line that is neither a field nor something between fields. */
export function bareLines(text: string): readonly BareLine[] {
  const found: BareLine[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  for (let count = 0; count < HEAD_LINES_MAX && at < text.length; count += 1) {
    const end = text.indexOf('\n', at);
    const lineTo = end === -1 ? text.length : end + 1;
    const line = text.slice(at, end === -1 ? text.length : end);
    const field = line.length > LINE_CHARS_MAX ? null : FIELD.exec(line);
    if (field !== null) {
      const [, key = '', gap = '', value = ''] = field;
      const valueFrom = at + line.indexOf(':', key.length) + 1 + gap.length;
      const plain = /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
      found.push({
        key: key.trim().toLowerCase(),
        value: plain,
        valueFrom,
        valueTo: valueFrom + value.length,
        lineTo,
      });
    } else if (!BETWEEN.test(line)) break;
    at = lineTo;
  }
  return found;
}
