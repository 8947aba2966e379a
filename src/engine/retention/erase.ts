/** Erases the content of a finished handoff: title, input, context, result, evidence and the details of its facts. */
import type { JsonText } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import { ERASED_BODY, erasedRecord, erasureDetail, isErasure } from '../../domain/erasure.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { ROUNDS_MAX, type StoredHandoff } from '../../stores/store.ts';
import { atRevision, change, decideBy, previewDecision } from '../change.ts';
import type { Context } from '../context.ts';
import { factsOf } from '../handoffs/read.ts';

export async function erase(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  reason: string | null,
): Promise<Result<Handoff, Refusal>> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const whole = await ctx.store.load(id);
    if (whole === null) return err({ code: 'no-such-handoff', id });
    const { handoff } = whole;
    const facts = await factsOf(ctx, id);
    const decide = decideErasure(principal, whole, facts, reason);
    const allowed = await previewDecision(ctx, handoff, decide);
    if (!allowed.ok) return allowed;
    const last = facts.at(-1);
    // Erased already: a repeated call has the same answer.
    if (last !== undefined && isErasure(last)) return ok(handoff);
    const erased = await change(ctx, handoff, atRevision(handoff.revision, decide));
    if (erased.ok || erased.refusal.code !== 'contended') return erased;
  }
  return err({ code: 'contended', id });
}

function inGit({ id }: Handoff): Refusal {
  return { code: 'bad-value', field: 'id', given: id, allowed: 'a document keeps its text in git; take it out there' };
}

function decideErasure(
  principal: Principal,
  { outcome }: StoredHandoff,
  facts: readonly Fact[],
  reason: string | null,
): Decide {
  return decideBy(principal, 'erase', (handoff) => ({
    moved: handoff.kind === 'document' ? err(inGit(handoff)) : ok(erasedRecord(handoff)),
    detail: erasureDetail(facts, reason),
    body: ERASED_BODY,
    ...(outcome === null ? {} : { outcome: erasedOutcome(outcome) }),
  }));
}

/** Keeps the code of a failure: others may have acted on it. */
function erasedOutcome(outcome: JsonText): JsonText {
  const was = JSON.parse(outcome) as Outcome;
  const left: Outcome =
    was.kind === 'result' ? { kind: 'result', result: null } : { kind: 'failure', code: was.code, message: 'erased' };
  return JSON.stringify(left) as JsonText;
}
