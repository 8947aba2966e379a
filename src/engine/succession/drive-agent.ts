/** One agent that is being driven: looks at it, and types into its terminal with care. */
import { err, ok, type Result } from '../../foundation/result.ts';
import { conversationIn, hasDialog, promptWith, transcriptIn, type AgentEvent } from '../../domain/agent-events.ts';
import type { AgentSession, Pane, SuccessionBegun } from '../../domain/agent-session.ts';
import { injectionLine } from '../../formats/succession-note/write.ts';
import { endText, type AgentActivity, type PaneSight, type Probe } from '../../agents/agent-host.ts';
import type { Context } from '../context.ts';
import type { AgentRuntime, SuccessionFailure } from './agent-runtime.ts';

export interface Drive {
  readonly ctx: Context;
  readonly runtime: AgentRuntime;
  readonly signal: AbortSignal;
}

/** Files and panes change by themselves: how often they are looked at while something is waited for. */
export const LOOK_MS = 100;
/** An Enter can be lost while a program starts or redraws. */
const ENTERS_MAX = 4;

/** The server stops, or another process drives on: what is done is on record, the rest is done later. */
export class DriveInterrupted extends Error {
  override readonly name = 'DriveInterrupted';
}

/**
 * Looks until there is an answer or the time is over; null: it is over. Times are measured by the monotonic clock, so a
 * wall clock that is set ends no wait.
 */
export async function waitFor<Answer>(
  { ctx, signal }: Drive,
  forMs: number,
  look: () => Promise<Answer | null>,
): Promise<Answer | null> {
  const endMs = ctx.clock.monotonicMs() + forMs;
  for (;;) {
    if (signal.aborted) throw new DriveInterrupted('the driving of agents was stopped');
    const answer = await look();
    if (answer !== null) return answer;
    if (ctx.clock.monotonicMs() >= endMs) return null;
    await ctx.timers.sleep(LOOK_MS, signal);
  }
}

/** The one line that tells a successor of its document. */
export function injectionFor(
  session: AgentSession,
  { handoff, documentPath, plan }: SuccessionBegun,
  sha256: string,
  drift: string | null,
): string {
  const [agent, persona] = [session.id, session.persona ?? ''];
  return injectionLine({ handoff, agent, persona, documentPath, sha256, substitute: plan === 'substitute', drift });
}

/** The events of its hooks, and those of the agent's own record where a hook was lost. */
export async function eventsOf({ runtime }: Drive, session: AgentSession): Promise<readonly AgentEvent[]> {
  const events = await runtime.journal.read(session.id);
  const recorded = await runtime.adapterOf(session.adapter).recorded(probeOf(runtime, session, events));
  return [...events, ...recorded].toSorted((a, b) => a.at - b.at);
}

export async function probe(runtime: AgentRuntime, session: AgentSession): Promise<Probe> {
  const events = await runtime.journal.read(session.id);
  return { ...probeOf(runtime, session, events), statusLine: await runtime.journal.statusLine(session.id) };
}

function probeOf(runtime: AgentRuntime, session: AgentSession, events: readonly AgentEvent[]): Probe {
  return {
    session: { ...session, conversation: conversationIn(events) ?? session.conversation },
    statusLine: null,
    transcript: transcriptIn(events),
    screen: async () => (session.pane === null ? '' : runtime.host.screen(session.pane)),
  };
}

/** The agent's own files first; where they do not say, what its hooks told last. */
export async function activityOf(drive: Drive, session: AgentSession): Promise<AgentActivity> {
  const told = await drive.runtime.adapterOf(session.adapter).activity(await probe(drive.runtime, session));
  if (told !== null) return told;
  return hasDialog(await eventsOf(drive, session)) ? 'dialog' : null;
}

/** Why nothing can be typed there; null: the agent runs. */
export function paneFailure(sight: PaneSight, { id }: AgentSession): SuccessionFailure | null {
  switch (sight.kind) {
    case 'alive':
      return null;
    case 'dead': {
      const says = `agent ${id} has ended (${endText(sight.status)})`;
      return { code: 'agent_died', says, todo: `look at its last words with: baton agent show ${id}` };
    }
    case 'gone': {
      const todo = 'start the persona again with: baton agent start';
      return { code: 'pane_gone', says: `the pane of agent ${id} is gone`, todo };
    }
    case 'changed': {
      const todo = 'nothing was typed there; start the persona again with: baton agent start';
      return { code: 'pane_changed', says: `agent ${id} no longer runs in its pane: ${sight.says}`, todo };
    }
    case 'no-host': {
      const todo = `see whether tmux is installed and running, then try again with: baton agent handoff ${id}`;
      return { code: 'host_failed', says: `tmux does not answer: ${sight.says}`, todo };
    }
  }
}

