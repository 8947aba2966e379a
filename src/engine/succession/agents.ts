/** Starting and stopping agents by hand. */
import { newUuid } from '../../foundation/ids.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { FRESH_SESSION, type AdapterName, type AgentSession } from '../../domain/agent-session.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Context } from '../context.ts';
import { endSession } from './advance.ts';
import { paneFailure, waitFor } from './drive-agent.ts';
import { changeSession } from './sessions.ts';
import { conversationFor, launchSession, nameFor } from './successor.ts';
import { whyNotRunnable, type AgentRuntime } from './agent-runtime.ts';

export interface StartRequest {
  readonly persona: AgentId | null;
  readonly adapter: AdapterName;
  /** Empty: the program that the adapter is named after. */
  readonly command: readonly string[];
  readonly cwd: string;
}

export type StartRefusal = { readonly code: 'agent-not-started'; readonly says: string };

/** A program that ends within this time has not started. */
const SETTLE_MS = 500;

export async function startAgent(
  ctx: Context,
  runtime: AgentRuntime,
  { persona, adapter, command, cwd }: StartRequest,
  signal: AbortSignal,
): Promise<Result<AgentSession, StartRefusal>> {
  if (persona !== null && (await runtime.personaFiles.persona(persona)) === null) {
    return err(notStarted(`there is no data/personas/${persona}/skill.md, which says who the agent is`));
  }
  const program = command.length === 0 ? (runtime.settings.commands.get(adapter) ?? []) : command;
  const unable = await whyNotRunnable(runtime, { adapter, command: program });
  if (unable !== null) return err(notStarted(`${unable.program}: ${unable.says}`));
  const at = ctx.store.nowMs();
  const key = newUuid(at, ctx.random);
  const session = await ctx.store.agents.add({
    ...FRESH_SESSION,
    key,
    persona,
    adapter,
    command: program,
    cwd,
    place: runtime.place,
    conversation: conversationFor(key),
    state: 'starting',
    startedAt: at,
  });
  const drive = { ctx, runtime, signal };
  const launched = await launchSession(drive, session, persona, nameFor(persona ?? 'agent', key), 'first');
  const { pane } = launched.ok ? launched.value : session;
  const broken =
    pane === null
      ? null
      : await waitFor(drive, SETTLE_MS, async () => paneFailure(await runtime.host.status(pane), session));
  if (launched.ok && broken === null) {
    const active = await changeSession(ctx, session.id, (newest) => ({ ...newest, state: 'active' }));
    if (active !== null) return ok(active);
  }
  const screen = pane === null ? '' : (await runtime.host.screen(pane)).trim();
  await endSession(ctx, runtime, session.id);
  const says = launched.ok ? (broken?.says ?? 'it is not on record') : launched.refusal;
  return err(notStarted(screen === '' ? says : `${says}: ${screen}`));
}

/** A session without a terminal: a person carries the lines. */
export async function adoptByHand(
  ctx: Context,
  runtime: AgentRuntime,
  persona: AgentId,
  cwd: string,
): Promise<AgentSession> {
  const at = ctx.store.nowMs();
  return ctx.store.agents.add({
    ...FRESH_SESSION,
    key: newUuid(at, ctx.random),
    persona,
    adapter: 'command',
    command: [],
    cwd,
    place: runtime.place,
    conversation: null,
    state: 'active',
    startedAt: at,
  });
}

function notStarted(says: string): StartRefusal {
  return { code: 'agent-not-started', says };
}
