/**
 * Goes through a list in its order, and does at the same time what has nothing to do with each other, so that those
 * share a commit. What touches the same name is done one after the other.
 */

/** At most so many run at a time: a caller that stops waits for no more than these. */
const ABREAST_MAX = 64;

export interface ConcurrentRun<Item, Answer> {
  /** The names that it reads or changes something of; `everything`: it is done alone. */
  touches(item: Item): readonly string[] | 'everything';
  act(item: Item): Promise<Answer>;
  /** Asked before each: false, and no further one is begun. */
  goesOn(): boolean;
}

/** Answers in the order of the items. After the first that throws none is begun; those under way are awaited. */
export async function runConcurrently<Item, Answer>(
  items: readonly Item[],
  { touches, act, goesOn }: ConcurrentRun<Item, Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const latest = new Map<string, Promise<void>>();
  let under: Promise<void>[] = [];
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
    await Promise.all(under);
    under = [];
    latest.clear();
    if (failure !== null) throw failure.error;
  };

  for (const [index, item] of items.entries()) {
    const names = touches(item);
    if (names === 'everything' || under.length >= ABREAST_MAX) await allDone();
    if (!goesOn()) break;
    const doing = begin(item, index, names === 'everything' ? [] : names.flatMap((name) => latest.get(name) ?? []));
    under.push(doing);
    if (names === 'everything') await allDone();
    else for (const name of names) latest.set(name, doing);
  }
  await allDone();
  return answers;
}
