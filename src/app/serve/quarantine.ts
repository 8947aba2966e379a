/** Files in quarantine, newest first, with the reason from the file beside each. */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { QuarantinedFile } from '../../interfaces/http/server-context.ts';
import type { Workspace } from '../../workspace/workspace.ts';

const REASON = '.reason.txt';
const REASON_MAX = 4_000;

export async function quarantineIn(workspace: Workspace | null, max: number): Promise<readonly QuarantinedFile[]> {
  if (workspace === null) return [];
  const folder = join(workspace.folder, 'handoffs', 'quarantine');
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.filter((name) => name.endsWith(REASON)).map(async (name) => fileOf(folder, name)),
  );
  return found
    .filter((each) => each !== null)
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, max);
}

async function fileOf(folder: string, reasonName: string): Promise<QuarantinedFile | null> {
  const path = join(folder, reasonName);
  const found = await lstat(path).catch(() => null);
  // No link is followed: foreign programs put these files here.
  if (found === null || !found.isFile()) return null;
  const says = (await readFile(path, 'utf8').catch(() => '')).slice(0, REASON_MAX).trim();
  return {
    name: reasonName.slice(0, -REASON.length),
    place: 'handoffs/quarantine',
    says,
    at: found.mtime.toISOString(),
  };
}
