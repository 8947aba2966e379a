/** Finished files become settled handoffs again, as what they are: the word of whoever wrote them. */
import type { HandoffId } from '../../domain/names.ts';
import { yieldingLoop } from '../yielding-loop.ts';
import { isAdoptableEnd } from './adopt.ts';
import { reconcile } from './reconcile.ts';
import { fileName, type Queue } from './queue.ts';

const PAGE = 200;

export async function adoptFinished(queue: Queue, signal?: AbortSignal): Promise<{ readonly adopted: number }> {
  let adopted = 0;
  for await (const { ids } of unknownPages(queue, Number.POSITIVE_INFINITY, signal)) {
    for (const id of ids) await reconcile(queue, id);
    adopted += ids.length - (await unknownOf(queue, ids)).length;
  }
  return { adopted };
}

/** Names of finished files that could be taken in and were not, among the first `max` of each folder. */
export async function unknownEnds(queue: Queue, max: number, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { place, ids } of unknownPages(queue, max, signal)) {
    for (const id of ids) {
      if (isAdoptableEnd(queue, id, await queue.folder.read(place, id))) names.push(`${place}/${fileName(id)}`);
    }
  }
  return names;
}

async function* unknownPages(
  queue: Queue,
  max: number,
  signal?: AbortSignal,
): AsyncGenerator<{ readonly place: 'completed' | 'failed'; readonly ids: readonly HandoffId[] }> {
  const loop = yieldingLoop(queue.ctx, signal);
  for (const place of ['completed', 'failed'] as const) {
    let page: HandoffId[] = [];
    let seen = 0;
    for await (const { id } of queue.folder.finished(place)) {
      if (!(await loop.goOn())) return;
      if (id !== null) page.push(id);
      seen += 1;
      if (seen >= max) break;
      if (page.length < PAGE) continue;
      yield { place, ids: await unknownOf(queue, page) };
      page = [];
    }
    yield { place, ids: await unknownOf(queue, page) };
  }
}

async function unknownOf({ ctx }: Queue, ids: readonly HandoffId[]): Promise<readonly HandoffId[]> {
  if (ids.length === 0) return [];
  const { items } = await ctx.store.find({ by: 'ids', ids });
  const known = new Set(items.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}
