/** Writes a result to the path that its sender asked for, if it is below `artifacts/` and contains no links. */
import { lstatSync, mkdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { createDurably, writeDurably } from '../foundation/atomic-file.ts';
import { OUR_FOLDER_MODE } from '../foundation/file-ownership.ts';
import { codeOf } from '../foundation/system-error-code.ts';
import type { PutArtifact } from './folder.ts';
import { readPlainFile } from './plain-file.ts';
import type { SyncRounds } from './sync-rounds.ts';

const ROOT = 'artifacts';
const PART = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,199}$/;
const PARTS_MAX = 10;
/** The registry is made from the cards. A result must not overwrite it. */
export const REGISTRY = `${ROOT}/registry.json`;

/** True for `artifacts/phase-13-react/x.json`; false for every path that could lead out of `artifacts/`. */
export function isArtifactPath(path: string): boolean {
  const parts = path.split('/');
  const sound = parts.length >= 2 && parts.length <= PARTS_MAX && parts[0] === ROOT && path !== REGISTRY;
  return sound && parts.every((part) => PART.test(part) && !part.includes('..')) && posix.normalize(path) === path;
}

export async function putArtifact(
  workspace: string,
  path: string,
  text: string,
  isOurs: (text: string) => boolean,
  disk?: SyncRounds,
): Promise<PutArtifact | false> {
  if (!isArtifactPath(path) || !hasRealFolders(workspace, dirname(path))) return false;
  const target = join(workspace, path);
  const onDisk = createDurably(target, text, disk);
  if (onDisk !== null) return { isNew: true, onDisk };
  const existing = readPlainFile(target);
  if (existing.kind !== 'file') return false;
  // A killed process or a power cut left a partial file, which was not announced yet.
  const isPartial = existing.text !== text && text.startsWith(existing.text);
  if (isPartial) return { isNew: true, onDisk: writeDurably(target, text).then(() => undefined) };
  return existing.text === text || isOurs(existing.text) ? { isNew: false, onDisk: Promise.resolve() } : false;
}

function hasRealFolders(workspace: string, folder: string): boolean {
  const parts = folder.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    if (!isRealFolder(join(workspace, ...parts.slice(0, depth)))) return false;
  }
  return true;
}

export function isRealFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined) return found.isDirectory();
  try {
    mkdirSync(path, { mode: OUR_FOLDER_MODE });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return lstatSync(path).isDirectory();
}
