/** `artifacts/` and `context/` of a workspace. No links are followed, neither in the path nor at its end. */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, lstatSync } from 'node:fs';
import { lstat, readdir, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably, writeAtomically } from '../foundation/atomic-file.ts';
import { codeOf } from '../foundation/system-error-code.ts';
import { err, ok, type Result } from '../foundation/result.ts';
import { readArtifactId, type ArtifactId } from '../domain/names.ts';
import { openNameLocks } from './name-locks.ts';
import { isArtifactPath, isRealFolder, REGISTRY } from './artifact-file.ts';
import { openCardLog } from './card-log.ts';
import type { ArtifactFolder, Cards, TextFile } from './folder.ts';
import { tryOpenPlain, readPlainFile, unfitness } from './plain-file.ts';
import type { QueueFolderOptions } from './queue-folder.ts';
import { ignoreMissing } from '../foundation/or-null.ts';

const EXTENSION = '.json';
/** More than enough for a hundred thousand artifacts. */
const REGISTRY_BYTES_MAX = 256 * 1024 * 1024;
/** Generated code is smaller than this. */
const GENERATED_BYTES_MAX = 256 * 1024 * 1024;
const LISTED_MAX = 100_000;
const PATH_MAX = 1_000;
/** One folder for each phase. */
const LOCATED_MAX = 1_000;
/** How long a check of the four folders stays valid: every result of a worker passes here. */
const FOLDER_CHECK_MS = 1_000;

export function openArtifactFolder({ folder, privateFolder }: QueueFolderOptions): ArtifactFolder {
  const locks = join(privateFolder, 'artifacts');
  const nameLocks = openNameLocks();

  return {
    async read(path) {
      if (!isArtifactPath(path)) return { kind: 'unfit', says: 'it is not a path below artifacts/' };
      const checked = await checkPath(folder, path);
      return checked.ok ? readPlainFile(join(folder, path)) : { kind: 'unfit', says: checked.refusal };
    },

    list: () => listed(folder),

    async locate(id) {
      if (!(await isFolder(join(folder, 'artifacts')))) return null;
      const names = (await readdir(join(folder, 'artifacts')).catch(ignoreMissing)) ?? [];
      for (const name of names.slice(0, LOCATED_MAX)) {
        const path = `artifacts/${name}/${id}${EXTENSION}`;
        if (isArtifactPath(path) && (await lstat(join(folder, path)).catch(() => null))?.isFile() === true) return path;
      }
      return null;
    },

    async remove(path) {
      if (isArtifactPath(path) && (await checkPath(folder, path)).ok)
        await unlink(join(folder, path)).catch(ignoreMissing);
    },

    async hash(path) {
      const checked = await checkPath(folder, path);
      return checked.ok ? hashOf(join(folder, path)) : checked;
    },

    cards: cardsIn(folder),
    registry: stamped(
      textFile(folder, 'artifacts', REGISTRY),
      join(folder, REGISTRY),
      join(privateFolder, 'registry.stamp'),
    ),
    phaseStatus: textFile(folder, 'context', 'context/phase-status.json'),

    readContext: async (name) =>
      (await isFolder(join(folder, 'context')))
        ? readPlainFile(join(folder, 'context', `${name}${EXTENSION}`))
        : { kind: 'absent' },

    async withLock(name, act) {
      isRealFolder(locks);
      return nameLocks.with(join(locks, `${name}.lock`), act);
    },

    close: () => nameLocks.close(),
  };
}

