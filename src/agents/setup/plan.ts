/** What `baton setup` would change: the files as they are and as they will be. Nothing is written here. */
import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isWithin } from '../../foundation/path-within.ts';
import type { Vendor } from '../../domain/vendors.ts';
import { SettingsProblem } from './settings-text.ts';
import { filesOf, type FileEdit, type Place } from './vendor-files.ts';

export interface PlannedFile {
  readonly vendor: Vendor;
  readonly what: FileEdit['what'];
  /** The real path, with all links followed. */
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly leftAlone?: string;
}

const FILE_BYTES_MAX = 4 * 1024 * 1024;

/** `agent` is the name of each vendor's agent. Throws a `SettingsProblem` with the file's name. */
export function planSetup(
  vendors: readonly { readonly vendor: Vendor; readonly agent: string }[],
  place: Place,
  how: 'install' | 'remove',
): readonly PlannedFile[] {
  return vendors.flatMap(({ vendor, agent }) =>
    filesOf(vendor, place, agent).map((edit) => {
      const path = realPath(edit.path, place);
      const before = existsSync(path) ? textOf(path) : null;
      const { what, leftAlone } = edit;
      const after = named(path, () => edit[how](before));
      return { vendor, what, path, before, after, ...(leftAlone === undefined ? {} : { leftAlone }) };
    }),
  );
}

export function isChanged({ before, after }: PlannedFile): boolean {
  return before !== after;
}

/** Links of the user's own home are followed; a project's link that leads out of it is not. */
function realPath(path: string, { scope, folder }: Place): string {
  const real = behindLinks(path);
  if (scope === 'user' || isWithin(real, behindLinks(folder))) return real;
  throw new SettingsProblem(`${path} is a link that leads out of the project; it is left alone`);
}

/** The real path of a file that need not exist yet. */
function behindLinks(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(behindLinks(dirname(path)), basename(path));
}

function textOf(path: string): string {
  const bytes = readFileSync(path);
  if (bytes.length > FILE_BYTES_MAX) throw new SettingsProblem(`${path} is larger than ${FILE_BYTES_MAX} bytes`);
  if (!isUtf8(bytes)) throw new SettingsProblem(`${path} is not UTF-8 text`);
  return bytes.toString('utf8');
}

function named<Answer>(path: string, act: () => Answer): Answer {
  try {
    return act();
  } catch (error) {
    if (error instanceof SettingsProblem) throw new SettingsProblem(`${path}: ${error.message}`);
    throw error;
  }
}
