/** The decision for the leg that a summary reports on. A report implies that the agent has accepted the leg. */
import type { JsonObject } from '../../foundation/json.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Custody, Failure, Handoff } from '../../domain/handoff.ts';
import { accept } from '../../domain/moves/accept.ts';
import { block, unblock } from '../../domain/moves/block.ts';
import { deliver } from '../../domain/moves/deliver.ts';
import { giveUp, tryAgain } from '../../domain/moves/fail.ts';
import { offer } from '../../domain/moves/offer.ts';
import { progress } from '../../domain/moves/progress.ts';
import { principalText, SYSTEM, type Principal } from '../../domain/principal.ts';
import type { Summary } from '../../domain/summary.ts';
import { needsVerifier } from '../../domain/verification.ts';
import { andThen, decideBy, decideStep, inOrder } from '../change.ts';
import { failureText, printable, resultText } from '../handoffs/failure-text.ts';
import { completeByRule } from '../handoffs/deliver.ts';

export interface Reporter {
  readonly speaker: Principal;
  /** The fence that the speaker shows for a leg; null: none. */
  readonly fenceOf: (handoff: Handoff) => number | null;
}

export type LegReport =
  | { readonly kind: 'complete' }
  | { readonly kind: 'again' | 'failed'; readonly why: string | null }
  | { readonly kind: 'progress' }
  | { readonly kind: 'blocked'; readonly on: string };

/** `detail` of the fact that holds the summary. */
export function decideReport(reporter: Reporter, summary: Summary, report: LegReport, detail: JsonObject): Decide {
  return (handoff, nowMs) => {
    const source = isAtWork(handoff) ? null : 'a summary';
    return inOrder([...stepsToHold(reporter, handoff), decideLegReport(reporter, summary, report, detail, source)])(
      handoff,
      nowMs,
    );
  };
}

/** Without a lease, because an agent that only writes summaries does not renew. */
export function heldForEver({ to }: Handoff): Custody {
  return { by: 'hand', holder: to, untilAt: null };
}

/** The decisions after which the speaker holds the leg. */
function stepsToHold({ speaker }: Reporter, { state }: Handoff): readonly Decide[] {
  const taken = decideBy(speaker, 'accept', (handoff, nowMs) => ({
    moved: accept(handoff, heldForEver(handoff), nowMs),
  }));
  switch (state) {
    case 'draft':
      return [offeredByRule, taken];
    case 'offered':
      return [taken];
    case 'blocked':
      return [decideBy(speaker, 'unblock', (handoff, nowMs) => ({ moved: unblock(handoff, nowMs) })), taken];
    default:
      return [];
  }
}

/** Offers a draft whose recipient already works on it. */
const offeredByRule = decideStep(principalText(SYSTEM), 'offer', offer, { reason: 'it has been begun' });

/** Whether a worker session or a lease holds the leg, so that the summary is not the only evidence of the work. */
function isAtWork({ state, custody }: Handoff): boolean {
  return state === 'accepted' && (custody?.by === 'process' || (custody?.untilAt ?? null) !== null);
}

/** `source`: the only source of the completion; null: Baton has observed the work. */
function decideLegReport(
  { speaker, fenceOf }: Reporter,
  summary: Summary,
  report: LegReport,
  detail: JsonObject,
  source: string | null,
): Decide {
  switch (report.kind) {
    case 'complete': {
      const { phase, metrics, context } = summary;
      const outcome = resultText({ phase, metrics, context });
      const delivered = decideBy(speaker, 'deliver', (handoff, nowMs) => ({
        moved: deliver(handoff, { fence: fenceOf(handoff), claims: [], checks: [] }, nowMs),
        detail,
        outcome,
      }));
      return andThen(delivered, (handoff) => !needsVerifier(handoff), completeByRule(source));
    }
    case 'again':
    case 'failed': {
      const [deed, move] = report.kind === 'again' ? (['retry', tryAgain] as const) : (['fail', giveUp] as const);
      const outcome = failureText(failureOf(summary, report.why));
      return decideBy(speaker, 'fail', (handoff, nowMs) => ({
        deed,
        moved: move(handoff, fenceOf(handoff), nowMs),
        detail,
        outcome,
      }));
    }
    case 'progress':
      return decideBy(speaker, 'progress', (handoff) => ({ moved: progress(handoff, fenceOf(handoff)), detail }));
    case 'blocked':
      return decideBy(speaker, 'block', (handoff, nowMs) => ({
        moved: block(handoff, { reason: 'question', text: report.on }, fenceOf(handoff), nowMs),
        detail: { ...detail, question: report.on },
      }));
  }
}

const SAYS_MAX = 1_000;

function failureOf({ from, phase }: Summary, why: string | null): Failure {
  const where = phase === null ? '' : ` in ${phase}`;
  const more = why === null ? '' : `: ${why}`;
  return { code: 'PROCESSING_ERROR', message: printable(`@${from} reports a failure${where}${more}`, SAYS_MAX) };
}
