/** `artifacts/` and `context/` of a workspace. No link is followed, neither on the way nor at its end. */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, lstatSync } from 'node:fs';
import { lstat, readdir, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably, writeWhole } from '../foundation/atomic-file.ts';
import { codeOf } from '../foundation/system-error-code.ts';
import { err, ok, type Result } from '../foundation/result.ts';
import { readArtifactId, type ArtifactId } from '../domain/names.ts';
import { openNameLocks } from './name-locks.ts';
import { isArtifactPath, isRealFolder, REGISTRY } from './artifact-file.ts';
import { openCardLog } from './card-log.ts';
import type { ArtifactFolder, Cards, KeptText } from './folder.ts';
import { openedPlain, readPlainFile, unfitness } from './plain-file.ts';
import type { QueueFolderOptions } from './queue-folder.ts';
import { ignoreMissing } from '../foundation/or-null.ts';

const ENDING = '.json';
/** A list of a hundred thousand artifacts, and then some. */
const REGISTRY_BYTES_MAX = 256 * 1024 * 1024;
/** Generated code is small; what is larger is listed with its own hash by whoever made it. */
const GENERATED_BYTES_MAX = 256 * 1024 * 1024;
const LISTED_MAX = 100_000;
const PATH_MAX = 1_000;
/** One folder for each phase; nobody has more. */
const LOCATED_MAX = 1_000;
/** For that long four folders are what they were: every answer of a worker passes here. */
const SOUND_MS = 1_000;

export function openArtifactFolder({ folder, privateFolder }: QueueFolderOptions): ArtifactFolder {
  const locks = join(privateFolder, 'artifacts');
  const alone = openNameLocks();

  return {
    async read(path) {
      if (!isArtifactPath(path)) return { kind: 'unfit', says: 'it is not a path below artifacts/' };
      const way = await wayTo(folder, path);
      return way.ok ? readPlainFile(join(folder, path)) : { kind: 'unfit', says: way.refusal };
    },

    list: () => listed(folder),

    async locate(id) {
      if (!(await isFolder(join(folder, 'artifacts')))) return null;
      const names = (await readdir(join(folder, 'artifacts')).catch(ignoreMissing)) ?? [];
      for (const name of names.slice(0, LOCATED_MAX)) {
        const path = `artifacts/${name}/${id}${ENDING}`;
        if (isArtifactPath(path) && (await lstat(join(folder, path)).catch(() => null))?.isFile() === true) return path;
      }
      return null;
    },

    async remove(path) {
      if (isArtifactPath(path) && (await wayTo(folder, path)).ok) await unlink(join(folder, path)).catch(ignoreMissing);
    },

    async hash(path) {
      const way = await wayTo(folder, path);
      return way.ok ? hashOf(join(folder, path)) : way;
    },

    cards: cardsIn(folder),
    registry: stamped(
      keptText(folder, 'artifacts', REGISTRY),
      join(folder, REGISTRY),
      join(privateFolder, 'registry.stamp'),
    ),
    phaseStatus: keptText(folder, 'context', 'context/phase-status.json'),

    readContext: async (name) =>
      (await isFolder(join(folder, 'context')))
        ? readPlainFile(join(folder, 'context', `${name}${ENDING}`))
        : { kind: 'absent' },

    async alone(name, act) {
      isRealFolder(locks);
      return alone.with(join(locks, `${name}.lock`), act);
    },

    close: () => alone.close(),
  };
}

