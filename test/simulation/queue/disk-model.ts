/**
 * The queue folder as a system keeps it: names that lead to files. A rename has one winner, a file that is open stays the
 * same file wherever it is moved, and between any two calls others may have had any number of turns.
 */
import type { HandoffId } from '../../../src/domain/names.ts';
import type { FileRead, MessageFolder } from '../../../src/folders/folder.ts';
import { OPEN_QUEUE_FOLDERS, QUEUE_FOLDERS, type QueueFolder } from '../../../src/folders/queue-folder-names.ts';

interface DiskFile {
  text: string;
  changedMs: number;
  /** Another number after each change. */
  version: number;
}

export interface Disk {
  readonly files: Map<string, DiskFile>;
  readonly quarantined: { readonly name: string; readonly text: string; readonly reason: string }[];
  list(place: QueueFolder): readonly HandoffId[];
  at(place: QueueFolder, id: HandoffId): DiskFile | undefined;
  write(file: DiskFile, text: string): void;
  /** As opening for writing does: the file that is there, emptied, or a new one. */
  create(place: QueueFolder, id: HandoffId): DiskFile;
  rename(id: HandoffId, from: QueueFolder, to: QueueFolder): boolean;
  folderOf(turn: (what: string) => Promise<void>): MessageFolder;
}

export function openDisk(nowMs: () => number): Disk {
  const files = new Map<string, DiskFile>();
  const quarantined: Disk['quarantined'] = [];
  const artifacts = new Map<string, string>();
  const watchers = new Set<(place: QueueFolder, id: HandoffId) => void>();
  let versions = 0;
  let bookmark: string | null = null;

  const key = (place: QueueFolder, id: HandoffId): string => `${place}/${id}`;
  const at: Disk['at'] = (place, id) => files.get(key(place, id));
  const touch = (file: DiskFile): void => {
    file.changedMs = nowMs();
    versions += 1;
    file.version = versions;
  };
  const tell = (place: QueueFolder, id: HandoffId): void => {
    if (place !== 'waiting') for (const watcher of watchers) watcher(place, id);
  };
  const tellOf = (file: DiskFile): void => {
    for (const [name, each] of files) {
      if (each !== file) continue;
      const [place = '', id = ''] = name.split('/');
      tell(place as QueueFolder, id as HandoffId);
    }
  };
  const list: Disk['list'] = (place) =>
    [...files.keys()]
      .filter((name) => name.startsWith(`${place}/`))
      .map((name) => name.slice(place.length + 1) as HandoffId);

  const disk: Omit<Disk, 'folderOf'> = {
    files,
    quarantined,
    list,
    at,
    write(file, text) {
      file.text = text;
      touch(file);
      tellOf(file);
    },
    create(place, id) {
      const file = at(place, id) ?? { text: '', changedMs: 0, version: 0 };
      files.set(key(place, id), file);
      disk.write(file, '');
      return file;
    },
    rename(id, from, to) {
      const file = at(from, id);
      if (file === undefined) return false;
      files.delete(key(from, id));
      files.set(key(to, id), file);
      touch(file);
      tell(from, id);
      tell(to, id);
      return true;
    },
  };

  const put = (place: QueueFolder, id: HandoffId, text: string): void => {
    const file = { text, changedMs: 0, version: 0 };
    files.set(key(place, id), file);
    touch(file);
    tell(place, id);
  };
  const readAt = (place: QueueFolder, id: HandoffId): FileRead => {
    const file = at(place, id);
    if (file === undefined) return { kind: 'absent' };
    return { kind: 'file', text: file.text, user: '1000', unchangedMs: nowMs() - file.changedMs };
  };

  const folderOf: Disk['folderOf'] = (turn) => ({
    prepare: async () => undefined,
    async list(place) {
      await turn(`lists ${place}`);
      return list(place).map((id) => ({ name: `${id}.json`, id }));
    },
    async *finished(place) {
      for (const id of list(place)) yield { name: `${id}.json`, id };
    },
    async whereIs(id, among = QUEUE_FOLDERS) {
      const found: QueueFolder[] = [];
      for (const place of among) {
        await turn(`looks for ${place}/${id}`);
        if (at(place, id) !== undefined) found.push(place);
      }
      return found;
    },
    stamp: (place, id) => at(place, id)?.version.toString() ?? null,
    changedAt: (place, id) => at(place, id)?.changedMs ?? 0,
    async read(place, id) {
      await turn(`reads ${place}/${id}`);
      return readAt(place, id);
    },
    async move(id, from, to) {
      await turn(`moves ${id} from ${from} to ${to}`);
      return disk.rename(id, from, to);
    },
    async put(place, id, text) {
      await turn(`puts ${place}/${id}`);
      put(place, id, text);
    },
    async rewrite(place, id, text, isExpected) {
      await turn(`rewrites ${place}/${id}`);
      const file = at(place, id);
      if (file === undefined) return false;
      if (isExpected !== undefined && !isExpected(file.text)) return 'other';
      disk.write(file, text);
      return true;
    },
    async finish(id, text, to, first) {
      await turn(`writes the end of ${id}`);
      const file = at('in-progress', id);
      if (file === undefined) put('in-progress', id, text);
      else disk.write(file, text);
      await first;
      await turn(`seals ${id} in ${to}`);
      return disk.rename(id, 'in-progress', to);
    },
    async discard(place, id) {
      await turn(`discards ${place}/${id}`);
      files.delete(key(place, id));
    },
    async quarantine(place, name, reason) {
      await turn(`puts ${place}/${name} aside`);
      const id = name.replace(/\.json$/, '') as HandoffId;
      const file = at(place, id);
      if (file === undefined) return false;
      files.delete(key(place, id));
      quarantined.push({ name: `${place}/${name}`, text: file.text, reason });
      return true;
    },
    archiveFinished: async () => 0,
    isArchived: () => false,
    async putArtifact(path, text) {
      await turn(`writes ${path}`);
      const isThere = artifacts.has(path);
      artifacts.set(path, text);
      return { isNew: !isThere, onDisk: Promise.resolve() };
    },
    inspect: () => ({
      wrong: [],
      open: OPEN_QUEUE_FOLDERS.map((place) => ({
        place,
        files: list(place).map((id) => ({ name: `${id}.json`, id, isFile: true })),
      })),
      quarantined: [],
      dead: [],
    }),
    bookmark: {
      load: async () => bookmark,
      async save(cursor) {
        await turn('saves the bookmark');
        bookmark = cursor;
      },
    },
    watch(changed) {
      watchers.add(changed);
      return { close: () => watchers.delete(changed) };
    },
  });
  return { ...disk, folderOf };
}
