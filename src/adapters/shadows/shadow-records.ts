/** Records of shadows: one folder each below `.baton/shadows/`, named by an id that has been read as one. */
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeWhole } from '../../foundation/atomic-file.ts';
import { codeOf } from '../../foundation/system-error-code.ts';
import { newUuid } from '../../foundation/ids.ts';
import { systemRandom } from '../../foundation/random.ts';
import { readShadowId, type ShadowId } from '../../domain/names.ts';
import type { ShadowRecord, ShadowRecords } from '../../engine/shadow/shadow-context.ts';

const RECORD = 'record.json';
const SNAPSHOTS = 'snapshots';
const DRAFTS = 'drafts';
const RECORDS_MAX = 1_000;

export function shadowRecords(stateFolder: string): ShadowRecords {
  const folder = join(stateFolder, 'environments');
  const folderOf = (id: ShadowId): string => join(folder, id);
  const load = async (id: ShadowId): Promise<ShadowRecord | null> => {
    try {
      return JSON.parse(await readFile(join(folderOf(id), RECORD), 'utf8')) as ShadowRecord;
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return null;
      throw error;
    }
  };
  return {
    load,
    list: async () => {
      const names = await readdir(folder).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return [];
        throw error;
      });
      const ids = names.slice(0, RECORDS_MAX).flatMap((name) => readShadowId(name) ?? []);
      const records = await Promise.all(ids.map(load));
      return records.filter((record): record is ShadowRecord => record !== null);
    },
    save: async (record) => {
      const own = folderOf(record.id);
      await mkdir(join(own, SNAPSHOTS), { recursive: true, mode: 0o755 });
      await mkdir(join(own, DRAFTS), { recursive: true, mode: 0o700 });
      writeWhole(join(own, RECORD), JSON.stringify(record), { mode: 0o600, draftFolder: join(own, DRAFTS) });
    },
    // First what makes it a record: a removal that is interrupted leaves a folder that nobody takes for one.
    remove: async (id) => {
      await rm(join(folderOf(id), RECORD), { force: true });
      await rm(folderOf(id), { recursive: true, force: true, maxRetries: 3 });
    },
    snapshots: (id) => join(folderOf(id), SNAPSHOTS),
    draft: (id) => join(folderOf(id), DRAFTS, newUuid(Date.now(), systemRandom)),
    replace: async (id, draft, key) => {
      const place = join(folderOf(id), SNAPSHOTS, key);
      const old = join(folderOf(id), DRAFTS, newUuid(Date.now(), systemRandom));
      await mkdir(dirname(place), { recursive: true, mode: 0o755 });
      await rename(place, old).catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error;
      });
      await rename(draft, place);
      await rm(old, { recursive: true, force: true });
    },
  };
}
