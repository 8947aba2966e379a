/** `_handoffs/` of a workspace, and Baton's private files for it. */
import { createHash, randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { appendFile, mkdir, opendir, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably, writeAtomically } from '../foundation/atomic-file.ts';
import { readHandoffId, type HandoffId } from '../domain/names.ts';
import { DOCUMENT_EXTENSION, fileNameOf } from '../formats/document/names.ts';
import { removeDeadLocks, openNameLocks } from './name-locks.ts';
import { monthsBack, monthsFrom } from './archive-months.ts';
import type { Agreed, DocumentFolder, DocumentPlace, ListedDocument } from './folder.ts';
import { openGitTree, type GitTree } from './git-tree.ts';
import { moveFile, readPlainFile } from './plain-file.ts';
import { ignoreMissing } from '../foundation/or-null.ts';
import { kindOf, realFolder } from './real-folder.ts';
import { watchFolders } from './watch.ts';

const ROOT = '_handoffs';
const ACTIVE = 'active';
const ARCHIVED = 'archived';
const INDEX = '_index.yaml';
/** How many versions of one document are read. */
const VERSIONS_MAX = 100;

export interface DocumentFolderOptions {
  /** The workspace. */
  readonly folder: string;
  readonly privateFolder: string;
}

export function openDocumentFolder({ folder, privateFolder }: DocumentFolderOptions): DocumentFolder {
  const own = join(privateFolder, 'documents');
  const agreedFolder = join(own, 'agreed');
  const refused = join(own, 'refused');
  const seenFolder = join(own, 'told');
  const locks = join(own, 'locks');
  const tree = openGitTree(folder);
  const nameLocks = openNameLocks();
  const partOf = (place: DocumentPlace): string => (place === ACTIVE ? ACTIVE : join(ARCHIVED, place));
  const folderOf = (place: DocumentPlace): string => join(folder, ROOT, partOf(place));
  const pathOf = (place: DocumentPlace, id: HandoffId): string => join(folderOf(place), fileNameOf(id));
  const gitPathOf = (place: DocumentPlace, id: HandoffId): string =>
    `${ROOT}/${partOf(place).replaceAll('\\', '/')}/${fileNameOf(id)}`;
  const agreedPath = (id: HandoffId): string => join(agreedFolder, `${id}${DOCUMENT_EXTENSION}`);
  const seenPath = (id: HandoffId): string => join(seenFolder, id);
  const notePath = (name: string): string => join(own, name);
  const indexPath = join(folder, ROOT, INDEX);

  return {
    async prepare() {
      const parts = [
        own,
        agreedFolder,
        seenFolder,
        refused,
        locks,
        ...['', ACTIVE, ARCHIVED].map((part) => join(folder, ROOT, part)),
      ];
      const kinds = await Promise.all(parts.map(kindOf));
      for (const [index, path] of parts.entries()) if (kinds[index] !== 'folder') await realFolder(path);
    },

    async list() {
      removeDeadLocks(locks);
      const names = (await readdir(folderOf(ACTIVE))).filter(isDocumentFile);
      return names.flatMap((name): readonly ListedDocument[] => {
        const stamp = stampOf(join(folderOf(ACTIVE), name));
        return stamp === null ? [] : [{ name, id: idOf(name), stamp }];
      });
    },

    async hasMoreThan(count) {
      let seen = 0;
      for await (const { name } of await opendir(folderOf(ACTIVE))) {
        if (isDocumentFile(name)) seen += 1;
        if (seen > count) return true;
      }
      return false;
    },

    async find(id, sinceMs) {
      for (const place of [ACTIVE, ...monthsFrom(sinceMs)])
        if ((await kindOf(pathOf(place, id))) !== null) return place;
      return null;
    },

    async findAll(id, sinceMs) {
      const places = [ACTIVE, ...monthsFrom(sinceMs)];
      const kinds = await Promise.all(places.map((place) => kindOf(pathOf(place, id))));
      return places.filter((_place, index) => kinds[index] !== null);
    },

    async read(place, id) {
      const path = pathOf(place, id);
      const before = stampOf(path);
      const file = readPlainFile(path);
      if (file.kind !== 'file') return file;
      const stamp = stampOf(path);
      return stamp === null || stamp !== before ? { kind: 'absent' } : { ...file, stamp };
    },

    async put(id, text) {
      if ((await kindOf(pathOf(ACTIVE, id))) !== null) return false;
      return writeDurably(pathOf(ACTIVE, id), text, { draftFolder: own });
    },

    async replace(place, id, text, read) {
      const path = pathOf(place, id);
      return writeDurably(path, text, { draftFolder: own, shouldReplace: () => stampOf(path) === read });
    },

    async move(id, from, to) {
      if ((await kindOf(pathOf(to, id))) !== null) return false;
      // Each level is checked, because a link at any level would lead elsewhere.
      for (const part of to === ACTIVE ? [ACTIVE] : [to.slice(0, 4), to]) await realFolder(folderOf(part));
      return moveFile(pathOf(from, id), pathOf(to, id));
    },

    agreed: {
      async load(id) {
        const text = await readOrNull(agreedPath(id));
        return text === null ? null : agreedIn(text);
      },
      async save(id, agreed) {
        // Not synced: if a power cut loses it, both sides are compared again.
        writeAtomically(agreedPath(id), agreedText(agreed), { draftFolder: own });
      },
      async forget(id) {
        await unlink(agreedPath(id)).catch(ignoreMissing);
      },
    },

    agreedTexts: {
      async add(id, text) {
        const mark = textDigest(text);
        const known = await readOrNull(seenPath(id));
        if (known === null || !known.includes(mark)) await appendFile(seenPath(id), `${mark}\n`);
      },
      has: async (id, text) => (await readOrNull(seenPath(id)))?.includes(textDigest(text)) === true,
    },

    async discard(place, id) {
      await unlink(pathOf(place, id)).catch(ignoreMissing);
    },

    async keepRefused(id, text) {
      const path = join(refused, `${id}.${randomUUID().slice(0, 8)}${DOCUMENT_EXTENSION}`);
      await writeFile(path, text);
      return path;
    },

    index: {
      load: () => readOrNull(indexPath),
      async save(text, isAsked = true) {
        const isTracked = tree.commonFolder() !== null && (await tree.tracks(`${ROOT}/${INDEX}`));
        if (isTracked && !isAsked) return false;
        if (!isTracked) await keepOutOfGit(tree, `${ROOT}/${INDEX}`);
        return writeDurably(indexPath, text, { draftFolder: own });
      },
    },

    notes: {
      load: (name) => readOrNull(notePath(name)),
      async save(name, text) {
        if (text === null) await unlink(notePath(name)).catch(ignoreMissing);
        // Only a mark: a full pass writes the index in any case.
        else if (name === 'index-is-old') await writeFile(notePath(name), text);
        else await writeDurably(notePath(name), text, { draftFolder: own });
      },
    },

    async months() {
      const root = join(folder, ROOT, ARCHIVED);
      const years = (await readdir(root)).filter((name) => /^\d{4}$/.test(name)).toSorted();
      const found: DocumentPlace[] = [];
      for (const year of years) {
        if ((await kindOf(join(root, year))) !== 'folder') continue;
        const months = (await readdir(join(root, year))).filter((name) => /^(?:0[1-9]|1[0-2])$/.test(name)).toSorted();
        for (const month of months)
          if ((await kindOf(join(root, year, month))) === 'folder') found.push(`${year}/${month}`);
      }
      return found;
    },

    async listIn(month) {
      const names = (await readdir(folderOf(month))).filter(isDocumentFile).toSorted();
      return names.map(idOf).filter((id) => id !== null);
    },

    async archived(max) {
      const texts: string[] = [];
      for (const place of monthsBack()) {
        const names = (await readdir(folderOf(place)).catch(() => [])).filter(isDocumentFile);
        for (const name of names.toSorted().toReversed()) {
          if (texts.length >= max) return texts;
          const file = readPlainFile(join(folderOf(place), name));
          if (file.kind === 'file') texts.push(file.text);
        }
      }
      return texts;
    },

    git: {
      busy: () => tree.busy(),
      head: () => tree.head(),
      has: (place, id) => tree.has(gitPathOf(place, id)),
      async authorOf(place, id, text) {
        const author = await tree.authorOf(gitPathOf(place, id), text);
        return author === '' ? 'unknown' : author;
      },
      commitOf: (place, id, text) => tree.commitOf(gitPathOf(place, id), text),
      isCommitted: (place, id, text) => tree.isCommitted(gitPathOf(place, id), text),
      async changedSince(known) {
        const names = await tree.changedSince(known, `${ROOT}/`);
        if (names === null) return null;
        return new Set([...names].filter(isDocumentFile).flatMap((name) => idOf(name) ?? []));
      },
      lastChange: (commit, id) => tree.lastChange(commit, `${ROOT}/`, fileNameOf(id)),
      lastChangeAt: (place, id) => tree.lastChangeAt(gitPathOf(place, id)),
      versions: (id) => tree.versions(`${ROOT}/`, fileNameOf(id), VERSIONS_MAX),
      textAt: async (commit, id) => (await tree.versions(`${ROOT}/`, fileNameOf(id), 1, commit))[0]?.text ?? null,
      isAnywhere: (id) => tree.isAnywhere(`${ROOT}/`, fileNameOf(id)),
      isArchivedAnywhere: (id) => tree.isAnywhere(`${ROOT}/${ARCHIVED}/`, fileNameOf(id)),
      prefix: () => tree.prefix(),
      isAncestor: (older, newer) => tree.isAncestor(older, newer),
      isShared: (commit) => tree.isShared(commit),
    },

    withLock: (name, act) => nameLocks.with(join(locks, `${name}.lock`), act),
    close: () => nameLocks.close(),

    watch: (changed) =>
      watchFolders([folderOf(ACTIVE)], (_index, name) => {
        if (name === null || isDocumentFile(name)) changed(name === null ? null : idOf(name));
      }),
  };
}

/**
 * Ignored in this clone only: an ignored file never blocks a pull or a switch, and no file of the repository changes.
 */
async function keepOutOfGit(tree: GitTree, path: string): Promise<void> {
  const common = tree.commonFolder();
  if (common === null) return;
  const exclude = join(common, 'info', 'exclude');
  const line = `/${await tree.prefix()}${path}`;
  const text = (await readOrNull(exclude)) ?? '';
  if (text.split(/\r?\n/).includes(line)) return;
  await mkdir(join(common, 'info'), { recursive: true });
  await appendFile(exclude, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
}

function isDocumentFile(name: string): boolean {
  return !name.startsWith('.') && name.endsWith(DOCUMENT_EXTENSION);
}

/** Accepts any handoff id: old handoffs have ids of another form. */
function idOf(name: string): HandoffId | null {
  return readHandoffId(name.slice(0, -DOCUMENT_EXTENSION.length));
}

function stampOf(path: string): string | null {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** Ignores line endings. Half of the hash is enough to recognize a text. */
function textDigest(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex').slice(0, 32);
}

function agreedText({ text, revision, head, committed }: Agreed): string {
  return `${revision} ${head ?? '-'} ${committed}\n${text}`;
}

function agreedIn(written: string): Agreed | null {
  const [, revision, head, committed, text] = /^(\d+) (\S+) ([^\n]*)\n([\s\S]*)$/.exec(written) ?? [];
  if (revision === undefined || head === undefined || committed === undefined || text === undefined) return null;
  // Older versions wrote an instant there; then the whole text counts as committed.
  const seenFolder = /^\d+$/.test(committed) ? Number(committed) : Number(revision);
  return { text, revision: Number(revision), committed: seenFolder, head: head === '-' ? null : head };
}

async function readOrNull(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(ignoreMissing);
}