function cardsIn(folder: string): Cards {
  const root = join(folder, 'artifacts', '.registry');
  const fresh = join(root, 'new');
  const known = join(root, 'known');
  const places = [join(folder, 'artifacts'), root, fresh, known];
  const log = openCardLog(join(root, 'results.jsonl'));
  const filedPath = join(root, 'results.filed');
  /** Of the log, what the registry does not have yet, and how far that goes. */
  let unfiled: { readonly ids: Set<ArtifactId>; readonly mark: string } = { ids: new Set(), mark: '' };
  /** Of those, the ones that had no file when they were listed: nobody needs to look for one. */
  let onlyLogged: ReadonlySet<ArtifactId> = new Set();

  let adding: { readonly lines: string[]; readonly added: Promise<void> } | null = null;
  let soundUntilMs = Number.NEGATIVE_INFINITY;

  /** Links would lead us out of the workspace: better no registry than somebody else's files. */
  const prepare = async (): Promise<void> => {
    if (await isSound()) return;
    for (const place of places) {
      if (!isRealFolder(place)) throw new Error(`${place} is not a folder of its own; nothing is registered`);
    }
  };
  const isSound = async (): Promise<boolean> => {
    if (performance.now() < soundUntilMs) return true;
    // At once, because all who answer in the same moment ask: the first look serves them all.
    if (!places.every((place) => lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true)) return false;
    soundUntilMs = performance.now() + SOUND_MS;
    return true;
  };
  const idsIn = async (place: string): Promise<readonly ArtifactId[]> =>
    (await isSound())
      ? ((await readdir(place).catch(ignoreMissing)) ?? []).flatMap((name) => {
          const id = name.endsWith(ENDING) ? readArtifactId(name.slice(0, -ENDING.length)) : null;
          return id === null ? [] : [id];
        })
      : [];
  const textIn = async (place: string, id: ArtifactId): Promise<string | null> => {
    const read = readPlainFile(join(place, `${id}${ENDING}`));
    return read.kind === 'file' ? read.text : null;
  };
  const put = async (id: ArtifactId, text: string): Promise<void> => {
    // At once: handing three small calls to threads takes longer than doing them.
    writeWhole(join(fresh, `${id}${ENDING}`), text, { draftFolder: root });
  };
  const load = async (id: ArtifactId): Promise<string | null> => {
    if (!(await isSound())) return null;
    // Twice, because between the two looks it may have been filed.
    return (await textIn(fresh, id)) ?? (await textIn(known, id)) ?? (await textIn(fresh, id)) ?? log.load(id);
  };
  const made = async (act: () => void | Promise<void>): Promise<void> => {
    await prepare();
    try {
      await act();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(causeOf(error)) !== 'ENOENT') throw error;
      // Somebody has taken the folders away since they were last looked at.
      soundUntilMs = Number.NEGATIVE_INFINITY;
      await prepare();
      await act();
    }
  };

  /** One write for all cards of the same turn of the event loop: after a shared sync that is many. */
  const addSoon = (): NonNullable<typeof adding> => {
    const lines: string[] = [];
    const write = async (): Promise<void> => {
      adding = null;
      await made(() => log.append(lines));
    };
    return { lines, added: Promise.resolve().then(write) };
  };

  return {
    load,
    save: async (id, text) => made(() => put(id, text)),
    add: async (text) => {
      adding ??= addSoon();
      adding.lines.push(text);
      return adding.added;
    },
    all: async () => {
      const files = [...(await idsIn(fresh)), ...(await idsIn(known))];
      return [...new Set((await isSound()) ? [...files, ...log.ids()] : files)];
    },
    async news() {
      const files = await idsIn(fresh);
      if (!(await isSound())) return files;
      const filed = readPlainFile(filedPath);
      const { ids, mark } = log.since(filed.kind === 'file' ? filed.text : null);
      unfiled = { ids: new Set(ids), mark };
      const withFile = new Set([...files, ...(ids.length === 0 ? [] : await idsIn(known))]);
      onlyLogged = new Set(ids.filter((id) => !withFile.has(id)));
      return [...new Set([...files, ...ids])];
    },
    async filed(id, text) {
      if (unfiled.ids.delete(id) && unfiled.ids.size === 0) await writeFile(filedPath, unfiled.mark);
      if (onlyLogged.has(id)) return;
      await rename(join(fresh, `${id}${ENDING}`), join(known, `${id}${ENDING}`)).catch(ignoreMissing);
      // Saved anew since it was read: that is news again.
      const now = await textIn(known, id);
      const isOlder = now !== null && now !== text && (await textIn(fresh, id)) === null;
      if (isOlder) await rename(join(known, `${id}${ENDING}`), join(fresh, `${id}${ENDING}`)).catch(ignoreMissing);
    },
    async mark() {
      const seen = await Promise.all([fresh, known].map((place) => stat(place, { bigint: true }).catch(() => null)));
      return [...seen.map((each) => `${each?.ino ?? 0n}:${each?.mtimeNs ?? 0n}`), log.mark()].join(' ');
    },
  };
}

function keptText(folder: string, within: string, path: string): KeptText {
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

/** One that was put there by others, even if it is an old one of ours, is none: it would be believed. */
function stamped(kept: KeptText, path: string, stampPath: string): KeptText {
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

/** Whether the path stays in the workspace and every folder on it is a real one. */
async function wayTo(folder: string, path: string): Promise<Result<true, string>> {
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
  const file = openedPlain(path);
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
      else if (entry.isFile() && path.endsWith(ENDING) && found.push(path) >= LISTED_MAX) return found;
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
