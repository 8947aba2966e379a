/** Records of shadows: one folder each below `.baton/shadows/`, named by an id that has been read as one. */
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../../foundation/atomic-file.ts';
import { ignoreMissing, orNull } from '../../foundation/or-null.ts';
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
  const draft = (id: ShadowId): string => join(folderOf(id), DRAFTS, newUuid(Date.now(), systemRandom));
  const load = async (id: ShadowId): Promise<ShadowRecord | null> => {
    const text = await readFile(join(folderOf(id), RECORD), 'utf8').catch(ignoreMissing);
    return text === null ? null : orNull(() => JSON.parse(text) as ShadowRecord);
  };
  return {
    load,
    list: async () => {
      const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
      const ids = names.slice(0, RECORDS_MAX).flatMap((name) => readShadowId(name) ?? []);
      const records = await Promise.all(ids.map(load));
      return records.filter((record): record is ShadowRecord => record !== null);
    },
    save: async (record) => {
      const own = folderOf(record.id);
      await mkdir(join(own, SNAPSHOTS), { recursive: true, mode: 0o755 });
      await mkdir(join(own, DRAFTS), { recursive: true, mode: 0o700 });
      writeAtomically(join(own, RECORD), JSON.stringify(record), { mode: 0o600, draftFolder: join(own, DRAFTS) });
    },
    // The record goes first: a folder that an interrupted removal leaves behind is no record.
    remove: async (id) => {
      await rm(join(folderOf(id), RECORD), { force: true });
      await rm(folderOf(id), { recursive: true, force: true, maxRetries: 3 });
    },
    snapshots: (id) => join(folderOf(id), SNAPSHOTS),
    draft,
    replace: async (id, made, key) => {
      const place = join(folderOf(id), SNAPSHOTS, key);
      const old = draft(id);
      await mkdir(dirname(place), { recursive: true, mode: 0o755 });
      await rename(place, old).catch(ignoreMissing);
      await rename(made, place);
      await rm(old, { recursive: true, force: true });
    },
  };
}
