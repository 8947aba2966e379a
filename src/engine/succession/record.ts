/** Reads and writes the steps of a succession in the trail of its handoff. */
import type { JsonObject } from '../../foundation/json.ts';
import type { AgentSession, SuccessionBegun } from '../../domain/agent-session.ts';
import type { Decide } from '../../domain/decision.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { deliver as delivered } from '../../domain/moves/deliver.ts';
import { failForGood } from '../../domain/moves/fail.ts';
import { progress as progressed } from '../../domain/moves/progress.ts';
import { complete } from '../../domain/moves/verify.ts';
import type { HandoffId } from '../../domain/names.ts';
import { agentPrincipal, OPERATOR, SYSTEM, type Principal } from '../../domain/principal.ts';
import { progressOf, type Step, type SuccessionProgress } from '../../domain/succession.ts';
import { change, changeBy, decideBy } from '../change.ts';
import type { Context } from '../context.ts';
import { failureText, resultText } from '../handoffs/failure-text.ts';
import { factsOf } from '../handoffs/read.ts';
import { changeSession } from './sessions.ts';
import type { SuccessionFailure } from './agent-runtime.ts';

export interface LoadedProgress extends SuccessionProgress {
  /** The handoff is settled: cancelled, or all steps are done. */
  readonly isOver: boolean;
}

/** Null: the handoff does not exist yet. */
export async function loadProgress(ctx: Context, handoff: HandoffId): Promise<LoadedProgress | null> {
  const whole = await ctx.store.load(handoff);
  if (whole === null) return null;
  return { ...progressOf(await factsOf(ctx, handoff)), isOver: isFinal(whole.handoff.state) };
}

/** Records that a step is done. The caller has checked that it is not recorded yet. */
export async function markStep(
  ctx: Context,
  { persona }: AgentSession,
  handoff: HandoffId,
  step: Step,
  detail: JsonObject,
): Promise<void> {
  if (persona === null) throw new Error('only a persona has successors');
  const written = await change(ctx, handoff, decideStepDone(agentPrincipal(persona), step, detail));
  if (!written.ok) throw new SuccessionStopped(`the handoff ${handoff} takes no further step: ${written.refusal.code}`);
}

function decideStepDone(holder: Principal, step: Step, result: JsonObject): Decide {
  const detail = { step, ...result };
  if (step === 'acknowledged') {
    return decideBy(SYSTEM, 'complete', (record, nowMs) => ({ moved: complete(record, nowMs), detail }));
  }
  if (step !== 'injected') return decideProgress(holder, detail);
  return decideBy(holder, 'deliver', (record, nowMs) => ({
    moved: delivered(record, { fence: null, claims: [], checks: [] }, nowMs),
    detail,
    outcome: resultText(result),
  }));
}

function decideProgress(holder: Principal, detail: JsonObject): Decide {
  return decideBy(holder, 'progress', (record) => ({ moved: progressed(record, null), detail }));
}

/** The handoff was cancelled or settled by another principal, so the succession ends. */
export class SuccessionStopped extends Error {
  override readonly name = 'SuccessionStopped';
}

/** Notifies the operator during a succession, by a fact in the trail. */
export async function notifyOperator(
  ctx: Context,
  { id, persona }: AgentSession,
  handoff: HandoffId,
  detail: JsonObject,
): Promise<void> {
  if (persona === null) return;
  await change(ctx, handoff, decideProgress(agentPrincipal(persona), { succession: { agent_id: id }, ...detail }));
}

/** The handoff fails for good; a new trigger begins a new one. */
export async function failSuccession(
  ctx: Context,
  { id }: AgentSession,
  begun: SuccessionBegun,
  step: Step,
  { code, says, todo }: SuccessionFailure,
): Promise<void> {
  const message = `${says}; ${todo}`;
  await changeBy(ctx, OPERATOR, begun.handoff, 'fail', (record, nowMs) => ({
    moved: failForGood(record, nowMs),
    detail: { code, message, succession: { agent_id: id, step } },
    outcome: failureText({ code, message }),
  }));
  await closeSuccession(ctx, id, begun, { code, says: message });
}

/** Clears the succession in the agent's record. */
export async function closeSuccession(
  ctx: Context,
  id: number,
  { handoff }: SuccessionBegun,
  error: { readonly code: string; readonly says: string } | null,
): Promise<void> {
  const at = ctx.store.nowMs();
  await changeSession(ctx, id, (session) =>
    session.succession?.handoff === handoff
      ? { ...session, succession: null, lastSuccession: { handoff, at, error } }
      : null,
  );
}
