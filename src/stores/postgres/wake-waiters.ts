/**
 * Wakes waiters from three sources: our own commits, the notifications of other processes, and a poll of the database,
 * which alone would be enough.
 */
import type { Timers } from '../../foundation/clock.ts';
import { jittered, type Random } from '../../foundation/random.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId } from '../../domain/names.ts';
import { POLL_MS, type Topic } from '../store.ts';
import { topicName, topicOf } from './notify.ts';
import type { Connection } from './connection.ts';
import { OFFERED } from './sql-numbers.ts';
import { isPausedSql } from './pauses.ts';
import { NOW_MS } from './schema.ts';

/** Called after each commit with the record before (null: new) and after. */
export type NotifyChange = (before: Handoff | null, after: Handoff) => void;

export interface ChangeNotifier {
  changed(topic: Topic, signal: AbortSignal): Promise<void>;
  readonly notify: NotifyChange;
  /** A claim found nothing, so the waiters for this agent's offers need notifications of other processes. */
  foundNothing(agent: AgentId): void;
  /** Whether a caller waits for this topic. */
  isAwaited(name: string): boolean;
  /** Wakes the waiters of topics that may have changed. */
  wakeAll(names: readonly string[]): void;
  /** Other processes were chosen first: wakes the waiters a little later, if something is left. */
  wakeLater(name: string): void;
  close(): void;
}

export interface NotifierParts {
  readonly connection: Connection;
  readonly timers: Timers;
  readonly random: Random;
  /** Called with the awaited topics when they change, and with every poll. */
  readonly listenTo: (names: readonly string[]) => void;
}

/** The chosen processes have claimed by then. A busy or dead one delays an offer by no more than this. */
const DEFER_MS = 60;

const abortListeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * The functions that are called when the signal is aborted. A worker waits with one signal all its life, and adding and
 * removing a listener for every wait took longer than the rest of the wait.
 */
function abortListenersOf(signal: AbortSignal): Set<() => void> {
  const known = abortListeners.get(signal);
  if (known !== undefined) return known;
  const listeners = new Set<() => void>();
  abortListeners.set(signal, listeners);
  signal.addEventListener('abort', () => listeners.forEach((end) => end()), { once: true });
  return listeners;
}

/** The given agents that have a ready handoff and are not paused. */
export const POLL_SQL = `select string_agg(agent, ' ') from json_array_elements_text($1::text::json) as waiting(agent)
where exists (select from baton.handoff h
  where h.recipient = agent and h.state = ${OFFERED} and h.not_before <= ${NOW_MS})
and not ${isPausedSql('waiting.agent')}`;

export function changeNotifierOf(parts: NotifierParts): ChangeNotifier {
  const waiters = new Map<string, Set<() => void>>();
  /** Topics without a result since the last poll. A caller that finds something at once was never waiting. */
  let waitingNow = new Set<string>();
  /** The same between the last two polls, so that callers that wait repeatedly stay registered. */
  let waitingBefore: ReadonlySet<string> = new Set();
  /** Topics for which other processes were chosen first. */
  const deferred = new Set<string>();
  const closing = new AbortController();
  let polling = false;

  const wake = (name: string): void => {
    const woken = waiters.get(name);
    waiters.delete(name);
    for (const end of woken ?? []) end();
  };

  const wakeForOffers = async (names: Iterable<string>): Promise<void> => {
    const agents = [...names].flatMap((name) => (name.startsWith('@') ? [name.slice(1)] : []));
    if (agents.length === 0) return;
    const [row] = await parts.connection.read(POLL_SQL, [JSON.stringify(agents)]);
    for (const agent of (row?.[0] as string | null)?.split(' ') ?? []) wake(`@${agent}`);
  };

  const poll = async (): Promise<void> => {
    // Waiters for settled handoffs are always woken: commits are not in the order of numbers, so the newest fact does not
    // show whether anything was settled.
    wake('settled');
    await wakeForOffers(waiters.keys());
  };

  /** One query for all topics that were deferred since the last one. */
  const pollDeferred = async (): Promise<void> => {
    await parts.timers.sleep(jittered(DEFER_MS, parts.random), closing.signal);
    const names = [...deferred].filter((name) => waiters.has(name));
    deferred.clear();
    if (!closing.signal.aborted) await wakeForOffers(names);
  };

  const pollWhileAwaited = async (): Promise<void> => {
    if (polling) return;
    polling = true;
    while (waiters.size > 0 && !closing.signal.aborted) {
      const before = new Map(waiters);
      await parts.timers.sleep(POLL_MS * (0.6 + 0.3 * parts.random.unit()), closing.signal);
      // A caller that has waited all this time needs notifications too.
      for (const [name, group] of waiters) if (before.get(name) === group) waitingNow.add(name);
      waitingBefore = waitingNow;
      waitingNow = new Set();
      parts.listenTo([...waitingBefore]);
      // After a failed poll the next one tries again.
      await poll().catch(() => undefined);
    }
    polling = false;
    waitingBefore = new Set();
    parts.listenTo([...waitingNow]);
  };

  const startListening = (name: string): void => {
    if (waitingNow.has(name) || closing.signal.aborted) return;
    waitingNow.add(name);
    if (!waitingBefore.has(name)) parts.listenTo([...waitingBefore, ...waitingNow]);
  };

  return {
    changed: (topic, signal) => {
      if (closing.signal.aborted || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const name = topicName(topic);
        const group = waiters.get(name) ?? new Set();
        const end = (): void => {
          group.delete(end);
          if (group.size === 0 && waiters.get(name) === group) waiters.delete(name);
          listeners.delete(end);
          resolve();
        };
        const listeners = abortListenersOf(signal).add(end);
        waiters.set(name, group.add(end));
        if (topic.kind === 'settled') startListening(name);
        void pollWhileAwaited();
      });
    },
    notify: (before, after) => {
      const name = before?.state === after.state ? null : topicOf(after);
      if (name !== null) wake(name);
    },
    foundNothing: (agent) => {
      const name = topicName({ kind: 'offers', agent });
      if (waiters.has(name)) startListening(name);
    },
    isAwaited: (name) => waiters.has(name),
    wakeAll: (names) => names.forEach(wake),
    wakeLater: (name) => {
      if (!waiters.has(name)) return;
      // After a failure the next poll tries again.
      if (deferred.size === 0) void pollDeferred().catch(() => undefined);
      deferred.add(name);
    },
    close: () => {
      closing.abort();
      [...waiters.keys()].forEach(wake);
    },
  };
}
