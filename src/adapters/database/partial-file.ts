/**
 * A file that takes long to write and can be continued: it grows beside its final name, and the next writer continues what a
 * killed writer left there. One process at a time holds it. A lock file names the holder; the holder checks it before every
 * write, because another process may have taken the lock from a silent holder.
 */
import { constants, rmSync, utimesSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeAtomically } from '../../foundation/atomic-file.ts';
import { codeOf } from '../../foundation/system-error-code.ts';
import { readLock, breakLock } from '../../foundation/file-lock.ts';
import { identityText, type ProcessIdentity, type ProcessJudge } from '../../foundation/process-identity.ts';
import { err, ok, type Result } from '../../foundation/result.ts';

/** A holder on another machine loses the lock after this long without a renewal. */
const LOCK_TIMEOUT_MS = 60_000;
/** Each round means that another process took the lock first, or that a dead process had left its lock. */
const ROUNDS_MAX = 10;
const CHUNK_BYTES = 256 * 1024;

export interface PartialFile {
  readonly path: string;
  /** The content; empty for a new file. */
  chunks(): AsyncIterable<Uint8Array>;
  readonly handle: FileHandle;
  /** Renews the lock. Throws when another process has taken it. */
  heartbeat(): void;
  /** Releases the lock. */
  release(): Promise<void>;
}

export type TakeRefusal =
  | { readonly code: 'in-use'; readonly by: Pick<ProcessIdentity, 'host' | 'pid'> | null; readonly surely: boolean }
  | { readonly code: 'not-ours'; readonly path: string };

export function partialOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.partial`);
}

export async function takePartial(
  of: string,
  judge: ProcessJudge,
  { anew }: { readonly anew: boolean },
): Promise<Result<PartialFile, TakeRefusal>> {
  const path = partialOf(of);
  const lock = `${path}.lock`;
  const own = identityText(judge.self);
  const held = takeLock(lock, own, judge);
  if (!held.ok) return held;
  const letGo = (): void => {
    if (readLock(lock)?.text === own) rmSync(lock, { force: true });
  };
  try {
    if (anew) rmSync(path, { force: true });
    const handle = await openOwn(path);
    if (handle === null) {
      letGo();
      return err({ code: 'not-ours', path });
    }
    return ok({
      path,
      handle,
      chunks: () => chunksOf(handle),
      heartbeat: () => {
        if (readLock(lock)?.text !== own) throw new Error(`another process has taken over ${path}; it was left to it`);
        const now = new Date();
        utimesSync(lock, now, now);
      },
      release: async () => {
        await handle.close().catch(() => undefined);
        letGo();
      },
    });
  } catch (error) {
    letGo();
    throw error;
  }
}

/** Null: another user's file, a folder or a link is there. Handoffs must not be written into it. */
async function openOwn(path: string): Promise<FileHandle | null> {
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(path, flags, 0o600).catch((error: unknown) => {
    if (['ELOOP', 'EISDIR', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')) return null;
    throw error;
  });
  if (handle === null) return null;
  const stat = await handle.stat();
  const isOwn = stat.isFile() && (process.getuid === undefined || stat.uid === process.getuid());
  if (isOwn && stat.nlink === 1) {
    await handle.chmod(0o600);
    return handle;
  }
  await handle.close();
  if (!isOwn) return null;
  // The file has its final name already, and its writer was killed before it removed this one: start a new file.
  rmSync(path);
  return open(path, flags | constants.O_EXCL, 0o600);
}

/** A stream of the handle would close it when the reader stops early, and the file is written to after that. */
async function* chunksOf(handle: FileHandle): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A command cannot watch the lock for a lease, so the time of the lock file tells when its holder was last alive. */
function takeLock(lock: string, own: string, judge: ProcessJudge): Result<null, TakeRefusal> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // Written whole: an empty lock file would name no holder.
    if (writeAtomically(lock, own, { mode: 0o600, replace: false })) return ok(null);
    const seen = readLock(lock);
    if (seen === null) continue;
    const verdict = seen.holder === null ? 'unknown' : judge.of(seen.holder);
    // A wall clock that was set can make a living writer look silent; `heartbeat` stops it before its next write.
    const isHeld = verdict === 'alive' || (verdict === 'unknown' && Date.now() - seen.touchedAt < LOCK_TIMEOUT_MS);
    if (isHeld) return err({ code: 'in-use', by: seen.holder, surely: verdict === 'alive' });
    breakLock(lock, seen);
  }
  return err({ code: 'in-use', by: null, surely: false });
}
