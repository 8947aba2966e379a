/**
 * Lets documents that are reconciled at the same time insert their first records together, so that they share one wait for
 * the disk. A document that has not entered is not waited for: it may need a lock that another process holds while it
 * waits in the same way.
 */

export interface SharedInsert {
  /** While `act` runs, others that arrived wait for it. */
  inside<Answer>(act: () => Promise<Answer>): Promise<Answer>;
  /** While `act` runs, the others do not wait. */
  away<Answer>(act: () => Promise<Answer>): Promise<Answer>;
  /** Resolves when everyone inside has arrived. */
  arrive(): Promise<void>;
}

export function openSharedInsert(): SharedInsert {
  let inside = 0;
  let waiting: (() => void)[] = [];
  const count = (change: number): void => {
    inside += change;
    if (waiting.length < inside) return;
    const all = waiting;
    waiting = [];
    for (const goOn of all) goOn();
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
    inside: (act) => during(1, act),
    away: (act) => during(-1, act),
    arrive: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        count(0);
      }),
  };
}
