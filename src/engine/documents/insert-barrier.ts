/**
 * A barrier for documents that are reconciled at the same time: they insert their first records together and share one
 * wait for the disk. A document that has not joined is not waited for: it may need a lock that another process holds while
 * waiting at its own barrier.
 */

export interface InsertBarrier {
  /** While `act` runs, callers of `arrive` wait for it. */
  join<Answer>(act: () => Promise<Answer>): Promise<Answer>;
  /** While `act` runs, the others do not wait for the caller. */
  pause<Answer>(act: () => Promise<Answer>): Promise<Answer>;
  /** Resolves when all that have joined have arrived. */
  arrive(): Promise<void>;
}

export function openInsertBarrier(): InsertBarrier {
  let joined = 0;
  let waiting: (() => void)[] = [];
  const count = (change: number): void => {
    joined += change;
    if (waiting.length < joined) return;
    const all = waiting;
    waiting = [];
    for (const resume of all) resume();
  };
  const during = async <Answer>(change: number, act: () => Promise<Answer>): Promise<Answer> => {
    count(change);
    try {
      return await act();
    } finally {
      count(-change);
    }
  };
  return {
    join: (act) => during(1, act),
    pause: (act) => during(-1, act),
    arrive: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        count(0);
      }),
  };
}
