/**
 * A barrier for documents that are reconciled at the same time: they insert their first records together and share one
 * wait for the disk. A document that has not joined is not waited for: it may need a lock that another process holds while
 * waiting at its own barrier.
 */

export type InsertBarrier = ReturnType<typeof openInsertBarrier>;

export function openInsertBarrier() {
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
    /** While `act` runs, callers of `arrive` wait for it. */
    join: <Answer>(act: () => Promise<Answer>) => during(1, act),
    /** While `act` runs, the others do not wait for the caller. */
    pause: <Answer>(act: () => Promise<Answer>) => during(-1, act),
    /** Resolves when all that have joined have arrived. */
    arrive: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        count(0);
      }),
  };
}
