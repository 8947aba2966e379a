/**
 * What a pass over the queue folder and a pass over the document folder have in common: facts are read from a bookmark on,
 * what is open and has no file is found, and each handoff is reconciled; one that cannot be is tried again by the next pass.
 */
import type { Handoff } from '../domain/handoff.ts';
import { OPEN_STATES } from '../domain/lifecycle.ts';
import type { HandoffId } from '../domain/names.ts';
import { BadCursor, type FactRead } from '../stores/store.ts';
import type { Context } from './context.ts';
import type { YieldingLoop } from './yielding-loop.ts';

export const PASS_PAGE = 200;
const FACTS_PAGE = 500;
/** One pass goes on for a second or so; the rest is for the next one. */
const FACT_PAGES_MAX = 20;

/**
 * Reads what happened since the cursor and moves it on. `take` gets each page before the cursor passes it, and keeps what
 * has to be looked at: nobody tells it twice.
 */
export async function readNewFacts(
  { store }: Context,
  reading: { cursor: string | null },
  take: (facts: readonly FactRead[]) => Promise<void> | void,
): Promise<void> {
  for (let page = 0; page < FACT_PAGES_MAX; page += 1) {
    const after = reading.cursor;
    const facts = await store.facts({ max: FACTS_PAGE, ...(after === null ? {} : { after }) });
    if (facts.length > 0) await take(facts);
    reading.cursor = facts.at(-1)?.cursor ?? reading.cursor;
    if (facts.length < FACTS_PAGE) return;
  }
}

/** What is open and not as it should be in the folder. */
export async function openHandoffs(
  { store }: Context,
  loop: YieldingLoop,
  isWanted: (handoff: Handoff) => boolean,
): Promise<readonly HandoffId[]> {
  const found: HandoffId[] = [];
  for (let after: string | undefined; await loop.goOn();) {
    const asked = { by: 'filter', states: OPEN_STATES, max: PASS_PAGE } as const;
    const { items, next } = await store.find(after === undefined ? asked : { ...asked, after });
    for (const handoff of items) if (isWanted(handoff)) found.push(handoff.id);
    if (next === null) break;
    after = next;
  }
  return found;
}

interface Reconciling {
  readonly ctx: Context;
  /** What could not be put right, and has to be tried again before the bookmark may move. */
  readonly again: Set<HandoffId>;
}

/** One that throws is reported and holds up no other. `reconcile` answers false where it has to be asked again. */
export async function reconcileEach(
  { ctx, again }: Reconciling,
  ids: readonly HandoffId[],
  { loop, atOnce, reconcile }: EachOptions,
): Promise<void> {
  const rest = ids.values();
  const work = async (): Promise<void> => {
    // Taken after the turn, not before it: the order in which files came is the order in which they are adopted.
    while (await loop.goOn()) {
      const { value: id } = rest.next();
      if (id === undefined) return;
      again.add(id);
      try {
        if (await reconcile(id)) again.delete(id);
      } catch (error) {
        ctx.report({ kind: 'fault', doing: `reconciling the file of ${id}`, error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

interface EachOptions {
  readonly loop: YieldingLoop;
  readonly atOnce: number;
  readonly reconcile: (id: HandoffId) => Promise<boolean>;
}

/**
 * The cursor that a bookmark names: the name of the database and a cursor in it, kept in a file. Null: there is no bookmark,
 * it belongs to another database, or it is damaged. Reading then starts over.
 */
export async function cursorIn(ctx: Context, bookmark: string | null): Promise<string | null> {
  const [name = '', cursor = ''] = (bookmark ?? '').split(' ');
  if (cursor === '' || name !== (await databaseName(ctx))) return null;
  try {
    await ctx.store.facts({ after: cursor, max: 1 });
    return cursor;
  } catch (error) {
    if (error instanceof BadCursor) return null;
    throw error;
  }
}

export async function bookmarkAt(ctx: Context, cursor: string): Promise<string> {
  return `${await databaseName(ctx)} ${cursor}`;
}

/** The hash of its first fact: no two databases have the same. */
async function databaseName({ store }: Context): Promise<string> {
  const [first] = await store.facts({ max: 1 });
  return first?.fact.hash ?? '';
}
