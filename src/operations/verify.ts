import { defined } from '../foundation/defined.ts';
import { err, ok, type Result } from '../foundation/result.ts';
import type { HandoffId } from '../domain/names.ts';
import type { Principal } from '../domain/principal.ts';
import { isHidden } from '../domain/rights.ts';
import type { Context } from '../engine/context.ts';
import { findHandoff } from '../engine/handoffs/find.ts';
import { reject } from '../engine/handoffs/reject-and-cancel.ts';
import { requestRework, verify as verifyHandoff, type CriterionCheck } from '../engine/handoffs/verify.ts';
import { flag, groupOrText, list, longText, required, text } from './field.ts';
import { defineMove, type OperationRefusal } from './operation.ts';

const criterionField = groupOrText(
  {
    criterion: required(text('The criterion, or a prefix that only one criterion has')),
    says: longText('How you know', { mayBeEmpty: true }),
  },
  { form: 'CRITERION=SAYS', read: (given) => ({ criterion: given }) },
  'A criterion that is met, and how you know',
);

export const verify = defineMove({
  name: 'verify',
  summary: 'Verify delivered work: agree that it is done, or refuse it',
  about: 'The evidence is checked again first.',
  example: "verify hoff-0190… --as @qa --check 'works on a phone=tried it'",
  input: {
    notes: longText('For the record'),
    criteria: list(criterionField, 'Criteria that are met, and how you know', { option: 'check' }),
    refuse: longText('Refuse the work, for this reason; without rework the handoff is rejected'),
    rework: flag('With refuse: send the work back to its doer'),
  },
  explicitAs: 'judge work',
  canBeStopped: true,
  check: ({ refuse: reason, rework, criteria }, nameOf) => {
    if (rework === true && reason === undefined) return `${nameOf('rework')} needs ${nameOf('refuse')} with the reason`;
    const excluded = reason !== undefined && criteria !== undefined && criteria.length > 0;
    return excluded ? `${nameOf('criteria')} and ${nameOf('refuse')} exclude each other` : null;
  },
  run: async (ctx, principal, { id, notes, criteria = [], refuse: reason, rework }, { signal }) => {
    if (reason !== undefined && rework === true) return requestRework(ctx, principal, id, reason);
    if (reason !== undefined) return reject(ctx, principal, id, { type: 'verification', reason });
    const met = criteria.length === 0 ? ok([]) : await matchedCriteria(ctx, principal, id, criteria);
    if (!met.ok) return met;
    return verifyHandoff(ctx, principal, { id, criteria: met.value, ...defined({ notes }) }, signal);
  },
});

/** The criteria that the caller named. A criterion may contain `=` itself, and a prefix is enough if only one criterion has it. */
async function matchedCriteria(
  ctx: Context,
  principal: Principal,
  id: HandoffId,
  given: readonly { readonly criterion: string; readonly says?: string }[],
): Promise<Result<readonly CriterionCheck[], OperationRefusal>> {
  const handoff = await findHandoff(ctx, id);
  if (handoff === null || isHidden(principal, handoff)) return err({ code: 'no-such-handoff', id });
  const known = handoff.terms.criteria;
  const met: CriterionCheck[] = [];
  for (const each of given) {
    const found = matchingCriterion(known, each.criterion, each.says);
    if (found === null) {
      const list = known.length === 0 ? 'it has none' : `there are: ${known.join(' · ')}`;
      const says = `${JSON.stringify(each.criterion)} names no one criterion of ${id}; ${list}`;
      return err({ code: 'bad-request', says });
    }
    met.push(found);
  }
  return ok(met);
}

function matchingCriterion(known: readonly string[], given: string, says: string | undefined): CriterionCheck | null {
  const exact = known.find((criterion) => given === criterion || given.startsWith(`${criterion}=`));
  if (exact !== undefined) return { criterion: exact, says: says ?? given.slice(exact.length + 1) };
  const [name = '', ...rest] = says === undefined ? given.split('=') : [given];
  const word = name.trim().toLowerCase();
  const alike = known.filter((criterion) => criterion.toLowerCase().startsWith(word));
  const [only] = alike;
  return only !== undefined && alike.length === 1 && word !== ''
    ? { criterion: only, says: says ?? rest.join('=') }
    : null;
}
