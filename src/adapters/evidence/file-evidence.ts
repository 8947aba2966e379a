/**
 * A file as evidence: a regular file inside the workspace, by its SHA-256.
 *
 * Nothing here may hang or leave the workspace: the name is resolved before the file is opened, opening does not wait (a
 * pipe would wait for a writer), and afterwards the name must still lead to the open file.
 */
import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { codeOf } from '../../foundation/system-error-code.ts';
import { runGit } from '../../foundation/git.ts';
import { isWithin } from '../../foundation/path-within.ts';
import { PRIVATE_FOLDER } from '../../workspace/workspace.ts';
import {
  held,
  isStorable,
  quoted,
  seen,
  untrue,
  type FolderCheckRequest,
  type EvidenceOf,
  type Finding,
} from './evidence-finding.ts';

const PATH_MAX = 1_000;
/** Hashing more takes longer than a delivery may take. For a larger file, deliver a small file that lists its hash. */
const BYTES_MAX = 8 * 1024 ** 3;

export async function checkFile(name: string, request: FolderCheckRequest): Promise<Finding> {
  const found = await hashOf(name, request);
  if (typeof found === 'string') return untrue(found);
  const { path, sha256, bytes } = found;
  const says = `${quoted(path)} is there: ${bytes} bytes, sha256 ${sha256}`;
  return findingFor({ kind: 'file', path, sha256, bytes }, says, await weaknessesOf(found, request));
}

export async function recheckFile(was: EvidenceOf<'file'>, request: FolderCheckRequest): Promise<Finding> {
  const now = await hashOf(was.path, request);
  if (typeof now === 'string') return untrue(`it was there when it was delivered, but now ${now}`);
  if (now.sha256 === was.sha256) {
    const says = `${quoted(was.path)} is unchanged: sha256 ${was.sha256}`;
    return findingFor(was, says, await weaknessesOf(now, request));
  }
  return untrue(
    `${quoted(was.path)} has changed since it was delivered: sha256 was ${was.sha256}, is ${now.sha256}; ` +
      'deliver again, or bring the delivered content back',
  );
}

/** Evidence with weaknesses counts only as a claim: a person has to check it. */
function findingFor(evidence: EvidenceOf<'file'>, says: string, weaknesses: readonly string[]): Finding {
  return weaknesses.length === 0 ? seen(evidence, says) : held(evidence, `${says}; ${weaknesses.join('; ')}`);
}

async function weaknessesOf(
  { path, bytes, links }: FoundFile,
  request: FolderCheckRequest,
): Promise<readonly string[]> {
  return [
    ...(bytes === 0 ? ['it is empty'] : []),
    ...(links > 1
      ? [`it has ${links - 1} other name${links > 2 ? 's' : ''} (hard link), perhaps outside of the workspace`]
      : []),
    ...((await isIgnored(path, request)) ? ['git ignores it, so no commit will hold it'] : []),
  ];
}

const GIT_MS = 20_000;

export async function isIgnored(path: string, { options: { folder }, signal }: FolderCheckRequest): Promise<boolean> {
  const ran = await runGit(['check-ignore', '--quiet', '--', path], { folder, timeoutMs: GIT_MS, signal });
  signal?.throwIfAborted();
  return ran.exitCode === 0;
}

interface FoundFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** How many names it has. */
  readonly links: number;
}

/** The hash, or what is wrong with the file. */
export async function hashOf(
  text: string,
  { options: { folder }, signal }: FolderCheckRequest,
): Promise<FoundFile | string> {
  const base = await realpath(folder);
  const path = readPath(text, folder, base);
  if (path === null) {
    return `${quoted(text)} is not a path inside the workspace; give one relative to it, without ".."`;
  }
  try {
    const place = await realpath(join(base, path));
    if (!isWithin(place, base)) return `${quoted(path)} leads out of the workspace; copy the file into it`;
    if (isWithin(place, join(base, PRIVATE_FOLDER))) return `${quoted(path)} is a file of Baton, not of the work`;
    const judged = judgeKind(await stat(place, { bigint: true }), path);
    if (judged !== null) return judged;
    const handle = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const before = await handle.stat({ bigint: true });
      const still = await stat(await realpath(join(base, path)), { bigint: true });
      if (!before.isFile() || !isSame(before, still))
        return `${quoted(path)} was replaced while it was read; try again`;
      const sha256 = await streamedHash(handle, signal);
      if (!isSame(before, await handle.stat({ bigint: true }))) {
        return `${quoted(path)} was written to while it was read; deliver when it is finished`;
      }
      return { path: path.split(sep).join('/'), sha256, bytes: Number(before.size), links: Number(before.nlink) };
    } finally {
      await handle.close().catch(() => undefined);
    }
  } catch (error) {
    signal?.throwIfAborted();
    const code = codeOf(error);
    if (code === null) throw error;
    return wordingOf(code, path);
  }
}

function readPath(text: string, folder: string, base: string): string | null {
  if (text.trim() === '' || text.length > PATH_MAX || !isStorable(text)) return null;
  if (text.split(/[/\\]/).includes('..')) return null;
  if (!isAbsolute(text)) return text;
  const root = [base, folder].find((each) => isWithin(text, each));
  return root === undefined ? null : relative(root, text);
}

function judgeKind(found: BigIntStats, path: string): string | null {
  if (found.isDirectory()) return `${quoted(path)} is a folder; name a file in it, one piece of evidence each`;
  if (!found.isFile()) return `${quoted(path)} is not a regular file`;
  return found.size > BYTES_MAX ? `${quoted(path)} is larger than ${BYTES_MAX} bytes; show a file with its hash` : null;
}

function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino && one.size === other.size && one.mtimeNs === other.mtimeNs;
}

async function streamedHash(handle: FileHandle, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const stream = handle.createReadStream({ autoClose: false, highWaterMark: 256 * 1024 });
  for await (const chunk of stream) {
    signal?.throwIfAborted();
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}

function wordingOf(code: string, path: string): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no file ${quoted(path)} in the workspace`;
  if (code === 'ELOOP') return `${quoted(path)} is a link that leads in a circle`;
  if (code === 'EACCES' || code === 'EPERM') return `${quoted(path)} may not be read by this user`;
  return `${quoted(path)} cannot be read (${code})`;
}
