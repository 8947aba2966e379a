/** The words of a block, and the spellings that lenient reading accepts for them. */
import { PHASES, SUMMARY_STATUSES, type Phase, type SummaryStatus } from '../../domain/summary.ts';

/** The recipient of a block without a next agent. */
export const NOBODY = 'None';

/** Other spellings of the same word, never other words: "terminé" and "looks fine" are no status. */
const SPELLINGS: Readonly<Record<string, SummaryStatus>> = { completed: 'complete', inprogress: 'in_progress' };

export function isPhase(text: string): text is Phase {
  return (PHASES as readonly string[]).includes(text);
}

export function isStatus(text: string): text is SummaryStatus {
  return (SUMMARY_STATUSES as readonly string[]).includes(text);
}

/** The phase that differs only in letter case, or null. */
export function phaseLike(text: string): Phase | null {
  const wanted = text.trim().toLowerCase();
  return PHASES.find((phase) => phase.toLowerCase() === wanted) ?? null;
}

export function statusLike(text: string): SummaryStatus | null {
  const wanted = text
    .trim()
    .toLowerCase()
    .replaceAll(/[ _-]+/g, '_');
  if (isStatus(wanted)) return wanted;
  return Object.hasOwn(SPELLINGS, wanted) ? (SPELLINGS[wanted] ?? null) : null;
}

export function isNobodyLike(text: string): boolean {
  return ['', 'none', 'null', 'nobody', 'n/a', '-'].includes(text.trim().replace(/^@/, '').toLowerCase());
}
