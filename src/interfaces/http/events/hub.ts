/**
 * Follows the facts once for all listeners. Each fact is read, paired with its record and encoded once. Every listener gets
 * the facts of a round in one write.
 */
import type { Fact } from '../../../domain/facts.ts';
import type { Handoff } from '../../../domain/handoff.ts';
import type { Context } from '../../../engine/context.ts';
import { factView, handoffView } from '../../shared/views.ts';

export interface HubEvent {
  readonly cursor: string;
  readonly fact: Fact;
  /** The present record, which may be newer than the fact. */
  readonly handoff: Handoff;
  readonly bytes: Buffer;
}

/** The facts of one round. Listeners with the same filter share the same bytes. */
export interface Round {
  readonly events: readonly HubEvent[];
  readonly frames: Map<string, Buffer>;
  /** The cursor of the last fact of the round. */
  readonly cursor: string;
}

export type Hub = Awaited<ReturnType<typeof openHub>>;

/** The cursor before the first fact. An empty event id would be no id. */
export const BEGINNING = 'start';
const PAGE = 500;
/** Listeners that reconnect soon find their cursor among these, without a read of the database. */
const REMEMBERED = 1_024;
const ROUND_MS = 25;
const IDLE_MS = 200;

export async function openHub(ctx: Context, report: (error: unknown) => void) {
  const { store, timers } = ctx;
  const closing = new AbortController();
  const listeners = new Set<(round: Round) => void>();
  const recent: HubEvent[] = [];
  let wake = new AbortController();
  let cursor = (await store.facts({ newest: true, max: 1 }))[0]?.cursor ?? '';
  let polling: Promise<boolean> | null = null;

  const read = async (after: string): Promise<Round> => {
    const page = await store.facts({ max: PAGE, ...(after === '' ? {} : { after }) });
    if (page.length === 0) return { events: [], frames: new Map(), cursor: after };
    const { items } = await store.find({ by: 'ids', ids: [...new Set(page.map(({ fact }) => fact.handoff))] });
    const records = new Map(items.map((handoff) => [handoff.id, handoff]));
    const events = page.flatMap(({ fact, cursor: at }) => {
      const handoff = records.get(fact.handoff);
      return handoff === undefined ? [] : [{ cursor: at, fact, handoff, bytes: encodedFrame(at, fact, handoff) }];
    });
    return { events, frames: new Map(), cursor: page.at(-1)?.cursor ?? after };
  };

  /** Returns whether there are probably more facts. */
  const readPage = async (): Promise<boolean> => {
    const round = await read(cursor);
    if (closing.signal.aborted || round.cursor === cursor) return false;
    cursor = round.cursor;
    recent.push(...round.events);
    if (recent.length > REMEMBERED) recent.splice(0, recent.length - REMEMBERED);
    for (const listener of listeners) listener(round);
    return true;
  };
  const poll = async (): Promise<boolean> => {
    polling ??= readPage().finally(() => (polling = null));
    return polling;
  };

  const run = async (): Promise<void> => {
    let pauseMs = ROUND_MS;
    while (!closing.signal.aborted) {
      try {
        pauseMs = (await poll()) ? ROUND_MS : Math.min(pauseMs * 2, IDLE_MS);
      } catch (error) {
        pauseMs = IDLE_MS;
        if (!closing.signal.aborted) report(error);
      }
      await timers.sleep(ROUND_MS, closing.signal);
      if (pauseMs <= ROUND_MS) continue;
      await timers.sleep(pauseMs - ROUND_MS, wake.signal);
      if (wake.signal.aborted && !closing.signal.aborted) {
        wake = new AbortController();
        pauseMs = ROUND_MS;
      }
    }
  };
  const running = run();

  return {
    /** The cursor of the last fact that was read; empty before the first one. */
    position: () => cursor,
    /**
     * Calls `listener` for every further round, starting after the cursor. Null: the hub does not remember the cursor, so the
     * caller reads on from the store and tries again.
     */
    join: (from: string, listener: (round: Round) => void) => {
      if (from !== cursor) {
        const at = recent.findLastIndex((each) => each.cursor === from);
        if (at < 0) return null;
        listener({ events: recent.slice(at + 1), frames: new Map(), cursor });
      }
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Reads new facts now. */
    poll: async () => void (await poll()),
    /** Ends the pause early, because something was just written. */
    wake: () => wake.abort('over'),
    read,
    close: async () => {
      closing.abort('over');
      wake.abort('over');
      await running;
    },
  };
}

/** One line of JSON, so that no text of a handoff can start another event. */
function encodedFrame(cursor: string, fact: Fact, handoff: Handoff): Buffer {
  const text = JSON.stringify({ fact: factView(fact), handoff: handoffView(handoff) });
  return Buffer.from(`id: ${cursor}\nevent: fact\ndata: ${text}\n\n${errorEvent(cursor, fact)}`);
}

/** A failure in a succession is also an event of its own, which operators can listen for by name. */
function errorEvent(cursor: string, { handoff, detail, at }: Fact): string {
  if (!detail.includes('"succession":')) return '';
  const said = JSON.parse(detail) as Readonly<Record<string, unknown>>;
  const code = said['problem'] ?? said['code'];
  if (code === undefined) return '';
  const { agent_id: agent, step = null } = (said['succession'] ?? {}) as Readonly<Record<string, unknown>>;
  const message = said['says'] ?? said['message'];
  const text = JSON.stringify({ agent_id: agent, handoff, code, message, step, at: new Date(at).toISOString() });
  return `id: ${cursor}\nevent: handoff_error\ndata: ${text}\n\n`;
}
