import { displayLine } from '../../foundation/display-text.ts';

/** Columns for people. A cell stays a cell, whatever others wrote into it. */
export function tableOf(head: readonly string[], given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(displayLine));
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** Coarse on purpose: whoever needs more takes the instant. */
export function ageOf(ms: number): string {
  const [name, size] = UNITS.find((unit) => ms >= unit[1]) ?? ['ms', 1];
  return `${Math.max(0, Math.floor(ms / size))} ${name}`;
}
