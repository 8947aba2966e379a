/** Imports finished files that the database does not know as settled handoffs. Their content is an unchecked claim. */
import type { HandoffId } from '../../domain/names.ts';
import { readMessage } from '../../formats/queue-message/read.ts';
import type { FileRead } from '../../folders/folder.ts';
import { handoffsByIds } from '../handoffs/find.ts';
import { yieldingLoop } from '../yielding-loop.ts';
import { isAdoptableEnd } from './adopt.ts';
import { reconcile } from './reconcile.ts';
import { fileName, UNREADABLE_MS, type Queue } from './queue.ts';

const PAGE = 200;

export async function adoptFinished(queue: Queue, signal?: AbortSignal): Promise<{ readonly adopted: number }> {
  let adopted = 0;
  for await (const { ids } of unknownPages(queue, Number.POSITIVE_INFINITY, signal)) {
    for (const id of ids) await reconcile(queue, id);
    adopted += ids.length - (await unknownOf(queue, ids)).length;
  }
  return { adopted };
}

/**
 * Names of finished files without a handoff, among the first `max` files of each folder. `adoptable` files can become settled
 * handoffs; `truncated` ones were cut off in the middle of writing, so their requests are lost.
 */
export async function unknownFinished(queue: Queue, max: number, signal: AbortSignal) {
  const [adoptable, truncated]: [string[], string[]] = [[], []];
  for await (const { place, ids } of unknownPages(queue, max, signal)) {
    for (const id of ids) {
      const file = await queue.folder.read(place, id);
      if (isAdoptableEnd(queue, id, file)) adoptable.push(`${place}/${fileName(id)}`);
      else if (isTruncated(file)) truncated.push(`${place}/${fileName(id)}`);
    }
  }
  return { adoptable, truncated };
}

function isTruncated(file: FileRead): boolean {
  return file.kind === 'file' && file.unchangedMs >= UNREADABLE_MS && !readMessage(file.text).ok;
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
      if (!(await loop.nextTurn())) return;
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

/** Pruned handoffs count as known: their files may stay. */
async function unknownOf({ ctx }: Queue, ids: readonly HandoffId[]): Promise<readonly HandoffId[]> {
  const known = await handoffsByIds(ctx.store, ids);
  const absent = ids.filter((id) => !known.has(id));
  if (absent.length === 0) return [];
  const pruned = new Set((await ctx.store.retention.removed(absent)).map(({ id }) => id));
  return absent.filter((id) => !pruned.has(id));
}
