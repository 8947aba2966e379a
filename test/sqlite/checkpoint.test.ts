import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { prepare } from '../../src/stores/sqlite/binding.ts';
import { openingOf } from '../contract/builders.ts';
import { put } from '../contract/store-checks.ts';
import { newPath, openStore, openTables } from './stores.ts';

const MEBIBYTE = 1024 * 1024;
/** What may be in the log before it is worth a checkpoint, and before it is begun anew: with room for the last batch. */
const WORTH_BYTES = 5 * MEBIBYTE;
const LARGEST_BYTES = 40 * MEBIBYTE;
const BODY = JSON.stringify('x'.repeat(60_000));

describe('the log of the database', () => {
  it('stays small under load, as long as somebody tends to it', async () => {
    const path = newPath();
    const [writer, reader] = [openStore(path), openStore(path)];
    const sizes: number[] = [];
    for (let batch = 0; batch < 60; batch += 1) {
      const openings = Array.from({ length: 20 }, (_, index) =>
        openingOf({ id: `b${batch}-${index}`, body: BODY as ReturnType<typeof openingOf>['body'] }),
      );
      await put(writer, ...openings);
      // One who reads now and then is no reason not to begin anew.
      await reader.find({ by: 'filter', max: 1 });
      await writer.upkeep.maintain();
      sizes.push(logBytes(path));
    }
    const writtenBytes = 60 * 20 * BODY.length;
    const largest = Math.max(...sizes);
    console.log(`${mebibytes(writtenBytes)} MiB written, the log was never larger than ${mebibytes(largest)} MiB`);
    expect(largest).toBeLessThan(LARGEST_BYTES);
    expect(writtenBytes).toBeGreaterThan(1.5 * LARGEST_BYTES);
  });

  it('is left alone while it is not worth the trouble', async () => {
    const path = newPath();
    const store = openStore(path);
    await put(store, openingOf({ id: 'a' }));
    const { mtimeMs } = statSync(path);
    await store.upkeep.maintain();
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
    expect(logBytes(path)).toBeGreaterThan(0);
    expect(logBytes(path)).toBeLessThan(WORTH_BYTES);
  });

  it('I3: what was in it is in the database afterwards', async () => {
    const path = newPath();
    const store = openStore(path);
    const openings = Array.from({ length: 100 }, (_, index) =>
      openingOf({ id: `a-${index}`, body: BODY as ReturnType<typeof openingOf>['body'] }),
    );
    await put(store, ...openings);
    await store.upkeep.maintain();
    const [busy, pages, moved] = prepare(openTables(path), 'PRAGMA wal_checkpoint(PASSIVE)').get() ?? [];
    expect([busy, moved]).toEqual([0, pages]);
    expect((await store.find({ by: 'filter', max: 200 })).items).toHaveLength(100);
  });
});

function logBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

function mebibytes(bytes: number): string {
  return (bytes / MEBIBYTE).toFixed(0);
}
