/** Names of tasks: `BPRD-2026-0042`, or another pattern of the workspace. The file has `.md` behind it. */
import type { TaskId } from '../../domain/names.ts';

export interface TaskPattern {
  /** `YYYY` stands for the year and may be missing. */
  readonly before: string;
  readonly digits: number;
}

export const DEFAULT_TASK_PATTERN: TaskPattern = { before: 'BPRD-YYYY-', digits: 4 };
export const TASK_PATTERN_RULE =
  'letters, digits, "-", "_" and "." that end in a separator and a row of N, such as BPRD-YYYY-NNNN';
const TASK_EXTENSION = '.md';

export function readTaskPattern(text: string): TaskPattern | null {
  const found = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?[._-])(N{1,9})$/.exec(text);
  const [, before = '', number = ''] = found ?? [];
  return found === null || before.includes('..') ? null : { before, digits: number.length };
}

export function taskIdOf(pattern: TaskPattern, year: number, number: number): TaskId {
  const before = pattern.before.replaceAll('YYYY', String(year).padStart(4, '0'));
  return `${before}${String(number).padStart(pattern.digits, '0')}` as TaskId;
}

export function taskFileName(id: TaskId): string {
  return `${id}${TASK_EXTENSION}`;
}

/** The number of the task in this pattern and year; null: the file is none of these tasks. */
export function taskNumberIn(fileName: string, pattern: TaskPattern, year: number): number | null {
  const before = taskIdOf({ ...pattern, digits: 0 }, year, 0).slice(0, -1);
  if (!fileName.startsWith(before) || !fileName.endsWith(TASK_EXTENSION)) return null;
  const rest = fileName.slice(before.length, -TASK_EXTENSION.length);
  return new RegExp(`^\\d{${pattern.digits},15}$`).test(rest) ? Number(rest) : null;
}
