/**
 * Writes denials into the token log. The first denial of a kind is written at once. Its repetitions are counted, and written
 * with the next one after a minute or when the server ends. A client that tries in a loop causes a few lines, not a write for
 * each request.
 */
import type { Clock } from '../../foundation/clock.ts';
import type { Tokens } from '../../stores/store.ts';

interface Denied {
  readonly token: string | null;
  readonly by: string;
  readonly code: string;
  readonly status: number;
  readonly method: string;
  readonly path: string;
  readonly address: string;
}

const WINDOW_MS = 60_000;
/** How many kinds of denials are counted separately within one window. */
const KINDS_MAX = 100;
const PATH_MAX = 200;

interface Counted {
  readonly last: Denied;
  readonly sinceMs: number;
  readonly unwritten: number;
}

export type Denials = ReturnType<typeof openDenials>;

export function openDenials(tokens: Tokens, clock: Clock, report: (error: unknown) => void) {
  const kinds = new Map<string, Counted>();
  const writing = new Set<Promise<void>>();

  const write = ({ token, by, ...detail }: Denied, count: number): void => {
    const path = detail.path.slice(0, PATH_MAX);
    const written = tokens.denied({ token, by, detail: { ...detail, path, count } }).catch(report);
    writing.add(written);
    void written.finally(() => writing.delete(written));
  };
  /** Writes and forgets the kinds whose window is over. */
  const tidy = (nowMs: number): void => {
    for (const [kind, { last, sinceMs, unwritten }] of kinds) {
      if (nowMs - sinceMs < WINDOW_MS) continue;
      kinds.delete(kind);
      if (unwritten > 0) write(last, unwritten);
    }
  };

  return {
    note: (denied: Denied): void => {
      const nowMs = clock.monotonicMs();
      const own = JSON.stringify([denied.token ?? denied.address, denied.by, denied.code]);
      if (!kinds.has(own)) tidy(nowMs);
      const kind = kinds.has(own) || kinds.size < KINDS_MAX ? own : 'others';
      const before = kinds.get(kind);
      if (before === undefined || nowMs - before.sinceMs >= WINDOW_MS) {
        write(denied, (before?.unwritten ?? 0) + 1);
        kinds.set(kind, { last: denied, sinceMs: nowMs, unwritten: 0 });
      } else {
        kinds.set(kind, { last: denied, sinceMs: before.sinceMs, unwritten: before.unwritten + 1 });
      }
    },
    /** Writes the counted denials, and waits for running writes. */
    close: async (): Promise<void> => {
      tidy(Infinity);
      await Promise.all(writing);
    },
  };
}
