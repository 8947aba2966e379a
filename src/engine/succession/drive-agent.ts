/** Observes one agent, and types lines into its terminal. */
import { err, ok, type Result } from '../../foundation/result.ts';
import { conversationIn, hasDialog, promptWith, transcriptIn, type AgentEvent } from '../../domain/agent-events.ts';
import type { AgentSession, Pane, SuccessionBegun } from '../../domain/agent-session.ts';
import { injectionLine } from '../../formats/succession-note/write.ts';
import { endText, type AgentActivity, type PaneStatus, type Probe } from '../../agents/agent-host.ts';
import type { Context } from '../context.ts';
import type { AgentRuntime, SuccessionFailure } from './agent-runtime.ts';

export interface Drive {
  readonly ctx: Context;
  readonly runtime: AgentRuntime;
  readonly signal: AbortSignal;
}

/** How often files and panes are polled. */
export const POLL_MS = 100;
/** An Enter can be lost while a program starts or redraws. */
const ENTERS_MAX = 4;

/** The server stops. The finished steps are recorded, and the rest is done later. */
export class DriveInterrupted extends Error {
  override readonly name = 'DriveInterrupted';
}

/**
 * Polls until there is an answer; null: timeout. Uses the monotonic clock, so setting the wall clock does not end the wait.
 */
export async function waitFor<Answer>(
  { ctx, signal }: Drive,
  forMs: number,
  poll: () => Promise<Answer | null>,
): Promise<Answer | null> {
  const endMs = ctx.clock.monotonicMs() + forMs;
  for (;;) {
    if (signal.aborted) throw new DriveInterrupted('the driving of agents was stopped');
    const answer = await poll();
    if (answer !== null) return answer;
    if (ctx.clock.monotonicMs() >= endMs) return null;
    await ctx.timers.sleep(POLL_MS, signal);
  }
}

/** The line that points a successor to its document. */
export function injectionFor(
  session: AgentSession,
  { handoff, documentPath, plan }: SuccessionBegun,
  sha256: string,
  drift: string | null,
): string {
  const [agent, persona] = [session.id, session.persona ?? ''];
  return injectionLine({ handoff, agent, persona, documentPath, sha256, substitute: plan === 'substitute', drift });
}

/** The events of the agent's hooks, and those of its own record in case a hook was lost. */
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

/** From the agent's own files; otherwise from its last hook event. */
export async function activityOf(drive: Drive, session: AgentSession): Promise<AgentActivity> {
  const activity = await drive.runtime.adapterOf(session.adapter).activity(await probe(drive.runtime, session));
  if (activity !== null) return activity;
  return hasDialog(await eventsOf(drive, session)) ? 'dialog' : null;
}

/** Why the pane cannot be used; null: the agent runs. */
export function paneFailure(sight: PaneStatus, { id }: AgentSession): SuccessionFailure | null {
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
  /** A part of the text that identifies this line in the agent's hook events. */
  readonly mark: string;
  /** A process that has ended since may already have typed the line. */
  readonly mayBeTyped: boolean;
  /** Called once before the first key is pressed. */
  readonly beforeTyping: () => Promise<void>;
  /** Called once when a dialog has been open for long. */
  readonly onDialog: (failure: SuccessionFailure) => Promise<void>;
  readonly withinMs: number;
}

/**
 * Types a line and sends it, once. An Enter in an open dialog would approve what the agent asks, so no key is pressed while
 * a dialog is open. `confirmed`: a hook reported that the agent took the line.
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
  const isTaken = async (): Promise<true | null> =>
    promptWith(await eventsOf(drive, session), line.mark) === null ? null : true;
  if (line.mayBeTyped) {
    if (!hasHooks) return ok({ confirmed: false });
    const sent = await sendTyped(drive, session, pane, line, isTaken, 1);
    if (!sent.ok || sent.value) return sent.ok ? ok({ confirmed: true }) : sent;
  }
  const free = await waitForNoDialog(drive, session, pane, line);
  if (!free.ok) return free;
  if (!line.mayBeTyped) await line.beforeTyping();
  // A text that a person has begun would become part of our line.
  const cleared = await runtime.host.press(pane, 'clear-line');
  const pasted = cleared.ok ? await runtime.host.paste(pane, line.text) : cleared;
  if (!pasted.ok) return err(hostFailure(pasted.refusal, session));
  if (!hasHooks) {
    const entered = await runtime.host.press(pane, 'enter');
    return entered.ok ? ok({ confirmed: false }) : err(hostFailure(entered.refusal, session));
  }
  const sent = await sendTyped(drive, session, pane, line, isTaken, ENTERS_MAX);
  if (!sent.ok) return sent;
  if (sent.value) return ok({ confirmed: true });
  return err({
    code: 'not_delivered',
    says: `agent ${session.id} did not take the line that was typed into pane ${pane.pane}`,
    todo: `look at its terminal with: baton agent show ${session.id}; then try again`,
  });
}

/** Presses Enter until a hook reports the line; false: no hook did. */
async function sendTyped(
  drive: Drive,
  session: AgentSession,
  pane: Pane,
  line: Line,
  isTaken: () => Promise<true | null>,
  entersMax: number,
): Promise<Result<boolean, SuccessionFailure>> {
  if ((await isTaken()) !== null) return ok(true);
  for (let enter = 0; enter < entersMax; enter += 1) {
    const free = await waitForNoDialog(drive, session, pane, line);
    if (!free.ok) return free;
    if ((await isTaken()) !== null) return ok(true);
    const pressed = await drive.runtime.host.press(pane, 'enter');
    if (!pressed.ok) return err(hostFailure(pressed.refusal, session));
    if ((await waitFor(drive, drive.runtime.limits.arrivalMs, isTaken)) !== null) return ok(true);
  }
  return ok(false);
}

/** Waits while a dialog is open. The operator is notified if that takes long. */
async function waitForNoDialog(
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
  let isNotified = false;
  const free = await waitFor<Result<true, SuccessionFailure>>(drive, withinMs, async () => {
    const broken = paneFailure(await runtime.host.status(pane), session);
    if (broken !== null) return err(broken);
    if ((await activityOf(drive, session)) !== 'dialog') return ok(true);
    if (!isNotified && ctx.clock.monotonicMs() >= noticeAtMs) {
      isNotified = true;
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