function cardsIn(folder: string): Cards {
  const root = join(folder, 'artifacts', '.registry');
  const newFolder = join(root, 'new');
  const knownFolder = join(root, 'known');
  const places = [join(folder, 'artifacts'), root, newFolder, knownFolder];
  const log = openCardLog(join(root, 'results.jsonl'));
  const filedPath = join(root, 'results.filed');
  /** Ids in the log that the registry does not have yet, and the position up to which they were read. */
  let unfiledLog: { readonly ids: Set<ArtifactId>; readonly mark: string } = { ids: new Set(), mark: '' };
  /** Those of them that had no file when they were listed, so that `markFiled` need not look for one. */
  let withoutFile: ReadonlySet<ArtifactId> = new Set();

  let adding: { readonly lines: string[]; readonly added: Promise<void> } | null = null;
  let checkedUntilMs = Number.NEGATIVE_INFINITY;

  /** Links could lead out of the workspace: a missing registry is better than writing elsewhere. */
  const prepare = async (): Promise<void> => {
    if (await hasRealFolders()) return;
    for (const place of places) {
      if (!isRealFolder(place)) throw new Error(`${place} is not a folder of its own; nothing is registered`);
    }
  };
  const hasRealFolders = async (): Promise<boolean> => {
    if (performance.now() < checkedUntilMs) return true;
    // Synchronous, so that one check serves all callers of the same moment.
    if (!places.every((place) => lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true)) return false;
    checkedUntilMs = performance.now() + FOLDER_CHECK_MS;
    return true;
  };
  const idsIn = async (place: string): Promise<readonly ArtifactId[]> =>
    (await hasRealFolders())
      ? ((await readdir(place).catch(ignoreMissing)) ?? []).flatMap((name) => {
          const id = name.endsWith(EXTENSION) ? readArtifactId(name.slice(0, -EXTENSION.length)) : null;
          return id === null ? [] : [id];
        })
      : [];
  const textIn = async (place: string, id: ArtifactId): Promise<string | null> => {
    const read = readPlainFile(join(place, `${id}${EXTENSION}`));
    return read.kind === 'file' ? read.text : null;
  };
  const put = async (id: ArtifactId, text: string): Promise<void> => {
    // Synchronous: three small calls are faster than passing them to threads.
    writeAtomically(join(newFolder, `${id}${EXTENSION}`), text, { draftFolder: root });
  };
  const load = async (id: ArtifactId): Promise<string | null> => {
    if (!(await hasRealFolders())) return null;
    // `newFolder` is read twice, because the card may be moved between the two reads.
    return (
      (await textIn(newFolder, id)) ?? (await textIn(knownFolder, id)) ?? (await textIn(newFolder, id)) ?? log.load(id)
    );
  };
  const withFolders = async (act: () => void | Promise<void>): Promise<void> => {
    await prepare();
    try {
      await act();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(causeOf(error)) !== 'ENOENT') throw error;
      // The folders were removed since the last check.
      checkedUntilMs = Number.NEGATIVE_INFINITY;
      await prepare();
      await act();
    }
  };

  /** One write for all cards of one turn of the event loop: after a shared sync there are many. */
  const batchAppend = (): NonNullable<typeof adding> => {
    const lines: string[] = [];
    const write = async (): Promise<void> => {
      adding = null;
      await withFolders(() => log.append(lines));
    };
    return { lines, added: Promise.resolve().then(write) };
  };

  return {
    load,
    save: async (id, text) => withFolders(() => put(id, text)),
    add: async (text) => {
      adding ??= batchAppend();
      adding.lines.push(text);
      return adding.added;
    },
    all: async () => {
      const files = [...(await idsIn(newFolder)), ...(await idsIn(knownFolder))];
      return [...new Set((await hasRealFolders()) ? [...files, ...log.ids()] : files)];
    },
    async unfiled() {
      const files = await idsIn(newFolder);
      if (!(await hasRealFolders())) return files;
      const filed = readPlainFile(filedPath);
      const { ids, mark } = log.since(filed.kind === 'file' ? filed.text : null);
      unfiledLog = { ids: new Set(ids), mark };
      const withFile = new Set([...files, ...(ids.length === 0 ? [] : await idsIn(knownFolder))]);
      withoutFile = new Set(ids.filter((id) => !withFile.has(id)));
      return [...new Set([...files, ...ids])];
    },
    async markFiled(id, text) {
      if (unfiledLog.ids.delete(id) && unfiledLog.ids.size === 0) await writeFile(filedPath, unfiledLog.mark);
      if (withoutFile.has(id)) return;
      await rename(join(newFolder, `${id}${EXTENSION}`), join(knownFolder, `${id}${EXTENSION}`)).catch(ignoreMissing);
      // Saved again since it was read, so it is unfiled again.
      const now = await textIn(knownFolder, id);
      const isOlder = now !== null && now !== text && (await textIn(newFolder, id)) === null;
      if (isOlder)
        await rename(join(knownFolder, `${id}${EXTENSION}`), join(newFolder, `${id}${EXTENSION}`)).catch(ignoreMissing);
    },
    async mark() {
      const seen = await Promise.all(
        [newFolder, knownFolder].map((place) => stat(place, { bigint: true }).catch(() => null)),
      );
      return [...seen.map((each) => `${each?.ino ?? 0n}:${each?.mtimeNs ?? 0n}`), log.mark()].join(' ');
    },
  };
}

