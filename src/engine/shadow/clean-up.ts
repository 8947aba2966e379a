/** Removes shadows of killed runs, and shadows that are too old. */
import { readShadowId } from '../../domain/names.ts';
import { remove } from './create.ts';
import type { ShadowRecord, ShadowContext } from './shadow-context.ts';

export interface CleanedUp {
  readonly removed: readonly string[];
}

export async function cleanUp(shadows: ShadowContext): Promise<CleanedUp> {
  const { records, sandbox } = shadows;
  const [containers, known] = await Promise.all([sandbox.list(), records.list()]);
  const removed: string[] = [];
  for (const record of known.filter((each) => isOver(shadows, each))) {
    await remove(shadows, record.id);
    removed.push(record.id);
  }
  // Read again: a record is written before its container is made.
  const kept = new Set<string>((await records.list()).map(({ id }) => id));
  for (const { id: text } of containers.filter(({ id }) => !kept.has(id) && !removed.includes(id))) {
    const id = readShadowId(text);
    if (id === null) continue;
    await sandbox.destroy(id);
    removed.push(id);
  }
  return { removed };
}

function isOver({ clock, liveness }: ShadowContext, { untilMs, owner }: ShadowRecord): boolean {
  return clock.nowMs() >= untilMs || (owner !== null && liveness.of(owner) === 'gone');
}
