/**
 * Runs the items of a list concurrently, so that they share a commit. Items that touch the same name run one after the
 * other, in order.
 */

/** Items that run at a time; a caller that stops waits only for these. */
const CONCURRENCY_MAX = 64;

export interface ConcurrentRun<Item, Answer> {
  /** The names that the item reads or changes. `everything`: it runs alone. */
  touches(item: Item): readonly string[] | 'everything';
  act(item: Item): Promise<Answer>;
  /** Called before each item. False: no further item is started. */
  shouldContinue(): boolean;
}

/** Returns answers in the order of the items. After an error no item is started, and running ones are awaited. */
export async function runConcurrently<Item, Answer>(
  items: readonly Item[],
  { touches, act, shouldContinue }: ConcurrentRun<Item, Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const latest = new Map<string, Promise<void>>();
  let running: Promise<void>[] = [];
  let failure: { readonly error: unknown } | null = null;

  const begin = async (item: Item, index: number, before: readonly Promise<void>[]): Promise<void> => {
    try {
      await Promise.all(before);
      if (failure === null) answers[index] = await act(item);
    } catch (error) {
      failure ??= { error };
    }
  };
  const allDone = async (): Promise<void> => {
    await Promise.all(running);
    running = [];
    latest.clear();
    if (failure !== null) throw failure.error;
  };

  for (const [index, item] of items.entries()) {
    const names = touches(item);
    if (names === 'everything' || running.length >= CONCURRENCY_MAX) await allDone();
    if (!shouldContinue()) break;
    const doing = begin(item, index, names === 'everything' ? [] : names.flatMap((name) => latest.get(name) ?? []));
    running.push(doing);
    if (names === 'everything') await allDone();
    else for (const name of names) latest.set(name, doing);
  }
  await allDone();
  return answers;
}
