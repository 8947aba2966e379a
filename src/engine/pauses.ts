/** A paused agent gets nothing new: claims and workers wait. It may finish what it holds. */
import { err, ok, type Result } from '../foundation/result.ts';
import type { AgentId } from '../domain/names.ts';
import type { Principal } from '../domain/principal.ts';
import type { Refusal } from '../domain/refusals.ts';
import type { PauseRecord } from '../stores/store.ts';
import type { Context } from './context.ts';
import { nameInLog } from './handoffs/revoke-token.ts';

export type PauseRefusal =
  | Extract<Refusal, { readonly code: 'agent-paused' }>
  | { readonly code: 'not-paused'; readonly agent: AgentId };

export async function pauseAgent(
  { store }: Context,
  principal: Principal,
  { agent, reason = null }: { readonly agent: AgentId; readonly reason?: string | null },
): Promise<Result<PauseRecord, PauseRefusal>> {
  const pause = await store.pauses.begin({ agent, by: nameInLog(principal), reason });
  return pause === null ? err({ code: 'agent-paused', agent }) : ok(pause);
}

export async function resumeAgent(
  { store }: Context,
  principal: Principal,
  agent: AgentId,
): Promise<Result<PauseRecord, PauseRefusal>> {
  const pause = await store.pauses.end(agent, nameInLog(principal));
  return pause === null ? err({ code: 'not-paused', agent }) : ok(pause);
}

/** The operator sees all pauses, an agent its own. */
export async function pausesFor(
  { store }: Context,
  principal: Principal,
  max: number,
): Promise<readonly PauseRecord[]> {
  const all = await store.pauses.list(max);
  if (principal.kind === 'operator') return all;
  return all.filter(({ agent }) => principal.kind === 'agent' && principal.agent === agent);
}

/** Null: the principal is not paused. */
export async function pausedRefusal({ store }: Context, principal: Principal): Promise<Refusal | null> {
  if (principal.kind !== 'agent' || !(await store.pauses.isPaused(principal.agent))) return null;
  return { code: 'agent-paused', agent: principal.agent };
}
