/** Reports the figures of a section as a table, with the promised bounds. */
import { tableOf } from './measure.ts';

export interface Figures {
  /** What → who → how much. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** What was promised, and whether it holds. */
  readonly pledges: readonly Pledge[];
  readonly notes?: readonly string[];
  /** When, on what. */
  readonly conditions?: string;
}

export interface Pledge {
  readonly says: string;
  readonly is: number;
  /** Null: this machine cannot show it, for the reason that `says` ends with. */
  readonly kept: boolean | null;
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

/** One section: a table, and what was promised about it. */
export function report(name: string, { rows, pledges, notes = [] }: Figures): string {
  const columns = [...new Set(Object.values(rows).flatMap((row) => Object.keys(row)))];
  const lines = Object.entries(rows).map(([what, row]) => [what, ...columns.map((column) => shown(row[column]))]);
  return [
    tableOf([name, ...columns], lines),
    pledges.map(({ says, is, kept }) => `- ${verdict(kept)}: ${says}; it is ${shown(is)}`).join('\n'),
    ...notes,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function verdict(kept: boolean | null): string {
  if (kept === null) return 'not shown here';
  return kept ? 'kept' : '**MISSED**';
}

export function ratioOf(row: Readonly<Record<string, number>> | undefined, other: string): number {
  return (row?.['baton'] ?? Number.NaN) / (row?.[other] ?? Number.NaN);
}

/** Of all but Baton. */
export function bestOf(
  row: Readonly<Record<string, number>>,
  of: (...values: number[]) => number,
): { readonly name: string; readonly value: number } {
  const others = Object.entries(row).filter(([name]) => name !== 'baton');
  const value = of(...others.map(([, each]) => each));
  return { name: others.find(([, each]) => each === value)?.[0] ?? 'nobody', value };
}

export function shown(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '';
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2);
}
