/** Wakes an idle agent by typing a line into its terminal, if the operator allows it. */
import type { AgentSession } from '../../domain/agent-session.ts';
import { wakeText } from '../../formats/wake-text.ts';
import { offerReaderOf } from '../../stores/offer-reader.ts';
import { unannouncedOf, workWaitingFor } from '../wake.ts';
import { activityOf, eventsOf, typeLine, type Drive } from './drive-agent.ts';

export async function wakeByTyping(drive: Drive, session: AgentSession): Promise<void> {
  const { ctx, runtime } = drive;
  const { persona, id } = session;
  if (persona === null || !(await isIdle(drive, session))) return;
  const { notes } = runtime.wake;
  const unannounced = unannouncedOf(notes, persona, (await workWaitingFor(offerReaderOf(ctx.store), persona)).ready);
  if (unannounced.length === 0) return;
  await runtime.journal.withLock(id, async () => {
    const newest = await ctx.store.agents.load(id);
    if (newest === null || newest.state !== 'active' || newest.succession !== null) return;
    const ids = unannounced.map((handoff) => handoff.id);
    const marked = new Set(notes.markAnnounced(persona, ids));
    const announced = unannounced.filter((handoff) => marked.has(handoff.id));
    if (announced.length === 0) return;
    let isTyped = false;
    const typed = await typeLine(drive, newest, {
      text: wakeText(persona, announced),
      mark: announced[0]?.id ?? '',
      mayBeTyped: false,
      beforeTyping: async () => {
        isTyped = true;
      },
      onDialog: async () => undefined,
      withinMs: 0,
    });
    // A line that may have been typed is not typed again. The next session announces the work.
    if (!typed.ok && !isTyped) notes.forget(persona, [...marked]);
  });
}

/** Whether the agent is idle for some time, by its own files or its hooks. If unknown, nothing is typed. */
async function isIdle(drive: Drive, session: AgentSession): Promise<boolean> {
  const events = await eventsOf(drive, session);
  const last = events.findLast(({ kind }) => kind !== 'compacting');
  if (last === undefined || drive.ctx.clock.nowMs() - last.at < drive.runtime.limits.idleMs) return false;
  const activity = await activityOf(drive, session);
  return activity === 'idle' || (activity === null && last.kind === 'turn-ended' && !last.background);
}
