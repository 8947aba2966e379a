/**
 * Who waits for what. Three sources, each enough alone: our own commits, the notifications of other processes, and a
 * poll of the database, which is the truth.
 */
import type { Timers } from '../../foundation/clock.ts';
import { jittered, type Random } from '../../foundation/random.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId } from '../../domain/names.ts';
import { POLL_MS, type Topic } from '../store.ts';
import { topicName, topicOf } from './notify.ts';
import type { Connection } from './connection.ts';
import { OFFERED } from './numbers.ts';
import { isPausedSql } from './pauses.ts';
import { NOW_MS } from './schema.ts';

/** Called after each commit with what a record was (null: nothing) and what it is now. */
export type NotifySettled = (before: Handoff | null, after: Handoff) => void;

export interface Hints {
  changed(topic: Topic, signal: AbortSignal): Promise<void>;
  readonly tell: NotifySettled;
  /** A claim found nothing: whoever waits for this agent's offers now waits in earnest. */
  foundNothing(agent: AgentId): void;
  /** Whether anybody here waits for this topic. */
  awaits(name: string): boolean;
  /** Topics of which something may have happened. */
  heard(names: readonly string[]): void;
  /** Others were told to go first: if something is left soon, those who wait here are woken. */
  heardLater(name: string): void;
  close(): void;
}

export interface HintParts {
  readonly connection: Connection;
  readonly timers: Timers;
  readonly random: Random;
  /** Told of what is waited for, whenever that changes and with every poll. */
  readonly attend: (names: readonly string[]) => void;
}

/** Those who go first have taken what they can by then; whoever among them is busy or dead delays an offer by no more. */
const LATER_MS = 60;

const leavers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * What is called when this signal is aborted. A worker waits with the same one for all its life, and putting a listener
 * on it and taking it off again for every wait took longer than all the rest of a wait.
 */
function leavingBy(signal: AbortSignal): Set<() => void> {
  const known = leavers.get(signal);
  if (known !== undefined) return known;
  const leaving = new Set<() => void>();
  leavers.set(signal, leaving);
  signal.addEventListener('abort', () => leaving.forEach((end) => end()), { once: true });
  return leaving;
}

/** Those of the given agents for whom something is ready, and who are not paused. */
export const POLL_SQL = `select string_agg(agent, ' ') from json_array_elements_text($1::text::json) as waiting(agent)
where exists (select from baton.handoff h
  where h.recipient = agent and h.state = ${OFFERED} and h.not_before <= ${NOW_MS})
and not ${isPausedSql('waiting.agent')}`;

export function hintsOf(parts: HintParts): Hints {
  const waiters = new Map<string, Set<() => void>>();
  /** Waited for in earnest since the last poll; who asks for a hint, looks and finds something was never waiting. */
  let earnest = new Set<string>();
  /** The same between the last two polls: who waits again and again stays known. */
  let lately: ReadonlySet<string> = new Set();
  /** Heard of while others go first. */
  const later = new Set<string>();
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
    // Whoever waits for an end looks again each time: commits do not come in the order of their numbers, so no newest
    // fact tells that nothing has ended.
    wake('settled');
    await wakeForOffers(waiters.keys());
  };

  /** What has been heard since the last of these is looked at by one question. */
  const lookLater = async (): Promise<void> => {
    await parts.timers.sleep(jittered(LATER_MS, parts.random), closing.signal);
    const names = [...later].filter((name) => waiters.has(name));
    later.clear();
    if (!closing.signal.aborted) await wakeForOffers(names);
  };

  const pollWhileAwaited = async (): Promise<void> => {
    if (polling) return;
    polling = true;
    while (waiters.size > 0 && !closing.signal.aborted) {
      const before = new Map(waiters);
      await parts.timers.sleep(POLL_MS * (0.6 + 0.3 * parts.random.unit()), closing.signal);
      // Who has been waiting all this time is in earnest too, whatever it looks at.
      for (const [name, group] of waiters) if (before.get(name) === group) earnest.add(name);
      lately = earnest;
      earnest = new Set();
      parts.attend([...lately]);
      // A poll that fails has said nothing; the waiters are told nothing, and the next one asks again.
      await poll().catch(() => undefined);
    }
    polling = false;
    lately = new Set();
    parts.attend([...earnest]);
  };

  const waitInEarnest = (name: string): void => {
    if (earnest.has(name) || closing.signal.aborted) return;
    earnest.add(name);
    if (!lately.has(name)) parts.attend([...lately, ...earnest]);
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
          leaving.delete(end);
          resolve();
        };
        const leaving = leavingBy(signal).add(end);
        waiters.set(name, group.add(end));
        if (topic.kind === 'settled') waitInEarnest(name);
        void pollWhileAwaited();
      });
    },
    tell: (before, after) => {
      const name = before?.state === after.state ? null : topicOf(after);
      if (name !== null) wake(name);
    },
    foundNothing: (agent) => {
      const name = topicName({ kind: 'offers', agent });
      if (waiters.has(name)) waitInEarnest(name);
    },
    awaits: (name) => waiters.has(name),
    heard: (names) => names.forEach(wake),
    heardLater: (name) => {
      if (!waiters.has(name)) return;
      // A look that fails has said nothing; the next poll asks again.
      if (later.size === 0) void lookLater().catch(() => undefined);
      later.add(name);
    },
    close: () => {
      closing.abort();
      [...waiters.keys()].forEach(wake);
    },
  };
}
