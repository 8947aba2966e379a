/** Audits completed handoffs: how far each is proven, why, and whether its evidence still holds. */
import { judgeCompletion, proofOf, proofText, type Judgement } from '../../domain/assurance.ts';
import { isErasure } from '../../domain/erasure.ts';
import type { Check } from '../../domain/evidence.ts';
import { detailIn } from '../../domain/fact-detail-text.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { allCopies } from '../transfer/all-copies.ts';
import type { Context } from '../context.ts';

export interface AuditedCompletion extends Judgement {
  readonly handoff: Handoff;
  /** The principal of the completing fact. */
  readonly by: string;
  readonly proof: string;
  /** The version of the policy in force. Null: the fact does not say. */
  readonly policy: number | null;
  /** Host and folder in which the evidence was checked. Null: it was not checked. */
  readonly where: string | null;
  /** The result of checking the evidence again. Null: not requested. */
  readonly today: readonly Check[] | null;
}

/** In order of creation. `recheck` checks the evidence again, which runs its commands. */
export async function* auditCompletions(
  ctx: Context,
  { recheck, signal }: { readonly recheck: boolean; readonly signal: AbortSignal },
): AsyncGenerator<AuditedCompletion> {
  for await (const { handoff, facts } of allCopies(ctx.store)) {
    if (signal.aborted) return;
    const last = facts.findLast((fact) => !isErasure(fact));
    if (handoff.state !== 'completed' || last === undefined) continue;
    const erasure = facts.findLast(isErasure);
    const isChecked = recheck && handoff.claims.length > 0;
    const today = isChecked ? await ctx.rules.evidence.check(handoff.claims, handoff, signal) : null;
    const judged = erasure === undefined ? judgeCompletion(handoff, last) : judgedBefore(handoff, erasure);
    yield { handoff, ...judged, ...aboutFact(last), today };
  }
}

/** After an erasure only the stored assurance is left. */
function judgedBefore(handoff: Handoff, { at, by }: Fact): Judgement {
  const because = `erased by ${by} at ${new Date(at).toISOString()}; how far it was proven before stays`;
  return { assurance: handoff.assurance ?? 'unverified', because };
}

function aboutFact(fact: Fact): Pick<AuditedCompletion, 'by' | 'proof' | 'policy' | 'where'> {
  const { policy, where } = detailIn(fact);
  return {
    by: fact.by,
    proof: proofText(proofOf(fact)),
    policy: typeof policy === 'number' ? policy : null,
    where: typeof where === 'string' ? where : null,
  };
}
