/**
 * Concurrent callers of one process share a statement, and with it the round trip and the wait for the disk.
 *
 * Calls that arrive while a statement is in flight share the next one. Two statements may be in flight, so that the server
 * has the next one when it finishes the first.
 */

/** Larger statements lock their rows longer without being faster. */
const BATCH_MAX = 128;
const IN_FLIGHT_MAX = 2;

interface Waiting<Given, Answer> {
  readonly given: Given;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** `send` returns one answer per call, in order. An error that it throws goes to all calls. */
export function sharedStatement<Given, Answer>(
  send: (given: readonly Given[]) => Promise<readonly (Answer | Error)[]>,
): (given: Given) => Promise<Answer> {
  let queue: Waiting<Given, Answer>[] = [];
  let inFlight = 0;
  let scheduled = false;
  /** The last statement had a single call, so the next one is sent at once. */
  let lastWasSingle = true;

  const dispatch = async (): Promise<void> => {
    const batch = queue.slice(0, BATCH_MAX);
    queue = queue.slice(BATCH_MAX);
    inFlight += 1;
    lastWasSingle = batch.length === 1;
    try {
      const answers = await send(batch.map(({ given }) => given));
      batch.forEach(({ resolve, reject }, index) => {
        const answer = answers[index] as Answer | Error;
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      inFlight -= 1;
      schedule();
    }
  };

  const schedule = (): void => {
    if (queue.length === 0 || inFlight >= IN_FLIGHT_MAX || (scheduled && queue.length < BATCH_MAX)) return;
    // A full batch gains nothing by waiting for the round to end.
    if ((lastWasSingle && inFlight === 0) || queue.length >= BATCH_MAX) {
      void dispatch();
      return;
    }
    scheduled = true;
    // After this round of the event loop, so that callers that were woken together share a statement.
    setImmediate(() => {
      scheduled = false;
      if (queue.length > 0 && inFlight < IN_FLIGHT_MAX) void dispatch();
    });
  };

  return (given) =>
    new Promise((resolve, reject) => {
      queue.push({ given, resolve, reject });
      schedule();
    });
}
