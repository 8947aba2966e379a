/**
 * Concurrent callers of one process share a statement, and with it the round trip and the wait for the disk.
 *
 * What is handed in while a statement is under way goes out with the next one. One more than is being carried out may
 * be on its way, so that the server has the next statement at hand when it is done with the last.
 */

/** Larger statements hold their rows locked for longer, and gain nothing more. */
const TOGETHER_MAX = 128;
const UNDER_WAY_MAX = 2;

interface Waiting<Given, Answer> {
  readonly given: Given;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** `send` answers for each of what it was given, in order; what it throws goes to all of them. */
export function sharedStatement<Given, Answer>(
  send: (given: readonly Given[]) => Promise<readonly (Answer | Error)[]>,
): (given: Given) => Promise<Answer> {
  let queue: Waiting<Given, Answer>[] = [];
  let underWay = 0;
  let scheduled = false;
  /** Whoever was last sent had no company, and is not expected to have any now. */
  let isAlone = true;

  const dispatch = async (): Promise<void> => {
    const batch = queue.slice(0, TOGETHER_MAX);
    queue = queue.slice(TOGETHER_MAX);
    underWay += 1;
    isAlone = batch.length === 1;
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
      underWay -= 1;
      schedule();
    }
  };

  const schedule = (): void => {
    if (scheduled || queue.length === 0 || underWay >= UNDER_WAY_MAX) return;
    if (isAlone && underWay === 0) {
      void dispatch();
      return;
    }
    scheduled = true;
    // After this round of the event loop, so that all who were woken together are sent together.
    setImmediate(() => {
      scheduled = false;
      if (queue.length > 0 && underWay < UNDER_WAY_MAX) void dispatch();
    });
  };

  return (given) =>
    new Promise((resolve, reject) => {
      queue.push({ given, resolve, reject });
      schedule();
    });
}
