/**
 * A file that takes long to write and may be gone on with: it grows under a name of its own beside the one that it is to
 * have, and what a killed writer leaves there is for the next. One process at a time has it; who that is stands in a
 * second file, and it is looked at before every piece that is written, because a writer may have been given up.
 */
import { constants, rmSync, utimesSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeWhole } from '../../foundation/atomic-file.ts';
import { codeOf } from '../../foundation/system-error-code.ts';
import { seeLock, takeAwayLock } from '../../foundation/file-lock.ts';
import { identityText, type ProcessIdentity, type ProcessJudge } from '../../foundation/process-identity.ts';
import { err, ok, type Result } from '../../foundation/result.ts';

/** Who runs where we cannot look has to show a sign of life within this. */
const SILENT_MS = 60_000;
/** Each of them was faster than we, or left something behind. */
const ROUNDS_MAX = 10;
const CHUNK_BYTES = 256 * 1024;

export interface PartialFile {
  readonly path: string;
  /** What is there, as it is; for a new one, nothing. */
  chunks(): AsyncIterable<Uint8Array>;
  readonly handle: FileHandle;
  /** A sign of life. A fault when somebody else has it by now. */
  stay(): void;
  /** Lets go of the name, whatever has become of the file. */
  leave(): Promise<void>;
}

export type NotTaken =
  | { readonly code: 'in-use'; readonly by: Pick<ProcessIdentity, 'host' | 'pid'> | null; readonly surely: boolean }
  | { readonly code: 'not-ours'; readonly path: string };

export function partialOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.partial`);
}

export async function takePartial(
  of: string,
  judge: ProcessJudge,
  { anew }: { readonly anew: boolean },
): Promise<Result<PartialFile, NotTaken>> {
  const path = partialOf(of);
  const lock = `${path}.lock`;
  const own = identityText(judge.self);
  const held = takeLock(lock, own, judge);
  if (!held.ok) return held;
  const letGo = (): void => {
    if (seeLock(lock)?.words === own) rmSync(lock, { force: true });
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
      stay: () => {
        if (seeLock(lock)?.words !== own) throw new Error(`another process has taken over ${path}; it was left to it`);
        const now = new Date();
        utimesSync(lock, now, now);
      },
      leave: async () => {
        await handle.close().catch(() => undefined);
        letGo();
      },
    });
  } catch (error) {
    letGo();
    throw error;
  }
}

/** Null: somebody else has put something there, and whatever it is, nobody's handoffs are written into it. */
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
  // It got its name and its writer was killed before it took away this one: what has a name is not written to again.
  rmSync(path);
  return open(path, flags | constants.O_EXCL, 0o600);
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A command does not stay to watch: how long ago the last sign of life was is told by the file. */
function takeLock(lock: string, own: string, judge: ProcessJudge): Result<null, NotTaken> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // It appears with the name of its holder in it: an empty one would be nobody's.
    if (writeWhole(lock, own, { mode: 0o600, replace: false })) return ok(null);
    const seen = seeLock(lock);
    if (seen === null) continue;
    const verdict = seen.by === null ? 'unknown' : judge.of(seen.by);
    // A wall clock that was set can make a living writer look silent: it finds out before it writes its next piece.
    const isHeld = verdict === 'alive' || (verdict === 'unknown' && Date.now() - seen.touchedAt < SILENT_MS);
    if (isHeld) return err({ code: 'in-use', by: seen.by, surely: verdict === 'alive' });
    takeAwayLock(lock, seen);
  }
  return err({ code: 'in-use', by: null, surely: false });
}
