/** Files that are copied between the workspace and a shadow. They are inside of the workspace, and no link is followed. */
import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isWithin } from '../../foundation/path-within.ts';
import { codeOf } from '../../foundation/system-error-code.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { CopiedOut } from '../../shadows/sandbox.ts';

const BYTES_MAX = 50 * 1024 ** 2;

/** The bytes of one regular file inside of the workspace. */
export async function readInside(workspace: string, text: string): Promise<Result<Uint8Array, string>> {
  const base = await realpath(workspace);
  const path = await realpath(resolve(text)).catch(() => null);
  if (path === null) return err(`${JSON.stringify(text)} is not there`);
  if (!isWithin(path, base)) return err(`${JSON.stringify(text)} lies outside of the workspace; copy it into it first`);
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return err(`${JSON.stringify(text)} is not a regular file`);
    if (stat.size > BYTES_MAX) return err(`${JSON.stringify(text)} has more than ${BYTES_MAX} bytes`);
    return ok(await handle.readFile());
  } finally {
    await handle.close();
  }
}

/** Writes what was extracted to a new place inside of the workspace; what is there already is never replaced. */
export async function writeInside(
  workspace: string,
  text: string,
  { files }: CopiedOut,
): Promise<Result<readonly string[], string>> {
  const base = await realpath(workspace);
  const target = resolve(text);
  const isBelow = [workspace, base].some((folder) => target !== folder && isWithin(target, folder));
  if (!isBelow || !isWithin(await realAncestor(target), base)) return err(outside(text));
  const written: string[] = [];
  for (const { path, bytes, isExecutable } of files) {
    const file = path === '' ? target : join(target, path);
    if (!isWithin(file, target)) return err(outside(path));
    await mkdir(dirname(file), { recursive: true });
    const parent = await realpath(dirname(file));
    if (!isWithin(parent, base)) return err(outside(path));
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    try {
      const handle = await open(join(parent, basename(file)), flags, isExecutable ? 0o755 : 0o644);
      try {
        await handle.writeFile(bytes);
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      return err(`${file} is there already and was left as it is; extract to a new place`);
    }
    written.push(relative(base, file) || file);
  }
  return ok(written);
}

function outside(text: string): string {
  return `${JSON.stringify(text)} lies outside of the workspace; name a place inside`;
}

/** The nearest folder above that exists, without links. */
async function realAncestor(path: string): Promise<string> {
  for (let at = dirname(path); ; at = dirname(at)) {
    const found = await lstat(at).catch(() => null);
    if (found !== null) return realpath(at);
    if (dirname(at) === at) return at;
  }
}
