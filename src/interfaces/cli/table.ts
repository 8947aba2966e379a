import { displayLine } from '../../foundation/display-text.ts';
import type { Output } from './output.ts';

/** A list: the view for programs, a table for people, and a remark where the list is empty. */
export function printTable(
  output: Output,
  view: unknown,
  [head, ...rows]: readonly [head: readonly string[], ...rows: (readonly string[])[]],
  empty: string,
): void {
  if (output.json) output.answer(view);
  else if (rows.length === 0) output.note(empty);
  else output.line(tableOf(head, rows));
}

interface TableOptions {
  /** A line below each row, indented; null: none. */
  readonly below?: readonly (string | null)[];
  /** The width of the terminal, at which lines are cut. Null: nothing is cut. */
  readonly width?: number | null;
  /** Leaves out columns without any text. */
  readonly omitsEmpty?: true;
}

/** A table for people. No text in a cell can break the table. */
export function tableOf(
  head: readonly string[],
  given: readonly (readonly string[])[],
  { below = [], width = null, omitsEmpty }: TableOptions = {},
): string {
  const isUsed = (_: string, column: number): boolean => omitsEmpty !== true || given.some((row) => row[column] !== '');
  const names = head.filter(isUsed);
  const rows = given.map((row) => row.filter(isUsed).map(displayLine));
  const widths = names.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const lines = rows.flatMap((row, at) => {
    const more = below[at] ?? null;
    return more === null ? [lineOf(row)] : [lineOf(row), `  ${displayLine(more)}`];
  });
  return [lineOf(names), ...lines].map((line) => cut(line, width)).join('\n');
}

function cut(line: string, width: number | null): string {
  if (width === null || line.length <= width) return line;
  // Half of a surrogate pair would be printed as an escape, which is longer.
  return `${line.slice(0, width - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** The exact duration in the largest unit that divides it. */
export function durationText(ms: number): string {
  const [name, size] = UNITS.find((unit) => ms % unit[1] === 0) ?? ['ms', 1];
  return `${ms / size} ${name}`;
}

/** A rough age. `--json` has the exact instant. */
export function ageOf(ms: number): string {
  const [name, size] = UNITS.find((unit) => ms >= unit[1]) ?? ['ms', 1];
  return `${Math.max(0, Math.floor(ms / size))} ${name}`;
}