export interface Line {
  readonly text: string;
  /** A part of the text by which the agent's hooks are recognized to tell of this line and no other. */
  readonly mark: string;
  /** True: a process that has died since may have typed it already. */
  readonly mayBeThere: boolean;
  /** Called once before the first key is pressed. */
  readonly beforeTyping: () => Promise<void>;
  /** Called once when a dialog has been open for long. */
  readonly onDialog: (failure: SuccessionFailure) => Promise<void>;
  readonly withinMs: number;
}

/**
 * Types a line and sends it, once. An Enter into an open dialog would approve what the agent asks, so every key waits
 * until none is open. `confirmed`: the agent told that it took the line.
 */
export async function typeLine(
  drive: Drive,
  session: AgentSession,
  line: Line,
): Promise<Result<{ readonly confirmed: boolean }, SuccessionFailure>> {
  const { runtime } = drive;
  const { pane, id } = session;
  if (pane === null) {
    return err({ code: 'pane_gone', says: `agent ${id} has no pane`, todo: 'start it again with: baton agent start' });
  }
  const hasHooks = runtime.adapterOf(session.adapter).hasHooks || (await eventsOf(drive, session)).length > 0;
  const isThere = async (): Promise<true | null> =>
    promptWith(await eventsOf(drive, session), line.mark) === null ? null : true;
  if (line.mayBeThere) {
    if (!hasHooks) return ok({ confirmed: false });
    const sent = await sendTyped(drive, session, pane, line, isThere, 1);
    if (!sent.ok || sent.value) return sent.ok ? ok({ confirmed: true }) : sent;
  }
  const free = await untilNoDialog(drive, session, pane, line);
  if (!free.ok) return free;
  if (!line.mayBeThere) await line.beforeTyping();
  // What a person has begun to write would become a part of our line.
  const cleared = await runtime.host.press(pane, 'clear-line');
  const pasted = cleared.ok ? await runtime.host.paste(pane, line.text) : cleared;
  if (!pasted.ok) return err(hostFailure(pasted.refusal, session));
  if (!hasHooks) {
    const entered = await runtime.host.press(pane, 'enter');
    return entered.ok ? ok({ confirmed: false }) : err(hostFailure(entered.refusal, session));
  }
  const sent = await sendTyped(drive, session, pane, line, isThere, ENTERS_MAX);
  if (!sent.ok) return sent;
  if (sent.value) return ok({ confirmed: true });
  return err({
    code: 'not_delivered',
    says: `agent ${session.id} did not take the line that was typed into pane ${pane.pane}`,
    todo: `look at its terminal with: baton agent show ${session.id}; then try again`,
  });
}

/** Presses Enter until the agent says that it took the line; false: it never did. */
async function sendTyped(
  drive: Drive,
  session: AgentSession,
  pane: Pane,
  line: Line,
  isThere: () => Promise<true | null>,
  entersMax: number,
): Promise<Result<boolean, SuccessionFailure>> {
  if ((await isThere()) !== null) return ok(true);
  for (let enter = 0; enter < entersMax; enter += 1) {
    const free = await untilNoDialog(drive, session, pane, line);
    if (!free.ok) return free;
    if ((await isThere()) !== null) return ok(true);
    const pressed = await drive.runtime.host.press(pane, 'enter');
    if (!pressed.ok) return err(hostFailure(pressed.refusal, session));
    if ((await waitFor(drive, drive.runtime.limits.arrivalMs, isThere)) !== null) return ok(true);
  }
  return ok(false);
}

/** Waits while the agent asks its user something; the operator is told when that takes long. */
async function untilNoDialog(
  drive: Drive,
  session: AgentSession,
  pane: Pane,
  { withinMs, onDialog }: Line,
): Promise<Result<true, SuccessionFailure>> {
  const { runtime, ctx } = drive;
  const noticeAtMs = ctx.clock.monotonicMs() + runtime.limits.dialogNoticeMs;
  const failure: SuccessionFailure = {
    code: 'dialog_open',
    says: `agent ${session.id} waits for an answer in a dialog, and a key that is pressed now would give that answer`,
    todo: `answer it in its terminal (baton agent show ${session.id} says where); the handover goes on by itself`,
  };
  let isTold = false;
  const free = await waitFor<Result<true, SuccessionFailure>>(drive, withinMs, async () => {
    const broken = paneFailure(await runtime.host.look(pane), session);
    if (broken !== null) return err(broken);
    if ((await activityOf(drive, session)) !== 'dialog') return ok(true);
    if (!isTold && ctx.clock.monotonicMs() >= noticeAtMs) {
      isTold = true;
      await onDialog(failure);
    }
    return null;
  });
  return free ?? err(failure);
}

function hostFailure(
  { code, says }: { readonly code: 'pane_gone' | 'pane_changed' | 'host_failed'; readonly says: string },
  { id }: AgentSession,
): SuccessionFailure {
  return { code, says, todo: `see what became of it with: baton agent show ${id}` };
}
