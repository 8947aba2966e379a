/** Tells an idle agent of work for it by a line in its terminal, where the operator allows that. */
import type { AgentSession } from '../../domain/agent-session.ts';
import { wakeText } from '../../formats/wake-text.ts';
import { lookInto } from '../../stores/look-store.ts';
import { untoldOf, workWaitingFor } from '../wake.ts';
import { activityOf, eventsOf, typeLine, type Drive } from './drive-agent.ts';

export async function wakeByTyping(drive: Drive, session: AgentSession): Promise<void> {
  const { ctx, runtime } = drive;
  const { persona, id } = session;
  if (persona === null || !(await isIdle(drive, session))) return;
  const { notes } = runtime.wake;
  const untold = untoldOf(notes, persona, (await workWaitingFor(lookInto(ctx.store), persona)).ready);
  if (untold.length === 0) return;
  await runtime.journal.alone(id, async () => {
    const newest = await ctx.store.agents.load(id);
    if (newest === null || newest.state !== 'active' || newest.succession !== null) return;
    const ids = untold.map((handoff) => handoff.id);
    const marked = new Set(notes.tell(persona, ids));
    const told = untold.filter((handoff) => marked.has(handoff.id));
    if (told.length === 0) return;
    let isTyped = false;
    const typed = await typeLine(drive, newest, {
      text: wakeText(persona, told),
      mark: told[0]?.id ?? '',
      mayBeThere: false,
      beforeTyping: async () => {
        isTyped = true;
      },
      onDialog: async () => undefined,
      withinMs: 0,
    });
    // A line that was begun is not typed again: what became of it is not known. The next session is told.
    if (!typed.ok && !isTyped) notes.forget(persona, [...marked]);
  });
}

/** By its own files or its hooks, and for a while: nothing is typed into a program of which nobody knows what it does. */
async function isIdle(drive: Drive, session: AgentSession): Promise<boolean> {
  const events = await eventsOf(drive, session);
  const last = events.findLast(({ kind }) => kind !== 'compacting');
  if (last === undefined || drive.ctx.clock.nowMs() - last.at < drive.runtime.limits.idleMs) return false;
  const activity = await activityOf(drive, session);
  return activity === 'idle' || (activity === null && last.kind === 'turn-ended' && !last.background);
}
