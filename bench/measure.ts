/** Few numbers, honestly summed up. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** Ours against the best of `others`: above 1 is ahead, whether more or less is better. */
export function ratio(what: string, row: Readonly<Record<string, number>>, others: readonly string[]): string {
  const ours = row['baton'] ?? Number.NaN;
  const theirs = others.map((name) => row[name] ?? Number.NaN);
  const lessIsBetter = what.includes('ms');
  const best = lessIsBetter ? Math.min(...theirs) : Math.max(...theirs);
  return (lessIsBetter ? best / ours : ours / best).toFixed(2);
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return [line(head), ...rows.map(line)].join('\n');
}
