/**
 * The connection on which notifications of other processes arrive, and the list of what this process waits for. Both
 * are hints': when they are lost, they are made again.
 */
import type { Random } from '../../foundation/random.ts';
import { LISTEN_ROW_SQL, CHANNEL, UNLISTEN_ROW_SQL, RENEW_MS } from './notify.ts';
import type { Driver } from './driver.ts';

export interface Listener {
  /** What this process is called in the list. */
  readonly process: string;
  /** From now on notifications of these topics are wanted, and of no others. Cheap when nothing has changed. */
  attend(topics: readonly string[]): void;
  close(): Promise<void>;
}

/** A connection that a firewall has forgotten looks open for ever to whoever only listens. */
const SIGN_OF_LIFE_MS = 10_000;

/** `missed` is called with topics of which something may have happened before anybody knew that we wait for it. */
export function openListener(
  open: () => Promise<Driver>,
  random: Random,
  missed: (topics: readonly string[]) => void,
): Listener {
  const process = Buffer.from(random.bytes(12)).toString('hex');
  let link: Driver | null = null;
  let wanted: readonly string[] = [];
  const attended = new Map<string, number>();
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
    attended.clear();
    const opened = await open();
    // Closed meanwhile: nobody else would ever end it, and the process would stay for its sake.
    if (closed) {
      await opened.end();
      throw new Error('the listener is closed');
    }
    link = opened;
    askedAtMs = now;
    await link.runScript(`listen "${CHANNEL}"`);
    return link;
  };

  const keepUp = async (): Promise<void> => {
    if (wanted.length === 0 && attended.size === 0) return;
    const to = await listening();
    const now = performance.now();
    const asked = wanted;
    const fresh = asked.filter((topic) => now - (attended.get(topic) ?? -Infinity) > RENEW_MS);
    const left = [...attended.keys()].filter((topic) => !asked.includes(topic));
    if (fresh.length > 0) {
      await to.run(LISTEN_ROW_SQL, [process, JSON.stringify(fresh)]);
      const added = fresh.filter((topic) => !attended.has(topic));
      for (const topic of fresh) attended.set(topic, now);
      missed(added);
    }
    if (left.length > 0) {
      for (const topic of left) attended.delete(topic);
      await to.run(UNLISTEN_ROW_SQL, [process, JSON.stringify(left)]);
    }
  };

  const work = async (): Promise<void> => {
    if (busy || closed) return;
    busy = true;
    let seen: readonly string[];
    do {
      seen = wanted;
      // Polling goes on without it, and the next call tries again.
      await keepUp().catch(() => undefined);
    } while (seen !== wanted && !closed);
    busy = false;
  };

  return {
    process,
    attend: (topics) => {
      wanted = topics;
      void work();
    },
    close: async () => {
      closed = true;
      if (link?.alive === true && attended.size > 0) {
        await link.run(UNLISTEN_ROW_SQL, [process, JSON.stringify([...attended.keys()])]).catch(() => undefined);
      }
      await link?.end();
    },
  };
}
