/** `handoffs/` of a workspace, and the few files of ours that belong to it. */
import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { OUR_FOLDER_MODE } from '../foundation/own-file.ts';
import { codeOf } from '../foundation/error-code.ts';
import { readHandoffId, type HandoffId } from '../domain/names.ts';
import { forgetTheDead, openAlone } from './alone.ts';
import { putArtifact } from './artifact-file.ts';
import { isDraft, moveFile, rewriteInPlace, writeDurably, writeWhole } from './durable-write.ts';
import { PLACES, type ListedName, type MessageFolder, type Place } from './folder.ts';
import { inspectFolders } from './inspect.ts';
import { readPlainFile } from './plain-file.ts';
import { watchFolders } from './watch.ts';

const ENDING = '.json';
const QUARANTINE = 'quarantine';
const BOOKMARK = 'queue.bookmark';
/** Long after any write of ours has ended. */
const FORGOTTEN_DRAFT_MS = 60_000;

export interface QueueFolderOptions {
  /** The workspace. */
  readonly folder: string;
  /** Where locks and the bookmark are. */
  readonly privateFolder: string;
}

export function openQueueFolder({ folder, privateFolder }: QueueFolderOptions): MessageFolder {
  const root = join(folder, 'handoffs');
  const locks = join(privateFolder, 'queue');
  const bookmarkPath = join(privateFolder, BOOKMARK);
  const folders = [root, ...[...PLACES, QUARANTINE].map((place) => join(root, place)), locks];
  const alone = openAlone();
  const folderOf = (place: Place): string => join(root, place);
  const pathOf = (place: Place, id: HandoffId): string => join(root, place, `${id}${ENDING}`);

  return {
    async prepare() {
      for (const path of folders) if (kindOf(path) !== 'folder') realFolder(path);
    },

    async list(place) {
      const names = readdirSync(folderOf(place));
      if (place === 'waiting') {
        forgetDrafts(folderOf(place), names);
        forgetTheDead(locks);
      }
      return names.flatMap(listed);
    },

    whereIs: async (id) => PLACES.filter((place) => kindOf(pathOf(place, id)) !== null),

    stamp: (place, id) => stampOf(pathOf(place, id)),

    writtenAt: (place, id) => lstatSync(pathOf(place, id), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    read: async (place, id) => readPlainFile(pathOf(place, id)),

    async move(id, from, to) {
      if (kindOf(pathOf(from, id)) !== 'file') return false;
      return moveFile(pathOf(from, id), pathOf(to, id), { durably: isEnd(to) });
    },

    async put(place, id, text) {
      if (isEnd(place)) await writeDurably(pathOf(place, id), text, folderOf('waiting'));
      else writeWhole(pathOf(place, id), text, folderOf('waiting'));
    },

    rewrite: async (place, id, text) => rewriteInPlace(pathOf(place, id), text, { durably: false }),

    async seal(id, text, to) {
      const path = pathOf('in-progress', id);
      if (!(await rewriteInPlace(path, text, { durably: true }))) await writeDurably(path, text, folderOf('waiting'));
      return moveFile(path, pathOf(to, id), { durably: true });
    },

    async discard(id) {
      remove(pathOf('waiting', id));
    },

    async quarantine(place, name, reason) {
      const plain = join(root, QUARANTINE, name);
      // Never over an older one of the same name.
      const aside = kindOf(plain) === null ? plain : `${plain}.${randomUUID()}`;
      // No more durable than the move beside it: after a power cut both are done again.
      if (await moveFile(join(folderOf(place), name), aside, { durably: false }))
        writeWhole(`${aside}.reason.txt`, `${reason}\n`);
    },

    putArtifact: (path, text, isOurs) => putArtifact(folder, path, text, isOurs),
    alone: (id, act) => alone.with(join(locks, `${id}.lock`), act),
    inspect: () => inspectFolders({ root, quarantine: QUARANTINE, locks, listed }),
    close: () => alone.close(),

    bookmark: {
      async load() {
        try {
          return readFileSync(bookmarkPath, 'utf8');
        } catch (error) {
          if (codeOf(error) !== 'ENOENT') throw error;
          return null;
        }
      },
      save: (cursor) => writeDurably(bookmarkPath, cursor),
    },

    watch: (changed) =>
      watchFolders(PLACES.map(folderOf), (index, name) => {
        const [entry] = name === null ? [] : listed(name);
        const place = PLACES[index];
        if (place !== undefined && (name === null || entry !== undefined)) changed(place, entry?.id ?? null);
      }),
  };
}

function isEnd(place: Place): boolean {
  return place === 'completed' || place === 'failed';
}

/** Drafts and whatever else is hidden or has another ending are nobody's message. */
function listed(name: string): readonly ListedName[] {
  if (name.startsWith('.') || !name.endsWith(ENDING)) return [];
  return [{ name, id: readHandoffId(name.slice(0, -ENDING.length)) }];
}

function forgetDrafts(folder: string, names: readonly string[]): void {
  for (const name of names.filter(isDraft)) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > FORGOTTEN_DRAFT_MS) remove(path);
  }
}

/** A folder that became a link would lead us out of the workspace: better no queue than somebody else's files. */
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
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
