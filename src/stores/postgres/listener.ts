/**
 * Receives notifications of other processes, and registers the topics that this process waits for. Both are only hints,
 * and are restored after a lost connection.
 */
import type { Random } from '../../foundation/random.ts';
import { LISTEN_ROW_SQL, CHANNEL, UNLISTEN_ROW_SQL, RENEW_MS } from './notify.ts';
import type { Driver } from './driver.ts';

export interface Listener {
  /** The name under which this process is registered. */
  readonly process: string;
  /** Registers exactly these topics from now on. Cheap when nothing has changed. */
  listenTo(topics: readonly string[]): void;
  close(): Promise<void>;
}

/** How often the connection is checked: one that a firewall has dropped looks open to a listener. */
const SIGN_OF_LIFE_MS = 10_000;

/** `onMissed` is called with topics that may have changed before they were registered. */
export function openListener(
  open: () => Promise<Driver>,
  random: Random,
  onMissed: (topics: readonly string[]) => void,
): Listener {
  const process = Buffer.from(random.bytes(12)).toString('hex');
  let link: Driver | null = null;
  let wanted: readonly string[] = [];
  const registered = new Map<string, number>();
  let busy = false;
  let closed = false;
  let askedAtMs = -Infinity;

  const listening = async (): Promise<Driver> => {
    const now = performance.now();
    if (link?.alive === true) {
      if (now - askedAtMs > SIGN_OF_LIFE_MS) await link.runScript('select 1');
      askedAtMs = now;
      return link;
    }
    registered.clear();
    const opened = await open();
    // The listener was closed while connecting: an open connection would keep the process running.
    if (closed) {
      await opened.end();
      throw new Error('the listener is closed');
    }
    link = opened;
    askedAtMs = now;
    await link.runScript(`listen "${CHANNEL}"`);
    return link;
  };

  const syncTopics = async (): Promise<void> => {
    if (wanted.length === 0 && registered.size === 0) return;
    const to = await listening();
    const now = performance.now();
    const asked = wanted;
    const fresh = asked.filter((topic) => now - (registered.get(topic) ?? -Infinity) > RENEW_MS);
    const left = [...registered.keys()].filter((topic) => !asked.includes(topic));
    if (fresh.length > 0) {
      await to.run(LISTEN_ROW_SQL, [process, JSON.stringify(fresh)]);
      const added = fresh.filter((topic) => !registered.has(topic));
      for (const topic of fresh) registered.set(topic, now);
      onMissed(added);
    }
    if (left.length > 0) {
      for (const topic of left) registered.delete(topic);
      await to.run(UNLISTEN_ROW_SQL, [process, JSON.stringify(left)]);
    }
  };

  const run = async (): Promise<void> => {
    if (busy || closed) return;
    busy = true;
    let seen: readonly string[];
    do {
      seen = wanted;
      // Polling does not need it, and the next call tries again.
      await syncTopics().catch(() => undefined);
    } while (seen !== wanted && !closed);
    busy = false;
  };

  return {
    process,
    listenTo: (topics) => {
      wanted = topics;
      void run();
    },
    close: async () => {
      closed = true;
      if (link?.alive === true && registered.size > 0) {
        await link.run(UNLISTEN_ROW_SQL, [process, JSON.stringify([...registered.keys()])]).catch(() => undefined);
      }
      await link?.end();
    },
  };
}