function textFile(folder: string, within: string, path: string): TextFile {
  return {
    async load() {
      if (!(await isFolder(join(folder, within)))) return null;
      const read = readPlainFile(join(folder, path), { bytesMax: REGISTRY_BYTES_MAX });
      return read.kind === 'file' ? read.text : null;
    },
    async save(text) {
      if (!isRealFolder(join(folder, within))) throw new Error(`${within}/ is not a folder of its own`);
      await writeDurably(join(folder, path), text);
    },
  };
}

/** Ignores a file that we did not write last, even an old one of ours: its content would be trusted. */
function stamped(kept: TextFile, path: string, stampPath: string): TextFile {
  const stampOf = async (): Promise<string> => {
    const seen = await lstat(path, { bigint: true }).catch(() => null);
    return seen === null ? '' : `${seen.ino} ${seen.size} ${seen.mtimeNs}`;
  };
  return {
    async load() {
      const stamp = readPlainFile(stampPath);
      return stamp.kind === 'file' && stamp.text === (await stampOf()) ? kept.load() : null;
    },
    async save(text) {
      await kept.save(text);
      await writeFile(stampPath, await stampOf());
    },
  };
}

/** Checks that the path stays in the workspace and contains no links. */
async function checkPath(folder: string, path: string): Promise<Result<true, string>> {
  const parts = path.split('/');
  const isPlain = path.length <= PATH_MAX && !path.includes('\\') && !path.includes('\0');
  if (!isPlain || parts.some((part) => part === '' || part === '.' || part === '..')) {
    return err('it is not a path inside the workspace; give one relative to it, without ".."');
  }
  for (let depth = 1; depth < parts.length; depth += 1) {
    const here = join(folder, ...parts.slice(0, depth));
    const found = await lstat(here).catch(() => null);
    if (found === null) return err('it is not there');
    if (!found.isDirectory()) return err('a part of its path is not a folder of its own, and links are not followed');
  }
  return ok(true);
}

async function hashOf(path: string): Promise<Result<string, string>> {
  const file = tryOpenPlain(path);
  if (file === 'no right') return err('it may not be read');
  if (file === null) return err((await lstat(path).catch(() => null)) === null ? 'it is not there' : 'it is no file');
  try {
    const unfit = unfitness(fstatSync(file), GENERATED_BYTES_MAX);
    if (unfit !== null) return err(unfit);
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path, { fd: file, autoClose: false })) hash.update(chunk as Buffer);
    return ok(hash.digest('hex'));
  } finally {
    closeSync(file);
  }
}

async function listed(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const open = ['artifacts'];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    if (!(await isFolder(join(folder, here)))) continue;
    for (const entry of await readdir(join(folder, here), { withFileTypes: true })) {
      const path = `${here}/${entry.name}`;
      if (!isArtifactPath(path)) continue;
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile() && path.endsWith(EXTENSION) && found.push(path) >= LISTED_MAX) return found;
    }
  }
  return found.toSorted();
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() ?? false;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
