/** Finished files become settled handoffs again, as what they are: the word of whoever wrote them. */
import type { HandoffId } from '../../domain/names.ts';
import { yieldingLoop } from '../yielding-loop.ts';
import { reconcile } from './reconcile.ts';
import type { Queue } from './queue.ts';

const PAGE = 200;

export async function adoptFinished(queue: Queue, signal?: AbortSignal): Promise<{ readonly adopted: number }> {
  const loop = yieldingLoop(queue.ctx, signal);
  let adopted = 0;
  for (const place of ['completed', 'failed'] as const) {
    let page: HandoffId[] = [];
    for await (const { id } of queue.folder.finished(place)) {
      if (!(await loop.goOn())) return { adopted };
      if (id !== null) page.push(id);
      if (page.length < PAGE) continue;
      adopted += await adoptPage(queue, page);
      page = [];
    }
    adopted += await adoptPage(queue, page);
  }
  return { adopted };
}

async function adoptPage(queue: Queue, ids: readonly HandoffId[]): Promise<number> {
  const unknown = await unknownOf(queue, ids);
  for (const id of unknown) await reconcile(queue, id);
  return unknown.length - (await unknownOf(queue, unknown)).length;
}

async function unknownOf({ ctx }: Queue, ids: readonly HandoffId[]): Promise<readonly HandoffId[]> {
  if (ids.length === 0) return [];
  const { items } = await ctx.store.find({ by: 'ids', ids });
  const known = new Set(items.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}
