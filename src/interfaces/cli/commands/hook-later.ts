/**
 * `baton hook --later`: does what hooks have postponed, so that their agents need not wait. It reads the spooled calls
 * in order, each in the name of its agent, and then looks for work where hooks cannot do that quickly. Several processes
 * may do this at once: reading a call twice changes nothing, and a file is removed only when its content is in the
 * database.
 */
import { messageOf } from '../../../foundation/error-message.ts';
import { existsSync } from 'node:fs';
import { dropOldDrafts, dropSpooled, storeAnswer } from '../../../adapters/agent-sessions/hook-spool.ts';
import {
  batonVariables,
  readSpooled,
  useHookEnvironment,
  spooledCalls,
} from '../../../adapters/agent-sessions/hook-spool.ts';
import { agentOfHook, checkForWorkInBackground } from '../../../adapters/agent-sessions/hook-announcements.ts';
import { postponeWorkCheck } from '../../../adapters/agent-sessions/check-for-work.ts';
import { agentPrincipal } from '../../../domain/principal.ts';
import { text, type HookPayload } from '../../../formats/agent-hook.ts';
import { readJson } from '../../../foundation/json.ts';
import { StoreFault } from '../../../foundation/store-fault.ts';
import { workspaceFor, type Workspace } from '../../../workspace/workspace.ts';
import { readLastMessage } from './hook.ts';
import { withWorkspace, type CommonOptions } from '../with-workspace.ts';
import type { Output } from '../output.ts';

/** A hook that spools another call starts a reader of its own. */
const CALLS_MAX = 1_000;

export async function hookLater(vendor: string, options: CommonOptions, output: Output): Promise<void> {
  const workspace = workspaceFor(options.workspace);
  const read = workspace === null ? { read: 0, kept: 0 } : await readSpool(workspace);
  if (workspace !== null && vendor !== '') await checkForWork(vendor.toLowerCase(), workspace);
  output.answer(read);
}

async function readSpool(workspace: Workspace): Promise<{ readonly read: number; readonly kept: number }> {
  const { privateFolder } = workspace;
  const own = batonVariables();
  const held = new Set<string>();
  let read = 0;
  try {
    for (const path of spooledCalls(privateFolder).slice(0, CALLS_MAX)) {
      const call = readSpooled(path);
      if (call === null) continue;
      const session = sessionIn(call.input);
      if (held.has(session)) continue;
      useHookEnvironment(call);
      try {
        const message = await readLastMessage(call, { workspace: workspace.folder }).catch(unlessUnreachable);
        if (message !== null && message !== '') storeAnswer(privateFolder, session, message);
        dropSpooled(path);
        read += 1;
      } catch (error) {
        // The call stays, and later calls of this session wait for it.
        held.add(session);
        storeAnswer(privateFolder, session, `not read yet: ${messageOf(error)}`);
      }
    }
  } finally {
    useHookEnvironment({ env: own });
  }
  dropOldDrafts(privateFolder, Date.now());
  return { read, kept: spooledCalls(privateFolder).length };
}

/** A refusal is final and reported; a fault of the database is tried again. */
function unlessUnreachable(error: unknown): string {
  if (error instanceof StoreFault) throw error;
  return messageOf(error);
}

function sessionIn(input: string): string {
  const given = readJson(input);
  return text((given.ok ? (given.value.value ?? {}) : {}) as HookPayload, 'session_id') ?? '';
}

async function checkForWork(vendor: string, workspace: Workspace): Promise<void> {
  const hookAgent = agentOfHook(vendor, workspace);
  if (hookAgent === null) return;
  const { agent } = hookAgent;
  const asking = { defaultPrincipal: agentPrincipal(agent), scope: 'read', onlyReads: true } as const;
  try {
    await withWorkspace({ workspace: workspace.folder }, asking, async (_ctx, _principal, app) => {
      await checkForWorkInBackground(app, workspace, hookAgent);
    });
  } catch {
    // The next turns of the agent must not start this look again and again.
    if (existsSync(workspace.privateFolder)) postponeWorkCheck(workspace.folder, agent);
  }
}
