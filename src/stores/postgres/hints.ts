/**
 * Who waits for what. Three sources, each enough alone: our own commits, the notifications of other processes, and a
 * poll of the database, which is the truth.
 *
 * Notifications are sent after the commit and not inside it: a transaction that notifies holds a lock of the whole
 * database until it is on the disk, and all others that notify wait in line behind it. One that is lost costs a poll.
 */
import type { Timers } from '../../foundation/clock.ts';
import type { Random } from '../../foundation/random.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal } from '../../domain/lifecycle.ts';
import { POLL_MS, type Topic } from '../store.ts';
import type { Connection } from './connection.ts';
import { OFFERED } from './numbers.ts';
import { NOW_MS } from './schema.ts';

/** Called after each commit with what a record was (null: nothing) and what it is now. */
export type Tell = (before: Handoff | null, after: Handoff) => void;

export interface Hints {
  changed(topic: Topic, signal: AbortSignal): Promise<void>;
  readonly tell: Tell;
  /** A name of a topic, from another process. */
  heard(name: string): void;
  /** Something may have been missed: everybody looks. */
  wakeAll(): void;
  close(): void;
}

export interface HintParts {
  readonly connection: Connection;
  readonly timers: Timers;
  readonly random: Random;
  /** Null where notifications do not get through: polling alone is enough. */
  readonly channel: string | null;
  /** Called with the first waiter, and then on every poll, to keep the listening connection up. */
  readonly keepListening: () => void;
}

/** In a burst, one notification says it all: listeners look for themselves. */
const QUIET_MS = 2;

const NOTIFY_SQL = `select pg_notify($1::text, name) from json_array_elements_text($2::text::json) as topic(name)`;

/** The newest fact, whoever wrote it, and those of the given agents for whom something is ready. */
export const POLL_SQL = `select (select xid::text || ':' || seq from baton.fact order by xid desc, seq desc limit 1),
  (select string_agg(agent, ' ') from json_array_elements_text($1::text::json) as waiting(agent)
   where exists (select from baton.handoff h
     where h.recipient = agent and h.state = ${OFFERED} and h.not_before <= ${NOW_MS}))`;

/** The @ keeps an agent called "settled" apart from the topic of that name. */
function nameOf(topic: Topic): string {
  return topic.kind === 'settled' ? 'settled' : `@${topic.agent}`;
}

export function hintsOf(parts: HintParts): Hints {
  const waiters = new Map<string, Set<() => void>>();
  const bell = bellOf(parts);
  const closing = new AbortController();
  let polling = false;
  let newestFact: string | null | undefined;

  const wake = (name: string): void => {
    const woken = waiters.get(name);
    waiters.delete(name);
    for (const end of woken ?? []) end();
  };
  const wakeAll = (): void => [...waiters.keys()].forEach(wake);

  const poll = async (): Promise<void> => {
    const agents = [...waiters.keys()].flatMap((name) => (name.startsWith('@') ? [name.slice(1)] : []));
    const [row] = await parts.connection.read(POLL_SQL, [JSON.stringify(agents)]);
    const newest = row?.[0] as string | null;
    if (newest !== newestFact) wake('settled');
    newestFact = newest;
    for (const agent of (row?.[1] as string | null)?.split(' ') ?? []) wake(`@${agent}`);
  };

  const pollWhileAwaited = async (): Promise<void> => {
    if (polling) return;
    polling = true;
    // Nothing is known of what happened while nobody waited, so the first poll wakes them in any case.
    newestFact = undefined;
    while (waiters.size > 0 && !closing.signal.aborted) {
      parts.keepListening();
      await parts.timers.sleep(POLL_MS * (0.6 + 0.3 * parts.random.unit()), closing.signal);
      // A poll that fails has said nothing; the waiters are told nothing, and the next one asks again.
      await poll().catch(() => undefined);
    }
    polling = false;
  };

  return {
    changed: (topic, signal) => {
      if (closing.signal.aborted || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const name = nameOf(topic);
        const group = waiters.get(name) ?? new Set();
        const end = (): void => {
          group.delete(end);
          if (group.size === 0 && waiters.get(name) === group) waiters.delete(name);
          signal.removeEventListener('abort', end);
          resolve();
        };
        waiters.set(name, group.add(end));
        signal.addEventListener('abort', end, { once: true });
        void pollWhileAwaited();
      });
    },
    tell: (before, after) => {
      if (before?.state === after.state) return;
      if (isFinal(after.state)) ring('settled');
      else if (after.state === 'offered') ring(`@${after.to}`);
    },
    heard: wake,
    wakeAll,
    close: () => {
      closing.abort();
      wakeAll();
    },
  };

  function ring(name: string): void {
    wake(name);
    bell.ring(name);
  }
}

/** Tells other processes, at most once per topic and moment; the first of a burst goes out at once. */
function bellOf({ connection, timers, channel }: HintParts): { ring(name: string): void } {
  const due = new Set<string>();
  let busy = false;
  const sendAll = async (to: string): Promise<void> => {
    if (busy) return;
    busy = true;
    while (due.size > 0) {
      const names = JSON.stringify([...due]);
      due.clear();
      await connection.read(NOTIFY_SQL, [to, names]).catch(() => undefined);
      await timers.sleep(QUIET_MS);
    }
    busy = false;
  };
  return {
    ring: (name) => {
      if (channel === null) return;
      due.add(name);
      void sendAll(channel);
    },
  };
}
