/**
 * `baton hook --later`: does what hooks have left, so that their agents did not wait for it. Words that were kept are
 * read in the order in which they came, each in the name of the one who spoke; then work is looked for where the hooks
 * cannot do it quickly. Several of these may run at once: what was read before changes nothing, and a file goes only
 * when its words are in the database.
 */
import { messageOf } from '../../../foundation/error-message.ts';
import { existsSync } from 'node:fs';
import { dropOldDrafts, dropSpooled, leaveAnswer } from '../../../adapters/agent-sessions/hook-spool.ts';
import { batonVariables, readSpooled, speakAs, spooledCalls } from '../../../adapters/agent-sessions/hook-spool.ts';
import { hookSpeaker, lookBesideHook } from '../../../adapters/agent-sessions/wake.ts';
import { postponeLook } from '../../../adapters/agent-sessions/wake-look.ts';
import { agentPrincipal } from '../../../domain/principal.ts';
import { text, type HookPayload } from '../../../formats/agent-hook.ts';
import { readJson } from '../../../foundation/json.ts';
import { StoreFault } from '../../../foundation/store-fault.ts';
import { workspaceFor, type Workspace } from '../../../workspace/workspace.ts';
import { readWords } from './hook.ts';
import { withWorkspace, type CommonOptions } from '../with-workspace.ts';
import type { Output } from '../output.ts';

/** A new call may come while one is read; whoever brought it has started another of these. */
const CALLS_MAX = 1_000;

export async function hookLater(vendor: string, options: CommonOptions, output: Output): Promise<number> {
  const workspace = workspaceFor(options.workspace);
  const read = workspace === null ? { read: 0, kept: 0 } : await readSpool(workspace);
  if (workspace !== null && vendor !== '') await lookFor(vendor.toLowerCase(), workspace);
  output.answer(read);
  return 0;
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
      speakAs(call);
      try {
        const told = await readWords(call, { workspace: workspace.folder }).catch(unlessUnreachable);
        if (told !== null && told !== '') leaveAnswer(privateFolder, session, told);
        dropSpooled(path);
        read += 1;
      } catch (error) {
        // The words stay, and what this session said after them waits for its turn.
        held.add(session);
        leaveAnswer(privateFolder, session, `not read yet: ${messageOf(error)}`);
      }
    }
  } finally {
    speakAs({ env: own });
  }
  dropOldDrafts(privateFolder, Date.now());
  return { read, kept: spooledCalls(privateFolder).length };
}

/** What was refused is told and done with; what the database could not do is tried again. */
function unlessUnreachable(error: unknown): string {
  if (error instanceof StoreFault) throw error;
  return messageOf(error);
}

function sessionIn(input: string): string {
  const given = readJson(input);
  return text((given.ok ? (given.value.value ?? {}) : {}) as HookPayload, 'session_id') ?? '';
}

async function lookFor(vendor: string, workspace: Workspace): Promise<void> {
  const speaker = hookSpeaker(vendor, workspace);
  if (speaker === null) return;
  const { agent } = speaker;
  const asking = { otherwise: agentPrincipal(agent), scope: 'read', onlyReads: true } as const;
  try {
    await withWorkspace({ workspace: workspace.folder }, asking, async (_ctx, _principal, app) => {
      await lookBesideHook(app, workspace, speaker);
    });
  } catch {
    // Nobody is told anything now, and the next turns do not start this again and again.
    if (existsSync(workspace.privateFolder)) postponeLook(workspace.folder, agent);
  }
}
