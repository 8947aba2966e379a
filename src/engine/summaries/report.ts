/** What a summary does to its own leg, as one decision: whoever reports on a leg has taken it up before. */
import type { JsonObject, JsonText } from '../../foundation/json.ts';
import { err, ok } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import { appendFact } from '../../domain/facts.ts';
import type { Failure, Handoff } from '../../domain/handoff.ts';
import { accept } from '../../domain/moves/accept.ts';
import { block, unblock } from '../../domain/moves/block.ts';
import { deliver } from '../../domain/moves/deliver.ts';
import { giveUp, tryAgain } from '../../domain/moves/fail.ts';
import { offer } from '../../domain/moves/offer.ts';
import { progress } from '../../domain/moves/progress.ts';
import { principalText, SYSTEM, type Principal } from '../../domain/principal.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Summary } from '../../domain/summary.ts';
import { needsVerifier } from '../../domain/verification.ts';
import { andThen, decideBy, inOrder } from '../change.ts';
import { failureText, printable } from '../handoffs/failure-text.ts';
import { completeByRule } from '../handoffs/deliver.ts';

export interface Voice {
  readonly speaker: Principal;
  /** The acceptance that the speaker can show for a leg, if it is asked for one. */
  readonly fenceOf: (handoff: Handoff) => number | null;
}

export type Word =
  | { readonly say: 'complete' }
  | { readonly say: 'again'; readonly why: string | null }
  | { readonly say: 'failed'; readonly why: string | null }
  | { readonly say: 'progress' }
  | { readonly say: 'blocked'; readonly on: string };

/** `detail` is what the one fact of this summary tells. */
export function decideReport(voice: Voice, summary: Summary, word: Word, detail: JsonObject): Decide {
  return (handoff, nowMs) => {
    const source = isAtWork(handoff) ? null : 'a summary';
    return inOrder([...stepsToHave(voice, handoff), decideWord(voice, summary, word, detail, source)])(handoff, nowMs);
  };
}

/** Decided over this revision and no other: what was looked at before still holds. */
export function asSeen({ revision }: Handoff, decide: Decide): Decide {
  return (handoff, nowMs) =>
    handoff.revision === revision ? decide(handoff, nowMs) : err({ code: 'contended', id: handoff.id });
}

function stepsToHave({ speaker }: Voice, { state }: Handoff): readonly Decide[] {
  const taken = decideBy(speaker, 'accept', (handoff, nowMs) => ({
    deed: 'accept',
    // For as long as it takes: an agent that writes summaries does not come back to renew.
    moved: accept(handoff, { by: 'hand', holder: handoff.to, untilAt: null }, nowMs),
  }));
  switch (state) {
    case 'draft':
      return [offeredByRule, taken];
    case 'offered':
      return [taken];
    case 'blocked':
      return [
        decideBy(speaker, 'unblock', (handoff, nowMs) => ({ deed: 'unblock', moved: unblock(handoff, nowMs) })),
        taken,
      ];
    default:
      return [];
  }
}

/** Its sender meant it to be done, and its recipient does it. */
const offeredByRule: Decide = (handoff, nowMs) => {
  const moved = offer(handoff, nowMs);
  if (!moved.ok) return moved;
  const seen = appendFact(handoff, moved.value, 'offer', principalText(SYSTEM), nowMs, { reason: 'it has been begun' });
  return ok({ handoff: seen.handoff, facts: [seen.fact] });
};

/** A worker of ours or somebody with a lease has it: the summary is not the only thing that is known of the work. */
function isAtWork({ state, custody }: Handoff): boolean {
  return state === 'accepted' && (custody?.by === 'process' || (custody?.untilAt ?? null) !== null);
}

/** `source`: what a completion would be known from alone; null: the work was seen. */
function decideWord(
  { speaker, fenceOf }: Voice,
  summary: Summary,
  word: Word,
  detail: JsonObject,
  source: string | null,
): Decide {
  switch (word.say) {
    case 'complete': {
      const delivered = decideBy(speaker, 'deliver', (handoff, nowMs) => ({
        deed: 'deliver',
        moved: deliver(handoff, { fence: fenceOf(handoff), claims: [], checks: [] }, nowMs),
        detail,
        outcome: resultText(summary),
      }));
      return andThen(delivered, (handoff) => !needsVerifier(handoff), completeByRule(source));
    }
    case 'again':
      return decideBy(speaker, 'fail', (handoff, nowMs) => ({
        deed: 'retry',
        moved: tryAgain(handoff, fenceOf(handoff), nowMs),
        detail,
        outcome: failureText(failureOf(summary, word.why)),
      }));
    case 'failed':
      return decideBy(speaker, 'fail', (handoff, nowMs) => ({
        deed: 'fail',
        moved: giveUp(handoff, fenceOf(handoff), nowMs),
        detail,
        outcome: failureText(failureOf(summary, word.why)),
      }));
    case 'progress':
      return decideBy(speaker, 'progress', (handoff) => ({
        deed: 'progress',
        moved: progress(handoff, fenceOf(handoff)),
        detail,
      }));
    case 'blocked':
      return decideBy(speaker, 'block', (handoff, nowMs) => ({
        deed: 'block',
        moved: block(handoff, { reason: 'question', text: word.on }, fenceOf(handoff), nowMs),
        detail: { ...detail, question: word.on },
      }));
  }
}

function resultText({ phase, metrics, context }: Summary): JsonText {
  const outcome: Outcome = { kind: 'result', result: { phase, metrics, context } };
  return JSON.stringify(outcome) as JsonText;
}

const SAYS_MAX = 1_000;

function failureOf({ from, phase }: Summary, why: string | null): Failure {
  const where = phase === null ? '' : ` in ${phase}`;
  const more = why === null ? '' : `: ${why}`;
  return { code: 'PROCESSING_ERROR', message: printable(`@${from} reports a failure${where}${more}`, SAYS_MAX) };
}
