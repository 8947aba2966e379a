/** Numbers as text, the same in every format. */
import type { Total } from '../../../domain/metrics.ts';
import {
  contradictionOf,
  standingOf,
  type Leg,
  type LegOutcome,
  type Standing,
} from '../../../domain/project-trail.ts';
import type { OpenLeg, PhaseFlow } from '../../../domain/workflow.ts';
import { shorten } from '../shorten.ts';

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** `3m 45s`: the two largest units. */
export function durationText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1_000) return `${whole}ms`;
  let rest = whole;
  const parts = UNITS.flatMap(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [`${count}${name}`];
  });
  return parts.slice(0, 2).join(' ');
}

export function percentText(share: number | null): string {
  if (share === null) return '–';
  // An incomplete share is never rounded up to 100 %.
  return `${share < 1 ? Math.min(99, Math.round(share * 100)) : 100} %`;
}

export const OUTCOME_TEXT = {
  complete: 'complete',
  failed: 'failed or blocked',
  unfinished: 'unfinished',
} as const satisfies Record<LegOutcome, string>;

export const STANDING_TEXT = {
  done: 'done',
  unproven: 'completed, but not proven as required',
  contradicted: 'completed, but contradicted',
  'passed-on': 'passed on after a failure',
  dropped: 'cancelled',
  failed: 'failed',
  stopped: 'stopped: too many hops',
  blocked: 'blocked',
  waiting: 'waits for other tasks',
  draft: 'a draft',
  offered: 'offered',
  working: 'being worked on',
} as const satisfies Record<Standing, string>;

/** The standing of a leg with its reason. */
export function standingText(leg: Leg): string {
  const standing = standingOf(leg);
  const { assurance, last, why } = leg;
  const reason =
    standing === 'contradicted'
      ? contradictionOf(last)
      : standing === 'unproven'
        ? `only ${assurance}`
        : (assurance ?? why);
  return `${STANDING_TEXT[standing]}${reason === null ? '' : ` (${reason})`}`;
}

/** The standing of a leg with a short reason, for tables. */
export function standingSummary({ standing, why }: Pick<OpenLeg, 'standing' | 'why'>): string {
  if (why === null) return STANDING_TEXT[standing];
  return `${STANDING_TEXT[standing]}: ${shorten(why, WHY_SHOWN)}`;
}

const WHY_SHOWN = 160;

export function phaseText({ phase }: Pick<PhaseFlow, 'phase'>): string {
  return phase ?? 'no phase';
}

/** The sum of a total, else its mean, else its texts. */
export function totalText({ kind, unit, sum, of, mean, times, texts }: Total): string {
  switch (kind) {
    case null:
    case 'text':
      return texts.join(', ');
    case 'percent':
      return `⌀ ${amountText(mean, '%')}`;
    case 'duration':
      return durationText(sum ?? 0);
    case 'count':
      return `${sum ?? 0}/${of ?? 0}`;
    case 'flag':
      return `${sum ?? 0} of ${times} true`;
    case 'number':
      return amountText(sum, unit);
  }
}

/** One value in the unit of the total. */
export function valueText(value: number | null, { kind, unit }: Total): string {
  if (value === null) return '–';
  if (kind === 'duration') return value < 0 ? `-${durationText(-value)}` : durationText(value);
  return amountText(value, kind === 'percent' ? '%' : unit);
}

export function changeText(total: Total): string {
  const { change } = total;
  if (change === null || total.times < 2) return '–';
  if (change === 0) return '→ 0';
  return change > 0 ? `↗ +${valueText(change, total)}` : `↘ ${valueText(change, total)}`;
}

function amountText(value: number | null, unit: string): string {
  if (value === null) return '–';
  const text = String(Math.round(value * 100) / 100);
  return unit === '' ? text : unit === '%' ? `${text}%` : `${text} ${unit}`;
}

/** The maximum of rows for people. The rest is counted. */
export const ROWS_MAX = 50;

export function leftOut(count: number): string | null {
  return count > ROWS_MAX ? `… and ${count - ROWS_MAX} more` : null;
}
