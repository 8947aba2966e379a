/**
 * The common parts of a pass over the queue folder and over the document folder: reads facts from a bookmark, finds open
 * handoffs without a file, and reconciles each handoff. The next pass retries those that could not be reconciled.
 */
import type { Handoff } from '../domain/handoff.ts';
import { OPEN_STATES } from '../domain/lifecycle.ts';
import type { HandoffId } from '../domain/names.ts';
import { BadCursor, type FactRead } from '../stores/store.ts';
import type { Context } from './context.ts';
import type { YieldingLoop } from './yielding-loop.ts';

export const PASS_PAGE = 200;
const FACTS_PAGE = 500;
/** Limits one pass to about a second. */
const FACT_PAGES_MAX = 20;

/**
 * Reads the facts after the cursor and advances it. `take` gets each page before the cursor passes it, and must remember
 * what has to be reconciled.
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

/** The open handoffs that `isWanted` selects. */
export async function openHandoffs(
  { store }: Context,
  loop: YieldingLoop,
  isWanted: (handoff: Handoff) => boolean,
): Promise<readonly HandoffId[]> {
  const found: HandoffId[] = [];
  for (let after: string | undefined; await loop.nextTurn();) {
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
  /** Handoffs that could not be reconciled and must be retried before the bookmark may move. */
  readonly again: Set<HandoffId>;
}

/** Reports an error and continues with the others. `reconcile` returns false if it must be called again. */
export async function reconcileEach(
  { ctx, again }: Reconciling,
  ids: readonly HandoffId[],
  { loop, atOnce, reconcile }: EachOptions,
): Promise<void> {
  const rest = ids.values();
  const work = async (): Promise<void> => {
    // Taken after the turn, so that files are adopted in the order in which they came.
    while (await loop.nextTurn()) {
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

/** The hash of the first fact, which differs between databases. */
async function databaseName({ store }: Context): Promise<string> {
  const [first] = await store.facts({ max: 1 });
  return first?.fact.hash ?? '';
}
