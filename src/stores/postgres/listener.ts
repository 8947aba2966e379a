/** The connection on which notifications of other processes arrive. It is a hint's: when it is lost, it is made again. */
import type { Link } from './link.ts';

export interface Listener {
  /** Makes the connection when there is none, and sees from time to time whether it still answers. */
  keepUp(): void;
  close(): Promise<void>;
}

/** A connection that a firewall has forgotten looks open for ever to whoever only listens. */
const SIGN_OF_LIFE_MS = 10_000;

/** `listening` is called after each new beginning: what happened before it was not heard. */
export function openListener(open: () => Promise<Link>, channel: string, listening: () => void): Listener {
  let link: Link | null = null;
  let busy = false;
  let closed = false;
  let askedAtMs = -Infinity;

  const keepUp = async (): Promise<void> => {
    const now = performance.now();
    if (link?.alive === true && now - askedAtMs < SIGN_OF_LIFE_MS) return;
    askedAtMs = now;
    if (link?.alive === true) {
      await link.runScript('select 1');
      return;
    }
    link = await open();
    await link.runScript(`listen "${channel}"`);
    if (closed) await link.end();
    else listening();
  };

  return {
    keepUp: () => {
      if (busy || closed) return;
      busy = true;
      // Polling goes on without it, and the next call tries again.
      void keepUp()
        .catch(() => undefined)
        .finally(() => (busy = false));
    },
    close: async () => {
      closed = true;
      await link?.end();
    },
  };
}
