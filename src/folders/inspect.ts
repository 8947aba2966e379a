/** Inspects the queue folders for the doctor. Creates nothing, moves nothing and follows no links. */
import { closeSync, constants, lstatSync, readdirSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { deadLocksIn } from './name-locks.ts';
import { openPlain } from './plain-file.ts';
import type { Inspection, ListedName, Quarantined } from './folder.ts';
import { OPEN_QUEUE_FOLDERS, QUEUE_FOLDERS, type OpenQueueFolder } from './queue-folder-names.ts';

const REASON_SUFFIX = '.reason.txt';
const REASON_BYTES_MAX = 4_096;

export interface InspectedPaths {
  readonly root: string;
  readonly quarantine: string;
  readonly locks: string;
  readonly listed: (name: string) => readonly ListedName[];
}

export function inspectFolders({ root, quarantine, locks, listed }: InspectedPaths): Inspection {
  const names = ['.', ...QUEUE_FOLDERS, quarantine];
  const wrong = names.flatMap((name) => {
    const is = folderProblem(lstatSync(join(root, name), { throwIfNoEntry: false }));
    return is === null ? [] : [{ name: name === '.' ? 'handoffs' : `handoffs/${name}`, is }];
  });
  const namesIn = (folder: string): readonly string[] =>
    lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : [];
  const openNames = (place: OpenQueueFolder): Inspection['open'][number] => ({
    place,
    files: namesIn(join(root, place))
      .flatMap(listed)
      .map(({ name, id }) => {
        const isFile = lstatSync(join(root, place, name), { throwIfNoEntry: false })?.isFile();
        return { name, id, isFile: isFile ?? true };
      }),
  });
  return {
    wrong,
    open: OPEN_QUEUE_FOLDERS.map(openNames),
    quarantined: quarantinedIn(join(root, quarantine), namesIn(join(root, quarantine))),
    dead: namesIn(locks).length === 0 ? [] : deadLocksIn(locks),
  };
}

function folderProblem(found: Stats | undefined): Inspection['wrong'][number]['is'] | null {
  if (found === undefined) return 'missing';
  if (found.isSymbolicLink()) return 'a link';
  return found.isDirectory() ? null : 'no folder';
}

function quarantinedIn(folder: string, names: readonly string[]): readonly Quarantined[] {
  const reasons = new Set(names.filter((name) => name.endsWith(REASON_SUFFIX)));
  return names
    .filter((name) => !name.startsWith('.') && !reasons.has(name))
    .map((name) => {
      const path = join(folder, name);
      const reason = `${path}${REASON_SUFFIX}`;
      const reasonStats = reasons.has(`${name}${REASON_SUFFIX}`)
        ? lstatSync(reason, { throwIfNoEntry: false })
        : undefined;
      const found = lstatSync(path, { throwIfNoEntry: false });
      return {
        name,
        says: reasonStats === undefined ? null : beginningOf(reason),
        sinceMs: (reasonStats ?? found)?.ctimeMs ?? 0,
        isFile: found?.isFile() ?? true,
      };
    });
}

/** Another program may have written the file, so only a plain file is read, up to a limit. */
function beginningOf(path: string): string | null {
  const file = openPlain(path, constants.O_RDONLY);
  if (file === null) return null;
  try {
    const bytes = Buffer.alloc(REASON_BYTES_MAX);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0)).trim();
  } finally {
    closeSync(file);
  }
}
