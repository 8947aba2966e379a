/** Checks for work of an agent in the background of its hooks, and answers hooks that are posted to a server. */
import type { AgentSession } from '../../domain/agent-session.ts';
import type { HookCall } from '../../agents/agent-host.ts';
import type { WakeRequest } from '../../agents/journal/announce-work.ts';
import { wakeMoment } from '../../agents/hook-events.ts';
import { hookAgent, isBusyTurn, ownSession } from '../../agents/wake-hook.ts';
import { offerReaderOf } from '../../stores/offer-reader.ts';
import { cachedConfiguration } from '../../workspace/configuration-cache.ts';
import { databaseOfWorkspace } from '../../workspace/database-address.ts';
import type { OpenWorkspace } from '../../workspace/opened-workspace.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { checkForWorkLater, checkForWork, type WakeSource } from './check-for-work.ts';

/** The agent and session of a hook; null: the hook belongs to no agent. */
export function agentOfHook(
  vendor: string,
  { folder }: Pick<Workspace, 'folder'>,
): Pick<WakeRequest, 'agent' | 'session'> | null {
  const agent = hookAgent(vendor, folder);
  return agent === null ? null : { agent, session: ownSession() };
}

/** Checks for work in the background; the next hook of the agent announces it. */
export async function checkForWorkInBackground(
  app: Pick<OpenWorkspace, 'ctx' | 'configuration'>,
  workspace: Workspace,
  request: Pick<WakeRequest, 'agent' | 'session'>,
): Promise<void> {
  await checkForWorkLater(await sourceOf(app, workspace), workspace, request);
}

async function sourceOf(
  { ctx, configuration }: Pick<OpenWorkspace, 'ctx' | 'configuration'>,
  workspace: Workspace,
): Promise<WakeSource> {
  const isElsewhere = (process.env['BATON_DATABASE'] ?? '') !== '';
  const database = isElsewhere ? null : databaseOfWorkspace(workspace, (await cachedConfiguration(workspace)).text);
  return { store: offerReaderOf(ctx.store), database, hooks: configuration.wake.hooks };
}

/** The answer to a hook that was posted to a server; null: nothing is announced. */
export async function answerPostedHook(
  app: Pick<OpenWorkspace, 'ctx' | 'configuration'>,
  workspace: Workspace,
  { id, persona }: Pick<AgentSession, 'id' | 'persona'>,
  { vendor, event, payload }: HookCall,
): Promise<object | null> {
  const moment = wakeMoment(vendor, event);
  if (moment === null || persona === null) return null;
  const request = { vendor, agent: persona, moment, isBusy: isBusyTurn(payload), session: id };
  return checkForWork(await sourceOf(app, workspace), workspace, request);
}
