/** The sender changes a draft. Its deadline stays. */
import { ok } from '../../foundation/result.ts';
import type { Handoff } from '../handoff.ts';
import { flawOfRecord, flawOfTerms, flawOfTexts, refuseValue } from '../record-values.ts';
import { step, type Moved } from './step.ts';

export type Revised = Partial<Pick<Handoff, 'title' | 'priority' | 'terms'>>;

export function revise(handoff: Handoff, revised: Revised): Moved {
  const moved = step(handoff, 'revise', handoff.since);
  if (!moved.ok) return moved;
  const next: Handoff = { ...moved.value, ...revised };
  const flaw = flawOfTerms(next.terms) ?? flawOfTexts(next) ?? flawOfRecord(next);
  return flaw === null ? ok(next) : refuseValue(flaw);
}
