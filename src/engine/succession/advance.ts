/**
 * Drives one succession to its end: takes the next step and records it. Every step can be repeated, so after a crash
 * another process continues with the first step that has no fact.
 */
import type { AgentSession } from '../../domain/agent-session.ts';
import { nextStep, type Step } from '../../domain/succession.ts';
import type { Context } from '../context.ts';
import { openHandoff } from './begin.ts';
import { DriveInterrupted, type Drive } from './drive-agent.ts';
import {
  checkSuccessor,
  instruct,
  recordDocument,
  retire,
  verifyDocument,
  type StepAnswer,
  type StepWork,
} from './outgoing.ts';
import { closeSuccession, failSuccession, markStep, loadProgress, SuccessionStopped } from './record.ts';
import { changeSession, endToken } from './sessions.ts';
import { acknowledge, inject, launchSession, nameFor, prime, startSuccessor } from './successor.ts';
import type { AgentRuntime, SuccessionFailure } from './agent-runtime.ts';

const WORK: Readonly<Record<Exclude<Step, 'begun'>, (work: StepWork) => Promise<StepAnswer>>> = {
  instructed: instruct,
  'document-verified': verifyDocument,
  recorded: recordDocument,
  'successor-checked': checkSuccessor,
  'outgoing-retired': retire,
  'successor-started': startSuccessor,
  primed: prime,
  injected: inject,
  acknowledged: acknowledge,
};

/** More than the number of steps. */
const ROUNDS_MAX = 40;

/** `elsewhere`: another process drives it. `over`: the agent has no succession under way. */
export async function advanceSuccession(
  ctx: Context,
  runtime: AgentRuntime,
  agent: number,
  signal: AbortSignal,
): Promise<'over' | 'elsewhere' | 'interrupted'> {
  let end: 'over' | 'interrupted' = 'over';
  const isOurs = await runtime.journal.withLock(agent, async () => {
    try {
      await advance({ ctx, runtime, signal }, agent);
    } catch (error) {
      if (!(error instanceof DriveInterrupted)) throw error;
      end = 'interrupted';
    }
  });
  return isOurs ? end : 'elsewhere';
}

async function advance(drive: Drive, agent: number): Promise<void> {
  const { ctx, runtime } = drive;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const session = await ctx.store.agents.load(agent);
    const begun = session?.succession ?? null;
    if (session === null || begun === null) return;
    const seen = await loadProgress(ctx, begun.handoff);
    if (seen === null) {
      await openHandoff(ctx, runtime, session, begun);
      continue;
    }
    const step = nextStep(seen.done, begun.plan);
    if (seen.isOver || step === null || step === 'begun') {
      await runtime.journal.note(agent, null);
      await closeSuccession(ctx, agent, begun, step === null ? null : CANCELLED);
      return;
    }
    await takeStep({ ...drive, session, begun, seen }, step);
  }
  throw new Error(`the succession of agent ${agent} does not come to an end`);
}

const CANCELLED = { code: 'cancelled', says: 'somebody ended the handoff of this succession' };

async function takeStep(work: StepWork, step: Exclude<Step, 'begun'>): Promise<void> {
  const { ctx, runtime, session, begun } = work;
  try {
    const answer = await WORK[step](work);
    if (answer.ok) await markStep(ctx, session, begun.handoff, step, answer.value);
    else await fail(work, step, answer.refusal);
  } catch (error) {
    if (!(error instanceof SuccessionStopped)) throw error;
    await runtime.journal.note(session.id, null);
    await closeSuccession(ctx, session.id, begun, CANCELLED);
  }
}

/** If the predecessor was retired and there is no successor yet, the predecessor is resumed first. */
async function fail(work: StepWork, step: Step, failure: SuccessionFailure): Promise<void> {
  const { ctx, runtime, session, begun, seen } = work;
  await runtime.journal.note(session.id, null);
  const isAlone = seen.done.has('outgoing-retired') && !seen.done.has('injected');
  const revived = isAlone ? await revive(work) : null;
  await failSuccession(ctx, session, begun, step, {
    ...failure,
    todo: revived === null ? failure.todo : `${revived}; ${failure.todo}`,
  });
}

/** Ends the successor and resumes the predecessor's conversation. Returns what was done, in words. */
async function revive(work: StepWork): Promise<string> {
  const { ctx, runtime, session, begun, seen } = work;
  const successor = Number(seen.details['successor']);
  if (Number.isInteger(successor)) await endSession(ctx, runtime, successor);
  if (begun.plan === 'substitute') return `agent ${session.id} was stopped by its usage limit and is not started again`;
  const { persona } = session;
  const name = nameFor(persona ?? 'agent', `${begun.handoff} revived`);
  const again = await launchSession(work, session, persona, name, 'resume');
  if (!again.ok) return `agent ${session.id} was retired and could not be brought back (${again.refusal})`;
  await changeSession(ctx, session.id, (newest) => ({ ...newest, state: 'active', endedAt: null }));
  return `agent ${session.id} was brought back with its whole conversation`;
}

export async function endSession(ctx: Context, runtime: AgentRuntime, id: number): Promise<AgentSession | null> {
  const session = await ctx.store.agents.load(id);
  if (session === null) return null;
  if (session.pane !== null) {
    await runtime.host.end(session.pane, 'ask');
    await runtime.host.end(session.pane, 'hang-up');
  }
  await endToken(ctx, session);
  return changeSession(ctx, id, (newest) =>
    newest.state === 'retired' ? newest : { ...newest, state: 'ended', endedAt: ctx.store.nowMs() },
  );
}
