/** Reads the files of a working tree. Links are not followed, and only plain files are opened. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../foundation/system-error-code.ts';
import type { FileText, SeenFile } from '../../engine/guard/tree.ts';
import { textOf } from '../git/git-lists.ts';

const AT_ONCE = 32;
const NEVER = new Set(['.git', '.baton', 'node_modules']);

interface ReadFiles {
  readonly files: ReadonlyMap<string, SeenFile>;
  readonly texts: ReadonlyMap<string, FileText>;
}

/** `isWanted` leaves out files that cannot be handoffs. Marks are computed as git computes its ids. */
export async function readFiles(
  root: string,
  names: ReadonlyMap<string, Buffer>,
  isWanted: (path: string) => boolean,
  algorithm: 'sha1' | 'sha256',
): Promise<ReadFiles> {
  const files = new Map<string, SeenFile>();
  const texts = new Map<string, FileText>();
  const rest = [...names].filter(([path]) => isWanted(path)).toReversed();
  const look = async (): Promise<void> => {
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      const [path, raw] = next;
      const bytes = await bytesOf(Buffer.concat([Buffer.from(`${root}/`), raw]));
      if (bytes === null) continue;
      if (bytes === 'not plain') files.set(path, { mark: `not plain ${path}`, isPlain: false });
      else {
        const mark = createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
        files.set(path, { mark, isPlain: true });
        if (!texts.has(mark)) texts.set(mark, textOf(bytes));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  return { files, texts };
}

async function bytesOf(path: Buffer): Promise<Buffer | 'not plain' | null> {
  try {
    if (!(await lstat(path)).isFile()) return 'not plain';
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (code === 'ELOOP') return 'not plain';
    throw error;
  }
}

/** Where there is no git to ask. */
export async function filesBelow(root: string): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  const look = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}${entry.name}`;
      if (!entry.isDirectory()) found.set(path, Buffer.from(path));
      else if (!NEVER.has(entry.name)) await look(`${path}/`);
    }
  };
  await look('');
  return found;
}
