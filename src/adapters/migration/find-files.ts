/** Finds the files of a repository in which a handoff could stand. Follows no link. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { listedByGit, type GitListing } from './git-history.ts';

/** `paths` are those of texts, sorted; the others are of any kind. */
export interface FoundFiles extends GitListing {
  readonly isRepository: boolean;
}

/** Texts that people and agents write. JSON lines hold many at once and are for `baton ingest`. */
const TEXT = /\.(?:markdown|mdx?|txt|ya?ml|json)(?:\.(?:bak|orig|old)|~)?$/i;
const SKIPPED = /(?:^|\/)(?:\.git|node_modules|\.baton)\/|(?:^|\/)data\/personas\/|(?:^|\/)_index\.yaml$/;
/** Files in the folders of a queue are being worked on. */
const QUEUED = /(?:^|\/)handoffs\/(?:waiting|pending|in-progress|completed|failed|quarantine)\/[^/]*\.json$/i;
const SKIPPED_FOLDERS = new Set(['.git', 'node_modules', '.baton']);

export async function findFiles(folder: string): Promise<FoundFiles> {
  const listed = await listedByGit(folder);
  if (listed === null) return findFilesWithoutGit(folder);
  return { ...listed, paths: textsAmong(listed.paths), isRepository: true };
}

/** All texts below a folder, including those that git ignores. */
export async function findFilesWithoutGit(folder: string): Promise<FoundFiles> {
  const paths = textsAmong(await walked(folder));
  return { paths, modified: new Set(), untracked: new Set(paths), isRepository: false };
}

function textsAmong(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => TEXT.test(path) && !SKIPPED.test(path) && !QUEUED.test(path)).toSorted();
}

async function walked(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // A folder that cannot be read is not ours to move.
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) found.push(path);
      else if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) folders.push(path);
    }
  }
  return found;
}
