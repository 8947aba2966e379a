/** `handoffs/` of a workspace, and Baton's private files for it. */
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, unlinkSync, type Stats } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isDraft, writeDurably, writeAtomically } from '../foundation/atomic-file.ts';
import { OUR_FOLDER_MODE } from '../foundation/file-ownership.ts';
import { unlessMissing } from '../foundation/or-null.ts';
import { readHandoffId, type HandoffId } from '../domain/names.ts';
import { removeDeadLocks } from './name-locks.ts';
import { archiveFinished, isArchived } from './archive-finished.ts';
import { putArtifact } from './artifact-file.ts';
import { openFileClock } from './file-clock.ts';
import type { ListedName, MessageFolder } from './folder.ts';
import { isFinished, QUEUE_FOLDERS, type QueueFolder } from './queue-folder-names.ts';
import { inspectFolders } from './inspect.ts';
import { moveFile, readPlainFile, rewriteInPlace, type ReadOptions, type Trusted } from './plain-file.ts';
import { openSyncRounds } from './sync-rounds.ts';
import { watchFolders } from './watch.ts';

const EXTENSION = '.json';
const QUARANTINE = 'quarantine';
const BOOKMARK = 'queue.bookmark';
/** Only Baton writes into `waiting/`, so it is not watched. */
const WATCHED = QUEUE_FOLDERS.filter((place) => place !== 'waiting');
/** Much longer than any write of a draft takes. */
const ABANDONED_DRAFT_MS = 60_000;

export interface QueueFolderOptions {
  /** The workspace. */
  readonly folder: string;
  /** Where the locks of the registry and the bookmark are. */
  readonly privateFolder: string;
  /** Users whose files are read besides our own. */
  readonly trusted?: Trusted;
  /** When finished files go to the archive. @default never */
  readonly keep?: Keep;
  /** How long a file has been unchanged. @default by its change time and the clock of its file system */
  readonly unchangedMsOf?: (found: Stats) => number;
}

interface Keep {
  readonly ageMs: number | null;
  /** For each of the two folders. */
  readonly files: number | null;
}

