/** Figures of a section, as a table with ratios and as what was promised about them. */
import { tableOf } from './measure.ts';

export interface Figures {
  /** What → who → how much. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** What was promised, and whether it holds. */
  readonly pledges: readonly Pledge[];
  readonly notes?: readonly string[];
}

export interface Pledge {
  readonly says: string;
  readonly is: number;
  readonly kept: boolean;
}

export const atLeast = (says: string, is: number, bound: number): Pledge => ({
  says: `${says}: at least ${bound}`,
  is,
  kept: is >= bound,
});

export const atMost = (says: string, is: number, bound: number): Pledge => ({
  says: `${says}: at most ${bound}`,
  is,
  kept: is <= bound,
});

export function report(name: string, { rows, pledges, notes = [] }: Figures): string {
  const columns = [...new Set(Object.values(rows).flatMap((row) => Object.keys(row)))];
  const others = columns.includes('baton') ? columns.filter((column) => column !== 'baton') : [];
  const lines = Object.entries(rows).map(([what, row]) => [
    what,
    ...columns.map((column) => shown(row[column])),
    ...others.map((other) => shown(ratioOf(row, other))),
  ]);
  const head = [name, ...columns, ...others.map((other) => `baton / ${other}`)];
  return [
    tableOf(head, lines),
    ...pledges.map(({ says, is, kept }) => `${kept ? 'kept  ' : 'MISSED'}  ${says}; it is ${shown(is)}`),
    ...notes,
  ].join('\n');
}

export function ratioOf(row: Readonly<Record<string, number>> | undefined, other: string): number {
  return (row?.['baton'] ?? Number.NaN) / (row?.[other] ?? Number.NaN);
}

function shown(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '';
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
