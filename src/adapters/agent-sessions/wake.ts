/** Finds work for an agent beside its hooks, and tells one whose hook has come to a server. */
import type { AgentSession } from '../../domain/agent-session.ts';
import type { HookCall } from '../../agents/agent-host.ts';
import type { WakeRequest } from '../../agents/journal/announce-work.ts';
import { hookAgent, isBusyTurn, ownSession, wakeMoment } from '../../agents/wake-hook.ts';
import { lookInto } from '../../stores/look-store.ts';
import { cachedConfiguration } from '../../workspace/configuration-cache.ts';
import { databaseOfWorkspace } from '../../workspace/database-address.ts';
import type { OpenWorkspace } from '../../workspace/opened-workspace.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { keepLook, lookForWork, type WakeSource } from './wake-look.ts';

/** In whose name a hook speaks here; null: in nobody's. */
export function hookSpeaker(
  vendor: string,
  { folder }: Pick<Workspace, 'folder'>,
): Pick<WakeRequest, 'agent' | 'session'> | null {
  const agent = hookAgent(vendor, folder);
  return agent === null ? null : { agent, session: ownSession() };
}

/** Finds work for an agent whose hook did not wait for it: the next one tells it. */
export async function lookBesideHook(
  app: Pick<OpenWorkspace, 'ctx' | 'configuration'>,
  workspace: Workspace,
  request: Pick<WakeRequest, 'agent' | 'session'>,
): Promise<void> {
  await keepLook(await sourceOf(app, workspace), workspace, request);
}

async function sourceOf(
  { ctx, configuration }: Pick<OpenWorkspace, 'ctx' | 'configuration'>,
  workspace: Workspace,
): Promise<WakeSource> {
  const isElsewhere = (process.env['BATON_DATABASE'] ?? '') !== '';
  const database = isElsewhere ? null : databaseOfWorkspace(workspace, (await cachedConfiguration(workspace)).text);
  return { store: lookInto(ctx.store), database, hooks: configuration.wake.hooks };
}

/** What an agent that posts its hooks to a server is told; null: nothing. */
export async function wakeByPostedHook(
  app: Pick<OpenWorkspace, 'ctx' | 'configuration'>,
  workspace: Workspace,
  { id, persona }: Pick<AgentSession, 'id' | 'persona'>,
  { vendor, event, payload }: HookCall,
): Promise<object | null> {
  const moment = wakeMoment(vendor, event);
  if (moment === null || persona === null) return null;
  const request = { vendor, agent: persona, moment, isBusy: isBusyTurn(payload), session: id };
  return lookForWork(await sourceOf(app, workspace), workspace, request);
}