export function openQueueFolder(options: QueueFolderOptions): MessageFolder {
  const { folder, privateFolder, trusted } = options;
  const root = join(folder, 'handoffs');
  const draftFolder = join(root, 'waiting');
  const unchangedMsOf = options.unchangedMsOf ?? openFileClock(draftFolder);
  const reading: ReadOptions = { unchangedMsOf, ...(trusted === undefined ? {} : { trusted }) };
  // Queue files need no locks: each rename has one winner, and the fence decides between Baton workers.
  const locks = join(privateFolder, 'artifacts');
  const bookmarkPath = join(privateFolder, BOOKMARK);
  const folders = [root, ...[...QUEUE_FOLDERS, QUARANTINE].map((place) => join(root, place))];
  const disk = openSyncRounds();
  const refreshes = new Set<() => void>();
  const folderOf = (place: QueueFolder): string => join(root, place);
  // An id has no separators, and `join` takes longer here than some system calls.
  const pathOf = (place: QueueFolder, id: HandoffId): string => `${root}${sep}${place}${sep}${id}${EXTENSION}`;

  return {
    async prepare() {
      for (const path of folders) if (kindOf(path) !== 'folder') realFolder(path);
    },

    async list(place) {
      const names = readdirSync(folderOf(place));
      if (place === 'waiting') {
        removeAbandonedDrafts(folderOf(place), names, unchangedMsOf);
        if (kindOf(locks) === 'folder') removeDeadLocks(locks);
        for (const refresh of refreshes) refresh();
      }
      return names.flatMap(entryFor);
    },

    async *finished(place) {
      for await (const { name } of await opendir(folderOf(place))) yield* entryFor(name);
    },

    whereIs: async (id, among = QUEUE_FOLDERS) => among.filter((place) => kindOf(pathOf(place, id)) !== null),

    stamp: (place, id) => stampOf(pathOf(place, id)),

    changedAt: (place, id) => lstatSync(pathOf(place, id), { throwIfNoEntry: false })?.ctimeMs ?? 0,
    read: async (place, id) => readPlainFile(pathOf(place, id), reading),

    async move(id, from, to) {
      // Only Baton writes into waiting/, so files there need no check.
      if (from !== 'waiting' && kindOf(pathOf(from, id)) !== 'file') return false;
      return moveFile(pathOf(from, id), pathOf(to, id), isFinished(to) ? disk : undefined);
    },

    async put(place, id, text) {
      if (isFinished(place)) await writeDurably(pathOf(place, id), text, { draftFolder });
      else writeAtomically(pathOf(place, id), text, { draftFolder });
    },

    rewrite: async (place, id, text, isExpected) =>
      rewriteInPlace(pathOf(place, id), text, isExpected === undefined ? {} : { isExpected }),

    async finish(id, text, to, first) {
      const path = pathOf('in-progress', id);
      const write = async (): Promise<void> => {
        if (!(await rewriteInPlace(path, text, { disk }))) await writeDurably(path, text, { draftFolder });
      };
      await Promise.all([write(), first]);
      return moveFile(path, pathOf(to, id), disk);
    },

    async discard(place, id) {
      remove(pathOf(place, id));
    },

    async quarantine(place, name, reason) {
      const plain = join(root, QUARANTINE, name);
      // An older file of the same name is kept.
      const aside = kindOf(plain) === null ? plain : `${plain}.${randomUUID()}`;
      // Not synced: after a power cut the next pass repeats it.
      if (!(await moveFile(join(folderOf(place), name), aside))) return false;
      writeAtomically(`${aside}.reason.txt`, `${reason}\n`);
      return true;
    },

    archiveFinished: () => archiveFinished({ root, keep: options.keep ?? { ageMs: null, files: null }, unchangedMsOf }),
    isArchived: (id, sinceMs) => isArchived(root, `${id}${EXTENSION}`, sinceMs),
    putArtifact: (path, text, isOurs) => putArtifact(folder, path, text, isOurs, disk),
    inspect: () => inspectFolders({ root, quarantine: QUARANTINE, locks, listed: entryFor }),

    bookmark: {
      load: async () => unlessMissing(() => readFileSync(bookmarkPath, 'utf8')),
      save: async (cursor) => void (await writeDurably(bookmarkPath, cursor)),
    },

    watch(changed) {
      const watching = watchFolders(WATCHED.map(folderOf), (index, name) => {
        const [entry] = name === null ? [] : entryFor(name);
        const place = WATCHED[index];
        if (place !== undefined && (name === null || entry !== undefined)) changed(place, entry?.id ?? null);
      });
      const refresh = (): void => {
        // Files that appeared before the folder was watched caused no event.
        if (watching.refresh()) changed('pending', null);
      };
      refreshes.add(refresh);
      return {
        close: () => {
          refreshes.delete(refresh);
          watching.close();
        },
      };
    },
  };
}

/** Drafts, hidden files and files with another ending are not messages. */
function entryFor(name: string): readonly ListedName[] {
  if (name.startsWith('.') || !name.endsWith(EXTENSION)) return [];
  return [{ name, id: readHandoffId(name.slice(0, -EXTENSION.length)) }];
}

function removeAbandonedDrafts(
  folder: string,
  names: readonly string[],
  unchangedMsOf: (found: Stats) => number,
): void {
  for (const name of names.filter(isDraft)) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && unchangedMsOf(found) > ABANDONED_DRAFT_MS) remove(path);
  }
}

/** A folder that became a link would lead out of the workspace, so the queue stops. */
function realFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: OUR_FOLDER_MODE });
  if (kindOf(path) !== 'folder') throw new Error(`${path} is not a folder of its own; the queue stands still`);
}

function kindOf(path: string): 'file' | 'folder' | 'other' | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
}

function stampOf(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
}

function remove(path: string): void {
  unlessMissing(() => unlinkSync(path));
}
