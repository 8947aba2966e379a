/** Applies the steps that an edit on this machine requests. */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import type { Context } from '../context.ts';
import { accept } from '../handoffs/accept.ts';
import { activate } from '../handoffs/activate.ts';
import { block, unblock } from '../handoffs/block.ts';
import { deliver } from '../handoffs/deliver.ts';
import { cancel, reject } from '../handoffs/reject-and-cancel.ts';
import { release } from '../handoffs/release.ts';
import { revise } from '../handoffs/revise.ts';
import { verify } from '../handoffs/verify.ts';
import type { Writer } from './attribution.ts';
import { revisionOf, type CommittedStep } from './apply-commit.ts';
import type { Step } from './plan-edit.ts';
import { NOT_BY_HAND, type StepRefusal } from './step-refusal.ts';
import { attributeSteps } from './legal-change.ts';

/** An edit is a request like any other: steps before the first refusal stay applied. */
export async function applyEdit(
  ctx: Context,
  writer: Writer,
  handoff: Handoff,
  steps: readonly Step[],
): Promise<Result<Handoff, StepRefusal>> {
  const attributed = attributeSteps(ctx.rules, writer, handoff, steps);
  if (!attributed.ok) return err({ code: 'not-by-hand', says: attributed.refusal.says });
  let newest = handoff;
  for (const each of attributed.value) {
    const done = await applyStep(ctx, each, handoff);
    if (!done.ok) return done;
    newest = done.value;
    // If no verifier is required, delivering completes the handoff.
    if (isFinal(newest.state)) break;
  }
  return ok(newest);
}

async function applyStep(
  ctx: Context,
  { step, by }: CommittedStep,
  { id }: Handoff,
): Promise<Result<Handoff, StepRefusal>> {
  switch (step.do) {
    case 'revise':
      return revise(ctx, by, id, revisionOf(step.fields));
    case 'offer':
      return activate(ctx, by, id);
    case 'accept':
      return accept(ctx, by, id, step.notes === null ? {} : { notes: step.notes });
    case 'release':
      return release(ctx, by, id, null);
    case 'deliver':
      return deliver(ctx, by, {
        target: id,
        fence: null,
        result: null,
        evidence: step.shown.map(({ deliverable, kind, value }) => ({ deliverable, kind, value })),
      });
    case 'verify':
      return verify(ctx, by, {
        id,
        criteria: step.criteria,
        seen: step.seen,
        ...(step.notes === null ? {} : { notes: step.notes }),
      });
    case 'block':
      return block(ctx, by, id, null, step.question);
    case 'answer':
      return unblock(ctx, by, id, step.answer);
    case 'reject':
      return reject(ctx, by, id, { type: step.type, reason: step.reason });
    case 'cancel':
      return cancel(ctx, by, id, step.reason);
    case 'rework':
    case 'fail':
    case 'expire':
      return err({ code: 'not-by-hand', says: NOT_BY_HAND[step.do] });
  }
}
