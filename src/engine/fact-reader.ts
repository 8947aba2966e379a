/**
 * One reader of the trail for all followers in this process. It asks the store for new facts, and wakes only the followers
 * whose filter matches; each of them reads its own facts from the store. So hundreds of followers cost one query per poll,
 * and a slow follower neither delays others nor fills memory.
 */
import type { Fact } from '../domain/facts.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { HandoffId } from '../domain/names.ts';
import type { FactFilter, FactRead, Store } from '../stores/store.ts';
import type { Context } from './context.ts';
import { handoffsByIds } from './handoffs/find.ts';
import { settledNotifier } from './settled-notifier.ts';

const PAGE = 500;
/** Waits a moment, so that a burst of facts is read at once. */
const GATHER_MS = 10;

interface Subscription {
  /** Up to this cursor no fact matches, if the follower has read since it subscribed. Null: unknown. */
  readonly passed: string | null;
  /** Resolves when there may be new facts that match the filter. */
  readonly news: Promise<void>;
  end(): void;
}

interface Follower {
  readonly filter: FactFilter;
  passed: string | null;
  isWoken: boolean;
  wake(): void;
}

export interface FactReader {
  /** Subscribe first, then read, then wait: nothing that is written in between is missed. */
  subscribe(filter: FactFilter): Promise<Subscription>;
}

const readers = new WeakMap<Store, FactReader>();

export function factReaderOf(ctx: Pick<Context, 'store' | 'timers'>): FactReader {
  const known = readers.get(ctx.store) ?? openFactReader(ctx);
  readers.set(ctx.store, known);
  return known;
}

interface Run {
  readonly stop: AbortController;
  /** Resolves when the start of the feed is known; followers then miss no later fact. */
  readonly begun: Promise<void>;
}

function openFactReader({ store, timers }: Pick<Context, 'store' | 'timers'>): FactReader {
  const followers = new Set<Follower>();
  let run: Run | null = null;

  const readFrom = async (from: string, { signal }: AbortController): Promise<void> => {
    const notifier = settledNotifier(store);
    signal.addEventListener('abort', () => notifier.leave(), { once: true });
    for (let cursor = from; !signal.aborted;) {
      const hint = notifier.next();
      const page = await store.facts({ max: PAGE, ...(cursor === '' ? {} : { after: cursor }) });
      cursor = page.at(-1)?.cursor ?? cursor;
      if (page.length > 0) wakeMatching(followers, page, await partiesOf(store, followers, page), cursor);
      if (page.length === PAGE) continue;
      await hint;
      await timers.sleep(GATHER_MS, signal);
    }
  };

  const begin = (): Run => {
    const stop = new AbortController();
    const newest = store.facts({ newest: true, max: 1 });
    const mine: Run = { stop, begun: newest.then(() => undefined) };
    const ended = newest.then(([read]) => readFrom(read?.cursor ?? '', stop));
    // Followers read themselves and get the error of that read; the next subscription starts a new run.
    ended.catch(() => {
      if (run === mine) run = null;
      stop.abort('over');
      for (const follower of followers) follower.wake();
    });
    return mine;
  };

  const leave = (follower: Follower): void => {
    followers.delete(follower);
    follower.wake();
    if (followers.size > 0) return;
    run?.stop.abort('over');
    run = null;
  };

  return {
    subscribe: async (filter) => {
      const { promise: news, resolve } = withResolvers();
      const follower: Follower = {
        filter,
        passed: null,
        isWoken: false,
        wake: () => {
          follower.isWoken = true;
          resolve();
        },
      };
      followers.add(follower);
      run ??= begin();
      try {
        await run.begun;
      } catch (error) {
        leave(follower);
        throw error;
      }
      return {
        get passed() {
          return follower.passed;
        },
        news,
        end: () => leave(follower),
      };
    },
  };
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** The handoffs of these facts, where a follower filters by agent. */
async function partiesOf(
  store: Store,
  followers: ReadonlySet<Follower>,
  page: readonly FactRead[],
): Promise<ReadonlyMap<HandoffId, Handoff>> {
  if (![...followers].some(({ filter }) => filter.agent !== undefined)) return new Map();
  const ids = page.map(({ fact }) => fact.handoff);
  return handoffsByIds(store, ids);
}

function wakeMatching(
  followers: ReadonlySet<Follower>,
  page: readonly FactRead[],
  parties: ReadonlyMap<HandoffId, Handoff>,
  cursor: string,
): void {
  for (const follower of followers) {
    if (page.some(({ fact }) => passes(fact, follower.filter, parties))) follower.wake();
    else if (!follower.isWoken) follower.passed = cursor;
  }
}

function passes(fact: Fact, { handoff, agent, states }: FactFilter, parties: ReadonlyMap<HandoffId, Handoff>): boolean {
  const party = parties.get(fact.handoff);
  return (
    (handoff === undefined || fact.handoff === handoff) &&
    (states === undefined || states.includes(fact.to)) &&
    (agent === undefined || party === undefined || party.from === agent || party.to === agent)
  );
}
