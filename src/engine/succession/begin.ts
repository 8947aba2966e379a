/**
 * Begins a succession. The agent's record decides whether one is already under way, so two concurrent triggers cannot both
 * begin. The handoff is opened afterwards, under an id that the record already contains.
 */
import { join } from 'node:path';
import { newUuid } from '../../foundation/ids.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { AgentSession, SuccessionBegun } from '../../domain/agent-session.ts';
import { accept } from '../../domain/moves/accept.ts';
import type { HandoffId } from '../../domain/names.ts';
import { agentPrincipal, OPERATOR, type Principal } from '../../domain/principal.ts';
import {
  documentName,
  mayBegin,
  type SuccessionPlan,
  type SuccessionReason,
  type TriggerRefusal,
} from '../../domain/succession.ts';
import { instructionText } from '../../formats/succession-note/write.ts';
import { decideBy } from '../change.ts';
import type { Context } from '../context.ts';
import { send } from '../handoffs/send.ts';
import { changeSession } from './sessions.ts';
import type { AgentRuntime } from './agent-runtime.ts';

export interface SuccessionRequest {
  readonly reason: SuccessionReason;
  readonly context: string | null;
  readonly plan?: SuccessionPlan;
}

/** Longer notes belong in a file. */
export const CONTEXT_MAX = 8_000;

export type BeginRefusal = TriggerRefusal | { readonly code: 'not-your-agent'; readonly id: number };

/** The operator may hand over every agent, an agent only sessions of its own persona. */
export async function beginSuccession(
  ctx: Context,
  runtime: Pick<AgentRuntime, 'personaFiles' | 'journal'>,
  principal: Principal,
  id: number,
  { reason, context, plan = 'usual' }: SuccessionRequest,
): Promise<Result<{ readonly session: AgentSession; readonly begun: SuccessionBegun }, BeginRefusal>> {
  const found = mayBegin(id, await ctx.store.agents.load(id), plan);
  if (!found.ok) return found;
  const { persona } = found.value;
  const isOwn = principal.kind === 'agent' && principal.agent === persona;
  if (!isOwn && principal.kind !== 'operator' && principal.kind !== 'system')
    return err({ code: 'not-your-agent', id });
  if (persona === null) return err({ code: 'agent-without-persona', id });
  const at = ctx.store.nowMs();
  const folder = await runtime.personaFiles.documentFolder(persona);
  const begun: SuccessionBegun = {
    handoff: `hoff-${newUuid(at, ctx.random)}` as HandoffId,
    reason,
    context: context === null || context.trim() === '' ? null : context.slice(0, CONTEXT_MAX),
    documentPath: join(folder, documentName(id, at)),
    at,
    plan,
  };
  let refusal: TriggerRefusal | null = null;
  const session = await changeSession(ctx, id, (newest) => {
    const still = mayBegin(id, newest, plan);
    refusal = still.ok ? null : still.refusal;
    return still.ok ? { ...newest, succession: begun } : null;
  });
  if (session === null) return err(refusal ?? { code: 'agent-not-found', id });
  await openHandoff(ctx, runtime, session, begun);
  return ok({ session, begun });
}

/** Can be repeated: an existing handoff is not opened again. */
export async function openHandoff(
  ctx: Context,
  runtime: Pick<AgentRuntime, 'personaFiles' | 'journal'>,
  session: AgentSession,
  begun: SuccessionBegun,
): Promise<void> {
  const { persona, id } = session;
  if (persona === null || (await ctx.store.load(begun.handoff)) !== null) return;
  await runtime.personaFiles.write(instructionPath(begun), instructionText({ ...begun, agent: id, persona }));
  if (begun.plan === 'usual')
    await runtime.journal.note(id, { handoff: begun.handoff, documentPath: begun.documentPath });
  const holder = agentPrincipal(persona);
  const sent = await send(ctx, OPERATOR, {
    id: begun.handoff,
    from: persona,
    to: persona,
    title: `Succession of agent ${id} (${persona}): ${begun.reason}`,
    input: {
      agent_id: id,
      reason: begun.reason,
      context: begun.context,
      file_path: begun.documentPath,
      created_at: new Date(begun.at).toISOString(),
    },
    // A person or an agent may take hours to answer; the limits of each step are those of the succession itself.
    terms: { attemptTimeoutMs: null },
    overLimits: true,
    isSuccession: true,
    // Accepted in the same transaction: it is never on offer, so no worker can claim it.
    onward: () =>
      decideBy(holder, 'accept', (handoff, nowMs) => ({
        moved: accept(handoff, { by: 'hand', holder: persona, untilAt: null }, nowMs),
        detail: { agent_id: id, plan: begun.plan },
      })),
  });
  if (!sent.ok && sent.refusal.code !== 'known-id') {
    throw new Error(`the succession of agent ${id} could not be recorded: ${sent.refusal.code}`);
  }
}

/** Beside the document, so that an agent that may write the document may read the instruction. */
export function instructionPath({ documentPath }: Pick<SuccessionBegun, 'documentPath'>): string {
  return documentPath.replace(/\.md$/, '.instruction.md');
}
