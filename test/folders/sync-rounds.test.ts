import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSyncRounds } from '../../src/folders/sync-rounds.ts';
import { tempFolder } from '../support/processes.ts';

/** Of no open file, so that its sync fails. */
const NO_FILE = 1_000_000;

describe('rounds of syncs', () => {
  it('tell a fault only to the caller whose file has it', async () => {
    const folder = tempFolder();
    const { file, folder: syncNames } = openSyncRounds();
    const whole = openSync(join(folder, 'whole'), 'wx');
    writeSync(whole, 'text');
    const answers = await Promise.allSettled([
      file(whole),
      file(NO_FILE),
      syncNames(folder),
      syncNames(join(folder, 'none')),
    ]);
    closeSync(whole);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    // A fault ends its round, and not those that follow.
    await expect(syncNames(folder)).resolves.toBeUndefined();
  });

  it('sync a folder anew for names that came after a round had begun', async () => {
    const folder = tempFolder();
    const { folder: syncNames } = openSyncRounds();
    const ended: string[] = [];
    const first = syncNames(folder).then(() => ended.push('first'));
    const together = syncNames(folder).then(() => ended.push('together'));
    await first;
    const later = syncNames(folder).then(() => ended.push('later'));
    await Promise.all([together, later]);
    expect(ended).toEqual(['first', 'together', 'later']);
  });

  it('take in what is handed in while one is under way', async () => {
    const folder = tempFolder();
    const { file } = openSyncRounds();
    const files = Array.from({ length: 200 }, (_each, at) => openSync(join(folder, String(at)), 'wx'));
    const syncing: Promise<void>[] = [];
    for (const each of files) {
      writeSync(each, 'text');
      syncing.push(file(each));
      // One turn of the event loop: the rounds begin in between.
      if (syncing.length % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const answers = await Promise.all(syncing);
    for (const each of files) closeSync(each);
    expect(answers).toHaveLength(files.length);
  });
});
