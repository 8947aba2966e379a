/** Reads a file that a stranger may have put there: only a plain one, of one name, of ours, of bearable size. */
import { closeSync, constants, fstatSync, lstatSync, readFileSync, type Stats } from 'node:fs';
import { codeOf } from '../foundation/error-code.ts';
import { JSON_BYTES_MAX } from '../foundation/json.ts';
import { openPlain } from './durable-write.ts';
import type { FileRead } from './folder.ts';

export function readPlainFile(path: string, bytesMax: number = JSON_BYTES_MAX): FileRead {
  const seen = lstatSync(path, { throwIfNoEntry: false });
  if (seen === undefined) return { kind: 'absent' };
  const unfit = unfitness(seen, bytesMax);
  if (unfit !== null) return { kind: 'unfit', says: unfit };
  const file = openedPlain(path);
  if (file === 'no right') return { kind: 'unfit', says: 'it may not be read' };
  // It became something else, or went away, since we looked: the next look tells.
  if (file === null) return { kind: 'absent' };
  try {
    return contentOf(file, bytesMax);
  } finally {
    closeSync(file);
  }
}

function contentOf(file: number, bytesMax: number): FileRead {
  const before = fstatSync(file);
  const unfit = unfitness(before, bytesMax);
  if (unfit !== null) return { kind: 'unfit', says: unfit };
  const bytes = readFileSync(file);
  const after = fstatSync(file);
  const moved = after.size !== before.size || after.mtimeMs !== before.mtimeMs || bytes.length !== before.size;
  const quietMs = moved ? 0 : Math.max(0, Date.now() - after.mtimeMs);
  const user = String(after.uid);
  try {
    // The mark at the beginning is kept: what came is what is written down.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: 'file', text, user, quietMs };
  } catch {
    return moved ? { kind: 'absent' } : { kind: 'unfit', says: 'it is not UTF-8 text' };
  }
}

export function unfitness(found: Stats, bytesMax: number): string | null {
  if (found.isSymbolicLink()) return 'it is a link, and links are not followed';
  if (!found.isFile()) return 'it is not a plain file';
  if (found.nlink > 1) return 'it has a second name elsewhere';
  if (found.size > bytesMax) return `it has ${found.size} bytes, at most ${bytesMax} are read`;
  return isTrusted(found.uid) ? null : `it belongs to user ${found.uid}, who has no part in this workspace`;
}

/** Whoever runs us, and whoever could do anything anyway. */
function isTrusted(uid: number): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own || uid === 0;
}

export function openedPlain(path: string): number | null | 'no right' {
  try {
    return openPlain(path, constants.O_RDONLY);
  } catch (error) {
    if (codeOf(error) === 'EACCES') return 'no right';
    throw error;
  }
}
