/** Tells an agent of work for it when its hook has opened the whole workspace, or has come to a server. */
import type { AgentSession } from '../../domain/agent-session.ts';
import type { HookCall } from '../../agents/agent-host.ts';
import { isBusyTurn, wakeMoment } from '../../agents/wake-hook.ts';
import { cachedConfiguration } from '../../workspace/configuration-cache.ts';
import { databaseOfWorkspace } from '../../workspace/database-address.ts';
import type { OpenWorkspace } from '../../workspace/opened-workspace.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { lookForWork, type WakeRequest } from './wake-look.ts';

/** What the agent's program is told; null: nothing. */
export async function wakeByHook(
  { ctx, configuration }: Pick<OpenWorkspace, 'ctx' | 'configuration'>,
  workspace: Workspace,
  request: WakeRequest,
): Promise<object | null> {
  const isElsewhere = (process.env['BATON_DATABASE'] ?? '') !== '';
  const database = isElsewhere ? null : databaseOfWorkspace(workspace, (await cachedConfiguration(workspace)).text);
  return lookForWork({ store: ctx.store, database, hooks: configuration.wake.hooks }, workspace, request);
}

/** The same for an agent that posts its hooks to a server. */
export async function wakeByPostedHook(
  app: Pick<OpenWorkspace, 'ctx' | 'configuration'>,
  workspace: Workspace,
  { id, persona }: Pick<AgentSession, 'id' | 'persona'>,
  { vendor, event, payload }: HookCall,
): Promise<object | null> {
  const moment = wakeMoment(vendor, event);
  if (moment === null || persona === null) return null;
  return wakeByHook(app, workspace, { vendor, agent: persona, moment, isBusy: isBusyTurn(payload), session: id });
}
