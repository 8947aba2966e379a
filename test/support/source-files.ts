/** Finds the files that the tests of the building read. Paths are relative to the repository and use `/`. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export function filesUnder(folder: string, ending: string): readonly string[] {
  const absolute = join(ROOT, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .toSorted();
}

/** What git would publish: tracked files and new ones that are not ignored, without those deleted meanwhile. */
export function publishedFiles(): readonly string[] {
  // A checkout that belongs to somebody else is still the one to be judged.
  const args = ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const names = listed.status === 0 ? listed.stdout.split('\0') : filesOfAnArchive();
  return [...new Set(names)].filter((name) => name !== '' && isFile(join(ROOT, name))).toSorted();
}

/** Sources unpacked from an archive have no git to ask. */
function filesOfAnArchive(): readonly string[] {
  const made = ['.git', 'node_modules', 'dist', 'coverage'];
  return readdirSync(ROOT)
    .filter((name) => !made.includes(name))
    .flatMap((name) => (isFile(join(ROOT, name)) ? [name] : filesUnder(name, '')));
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
