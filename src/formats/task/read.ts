/**
 * Reads a task file in either form: with front matter, or with lines like `status: Assigned` at its head. Reads only the
 * fields that are kept in sync.
 */
import { readEntries } from '../document/entries.ts';
import { placeAt } from '../document/front-matter.ts';

interface TaskRead {
  readonly form: 'front-matter' | 'bare';
  readonly title: string | null;
  readonly status: string | null;
  readonly owner: string | null;
}

interface TaskUnread {
  readonly line: number;
  readonly column: number;
  readonly says: string;
}

/** One `key: value` line of the bare form; offsets into the whole text. */
interface BareLine {
  readonly key: string;
  readonly value: string;
  readonly valueFrom: number;
  readonly valueTo: number;
  readonly lineTo: number;
}

const HEAD_LINES_MAX = 200;
const LINE_CHARS_MAX = 1_000;
/** A link has a colon as well, but is no field. */
const FIELD = /^([A-Za-z][A-Za-z0-9_ -]{0,59}?)[ \t]*:(?!\/\/)([ \t]*)(.*?)(?:[ \t]+#.*)?[ \t]*\r?$/;
/** Lines that may stand between fields: empty ones, headings, comments, continuations. */
const BETWEEN = /^\s*$|^#|^[ \t]+\S|^- /;

export function readTask(text: string): TaskRead | TaskUnread {
  if (/^\uFEFF?---[ \t]*\r?(?:\n|$)/.test(text)) {
    const { entries, problems } = readEntries(text);
    const [problem] = problems;
    if (problem !== undefined) return { line: problem.line, column: problem.column, says: problem.says };
    return taskIn('front-matter', (key) => {
      const value = entries.find((entry) => entry.key === key)?.value;
      return typeof value === 'string' ? value : null;
    });
  }
  const lines = bareLines(text);
  if (['status', 'owner', 'id'].some((key) => bareLine(lines, key) !== undefined)) {
    return taskIn('bare', (key) => bareLine(lines, key)?.value ?? null);
  }
  return { ...placeAt(text, 0), says: 'it has neither a front matter nor a line like "status: Assigned" at its head' };
}

function taskIn(form: TaskRead['form'], word: (key: string) => string | null): TaskRead {
  return { form, title: word('title'), status: word('status'), owner: word('owner') };
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
      const valueTo = valueFrom + value.length;
      found.push({ key: key.trim().toLowerCase(), value: plain, valueFrom, valueTo, lineTo });
    } else if (!BETWEEN.test(line)) break;
    at = lineTo;
  }
  return found;
}
