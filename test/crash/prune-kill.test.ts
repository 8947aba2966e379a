/** A prune that is killed at any moment has lost nothing, and the next one goes on where it was. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ok } from '../../src/foundation/result.ts';
import type { Store } from '../../src/stores/store.ts';
import { databases, makeWorkspace } from '../cli/workspaces.ts';
import { cancelled, idOf, jsonOf, openingsOf } from '../contract/builders.ts';
import { put, trailsIn, valueOf } from '../contract/store-checks.ts';
import { until } from '../support/processes.ts';
import { imported, memoryStore } from '../transfer/sample.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

const COUNT = 400;
const ALL = 10_000;
const ARGS = ['prune', '--older-than', '0s'];

function archivesIn(folder: string): readonly string[] {
  const place = join(folder, '.baton', 'archive');
  if (!existsSync(place)) return [];
  const names = readdirSync(place).filter((name) => name.endsWith('.jsonl') && !name.startsWith('.'));
  return names.toSorted().map((name) => readFileSync(join(place, name), 'utf8'));
}

function draftsIn(folder: string): number {
  const place = join(folder, '.baton', 'archive');
  return existsSync(place) ? readdirSync(place).filter((name) => name.endsWith('.draft')).length : 0;
}

async function idsIn(store: Store): Promise<readonly string[]> {
  return (await store.find({ by: 'filter', max: ALL })).items.map(({ id }) => id);
}

describe.each(databases)('kill -9 in the middle of a prune on $name', (database) => {
  it('leaves each handoff in the database or in a whole archive, and loses none', async () => {
    const { folder, open, run, start } = await makeWorkspace(database);
    const { store } = await open();
    await put(store, ...openingsOf(COUNT, 'old', { body: jsonOf({ input: 'old' }) }), ...openingsOf(1, 'open'));
    const all = Array.from({ length: COUNT }, (_, index) => idOf(`old-${index}`));
    for (const answer of await store.change(all, cancelled)) valueOf(answer);
    await put(store, ...openingsOf(1, 'newest'));
    const left = async (): Promise<number> => (await idsIn(store)).length - 2;
    /** When the file is begun, and twice in the middle of the removal. */
    const moments: readonly (readonly [string, () => boolean | Promise<boolean>])[] = [
      ['a draft is there', () => draftsIn(folder) > 0 || archivesIn(folder).length > 0],
      ['some are removed', async () => (await left()) < COUNT],
      ['many are removed', async () => (await left()) < COUNT - 150],
    ];
    for (const [what, isNow] of moments) {
      const running = start(ARGS);
      await until(what, isNow);
      running.signal('SIGKILL');
      await running.ended;
      const archived = archivesIn(folder).join('');
      const there = new Set(await idsIn(store));
      expect(all.filter((id) => !there.has(id) && !archived.includes(`"id":"${id}"`))).toEqual([]);
    }
    expect(await run([...ARGS, '--json'])).toMatchObject({ code: 0 });
    expect((await idsIn(store)).toSorted()).toEqual(['newest-0', 'open-0']);
    expect(draftsIn(folder)).toBe(0);
    expect((await store.upkeep.audit()).filter(({ what }) => what !== 'setting')).toEqual([]);
    expect(await trailsIn(store)).toEqual({ flawed: [], count: 2 });
    const restored = memoryStore();
    for (const text of archivesIn(folder)) expect(await imported(restored, text)).toMatchObject(ok({ conflicting: 0 }));
    expect((await idsIn(restored)).toSorted()).toEqual(all.toSorted());
    expect(JSON.parse((await run([...ARGS, '--json'])).stdout)).toMatchObject({ handoffs: 0, archives: [] });
  });
});
