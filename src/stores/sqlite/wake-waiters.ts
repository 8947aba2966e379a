/**
 * Wakes waiters from three sources: our own commits, the notification files of other processes, and a poll of the
 * database's change counter, which alone would be enough.
 */
import type { AgentId } from '../../domain/names.ts';
import { POLL_MS, type Topic } from '../store.ts';
import { notifyFileName, type NotifyFiles } from './notify-files.ts';
import type { PendingNotices } from './write-rows.ts';

export interface ChangeNotifier {
  changed(topic: Topic, signal: AbortSignal): Promise<void>;
  /** After our own commit. */
  notify(notices: PendingNotices): void;
  /** Before our own commit: wakes only the waiters in this process. */
  announce(agent: AgentId): void;
  close(): void;
}

interface Waiting {
  readonly topic: Topic;
  readonly waiters: Set<() => void>;
  readonly listener: { stop(): void };
}

/** A file is watched for this many polls after its last waiter, because workers wait again soon. */
const WATCHED_POLLS = 40;

export function changeNotifierOf(
  files: NotifyFiles,
  reads: {
    /** A number that changes with every commit of another connection. */
    readonly version: () => number;
    readonly hasReady: (agent: AgentId) => boolean;
  },
): ChangeNotifier {
  const topics = new Map<string, Waiting>();
  const unused = new Map<string, number>();
  let poll: NodeJS.Timeout | null = null;
  let lastVersion = 0;
  let waitersCount = 0;
  let closed = false;

  const wake = (name: string): void => {
    const waiting = topics.get(name);
    if (waiting === undefined) return;
    const waiters = [...waiting.waiters];
    waiting.waiters.clear();
    for (const waiter of waiters) waiter();
  };

  /** The poll timer keeps the process running only while there are waiters. */
  const countWaiter = (change: 1 | -1): void => {
    waitersCount += change;
    if (waitersCount > 0) poll?.ref();
    else poll?.unref();
  };

  const dropUnused = (): void => {
    for (const [name, waiting] of topics) {
      const polls = waiting.waiters.size > 0 ? 0 : (unused.get(name) ?? 0) + 1;
      unused.set(name, polls);
      if (polls < WATCHED_POLLS) continue;
      waiting.listener.stop();
      topics.delete(name);
      unused.delete(name);
    }
    if (topics.size > 0 || poll === null) return;
    clearInterval(poll);
    poll = null;
  };

  const pollVersion = (): void => {
    const version = reads.version();
    const moved = version !== lastVersion;
    lastVersion = version;
    for (const [name, { topic, waiters }] of topics) {
      if (waiters.size > 0 && (moved || (topic.kind === 'offers' && reads.hasReady(topic.agent)))) wake(name);
    }
    dropUnused();
  };

  const waitingFor = (topic: Topic): Waiting => {
    const name = notifyFileName(topic);
    const known = topics.get(name);
    if (known !== undefined) return known;
    const waiting = { topic, waiters: new Set<() => void>(), listener: files.listen(topic, () => wake(name)) };
    topics.set(name, waiting);
    if (poll === null) {
      lastVersion = reads.version();
      poll = setInterval(pollVersion, POLL_MS);
    }
    return waiting;
  };

  return {
    changed: (topic, signal) => {
      if (closed || signal.aborted) return Promise.resolve();
      const { waiters } = waitingFor(topic);
      return new Promise((resolve) => {
        const end = (): void => {
          waiters.delete(end);
          signal.removeEventListener('abort', end);
          countWaiter(-1);
          resolve();
        };
        waiters.add(end);
        countWaiter(1);
        signal.addEventListener('abort', end, { once: true });
      });
    },
    notify: ({ offeredTo, settled }) => {
      files.notify(offeredTo, settled);
      for (const agent of offeredTo) wake(notifyFileName({ kind: 'offers', agent }));
      if (settled) wake(notifyFileName({ kind: 'settled' }));
    },
    announce: (agent) => wake(notifyFileName({ kind: 'offers', agent })),
    close: () => {
      closed = true;
      if (poll !== null) clearInterval(poll);
      for (const name of topics.keys()) wake(name);
      for (const { listener } of topics.values()) listener.stop();
      topics.clear();
      files.close();
    },
  };
}
