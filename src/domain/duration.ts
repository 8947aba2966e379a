export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const UNIT_MS = { ms: 1, s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const;

/** Durations as people write them: `90` and `90s` are seconds, `5m`, `2h`, `1d`; `250ms` for the short ones. */
const UNITS: Readonly<Record<string, number>> = { '': UNIT_MS.s, ...UNIT_MS };

export function durationRule(minSeconds: number, maxSeconds: number): string {
  return `seconds from ${minSeconds} to ${maxSeconds} with at most three decimals, or with a unit: 90s, 5m, 2h, 1d`;
}

/** Milliseconds; null where the text is no duration of whole milliseconds. */
export function readDuration(text: string): number | null {
  const found = /^\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|h|d|)\s*$/.exec(text);
  const [, amount = '', unit = ''] = found ?? [];
  if (found === null) return null;
  const exact = Number(amount) * (UNITS[unit] ?? Number.NaN);
  const ms = Math.round(exact);
  // 0.1 + 0.2 must not be refused; half a millisecond must.
  return Number.isSafeInteger(ms) && Math.abs(exact - ms) < 1e-6 ? ms : null;
}
