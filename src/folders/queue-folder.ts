/** `handoffs/` of a workspace, and the few files of ours that belong to it. */
import { randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../foundation/error-code.ts';
import { readHandoffId, type HandoffId } from '../domain/names.ts';
import { forgetTheDead, openAlone } from './alone.ts';
import { putArtifact } from './artifact-file.ts';
import { isDraft, moveFile, rewriteInPlace, writeDurably } from './durable-write.ts';
import { PLACES, type ListedName, type MessageFolder, type Place } from './folder.ts';
import { readPlainFile } from './plain-file.ts';
import { ignoreMissing, kindOf } from './real-folder.ts';
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
  const alone = openAlone();
  const folderOf = (place: Place): string => join(root, place);
  const pathOf = (place: Place, id: HandoffId): string => join(root, place, `${id}${ENDING}`);
  const isThere = async (place: Place, id: HandoffId): Promise<boolean> => (await kindOf(pathOf(place, id))) !== null;

  return {
    async prepare() {
      const folders = [root, ...[...PLACES, QUARANTINE].map((place) => join(root, place)), locks];
      const kinds = await Promise.all(folders.map(kindOf));
      for (const [index, path] of folders.entries()) if (kinds[index] !== 'folder') await realFolder(path);
    },

    async list(place) {
      const names = await readdir(folderOf(place));
      if (place === 'waiting') {
        await forgetDrafts(folderOf(place), names);
        await forgetTheDead(locks);
      }
      return names.flatMap(listed);
    },

    async whereIs(id) {
      const found: Place[] = [];
      for (const place of PLACES) if (await isThere(place, id)) found.push(place);
      return found;
    },

    read: (place, id) => readPlainFile(pathOf(place, id)),

    async move(id, from, to) {
      if ((await kindOf(pathOf(from, id))) !== 'file') return false;
      return moveFile(pathOf(from, id), pathOf(to, id), { durably: to === 'completed' || to === 'failed' });
    },

    put: (place, id, text) => writeDurably(pathOf(place, id), text, folderOf('waiting')),
    rewrite: (place, id, text) => rewriteInPlace(pathOf(place, id), text),

    async discard(id) {
      await unlink(pathOf('waiting', id)).catch(ignoreMissing);
    },

    async quarantine(place, name, reason) {
      const plain = join(root, QUARANTINE, name);
      // Never over an older one of the same name.
      const aside = (await kindOf(plain)) === null ? plain : `${plain}.${randomUUID()}`;
      try {
        await rename(join(folderOf(place), name), aside);
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return;
        throw error;
      }
      await writeDurably(`${aside}.reason.txt`, `${reason}\n`);
    },

    putArtifact: (path, text, isOurs) => putArtifact(folder, path, text, isOurs),
    alone: (id, act) => alone(join(locks, `${id}.lock`), act),

    bookmark: {
      async load() {
        try {
          return await readFile(bookmarkPath, 'utf8');
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

/** Drafts and whatever else is hidden or has another ending are nobody's message. */
function listed(name: string): readonly ListedName[] {
  if (name.startsWith('.') || !name.endsWith(ENDING)) return [];
  return [{ name, id: readHandoffId(name.slice(0, -ENDING.length)) }];
}

async function forgetDrafts(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names.filter(isDraft)) {
    const path = join(folder, name);
    const found = await lstat(path).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > FORGOTTEN_DRAFT_MS) await unlink(path).catch(ignoreMissing);
  }
}

/** A folder that became a link would lead us out of the workspace: better no queue than somebody else's files. */
async function realFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  if ((await kindOf(path)) !== 'folder') throw new Error(`${path} is not a folder of its own; the queue stands still`);
}
