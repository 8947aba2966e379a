/**
 * Many documents are looked at side by side, and each comes to its first record at another moment. Here they wait for
 * each other, so that they share one wait for the disk. Nobody waits for one who is still outside: it may need a lock
 * of another process, which may be waiting in the same way.
 */

export interface SharedInsert {
  /** From here on the others wait for us. */
  inside<Answer>(act: () => Promise<Answer>): Promise<Answer>;
  /** For as long as this takes they do not. */
  away<Answer>(act: () => Promise<Answer>): Promise<Answer>;
  /** Ends when everybody inside has come here. */
  arrive(): Promise<void>;
}

export function openSharedInsert(): SharedInsert {
  let inside = 0;
  let waiting: (() => void)[] = [];
  const count = (change: 1 | 0 | -1): void => {
    inside += change;
    if (waiting.length < inside) return;
    const all = waiting;
    waiting = [];
    for (const goOn of all) goOn();
  };
  return {
    async inside(act) {
      count(1);
      try {
        return await act();
      } finally {
        count(-1);
      }
    },
    async away(act) {
      count(-1);
      try {
        return await act();
      } finally {
        count(1);
      }
    },
    arrive: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        count(0);
      }),
  };
}
