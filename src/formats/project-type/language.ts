/** What the languages have in common. */
import type { ProjectCommands } from '../../domain/shadow-plan.ts';

export interface ProjectSource {
  /** Every path of the snapshot. */
  readonly paths: readonly string[];
  /** The texts of the files that decide (`DECIDING_FILES`), as far as they are there. */
  readonly texts: ReadonlyMap<string, string>;
  readonly changedFiles: readonly string[];
  readonly repository: string;
  readonly commit: string;
  /** The commit before the change; null where there is none. */
  readonly base: string | null;
  /** The Python that runs it, where that is not the one of a shadow. */
  readonly python?: string;
}

export interface LanguageCommands extends Omit<ProjectCommands, 'baseTest'> {
  /** Installs what the tests of another checkout need, in the folder of that checkout. */
  readonly prepareCheckout: string | null;
  /** `test`, with what `prepareCheckout` has installed. */
  readonly checkoutTest: string | null;
}

/** Lists the files of a checkout, for projects that are used where they lie. */
export const CHECKOUT_FILES =
  'cd "$SOURCE" && git ls-files > /tmp/checkout-files && ' +
  'git hash-object --no-filters --stdin-paths < /tmp/checkout-files | paste -d " " - /tmp/checkout-files';

/** Hashes the files that `find` lists, as far as they are installed. */
export function hashedFiles(find: string): string {
  return (
    `${find} | sort | head -n 2000 > /tmp/installed-files && ` +
    'git hash-object --no-filters --stdin-paths < /tmp/installed-files | paste -d " " - /tmp/installed-files'
  );
}

/** So many fit on a command line. */
const TEST_FILES_MAX = 50;

/** Changed files that match and still exist. */
export function changedCode(
  { changedFiles, paths }: ProjectSource,
  isCode: (path: string) => boolean,
): readonly string[] {
  const there = new Set(paths);
  return changedFiles.filter((path) => isCode(path) && there.has(path));
}

/** A command that asks a program for its version or its help. */
export function versionOrHelp(program: string): string {
  return `{ ${program} --version || ${program} --help; }`;
}

/** Test files that changed or are named after a changed file. */
export function affectedTestFiles(
  { paths, changedFiles }: ProjectSource,
  isTest: (path: string) => boolean,
): readonly string[] {
  const stems = changedFiles.map((path) => (path.split('/').at(-1) ?? '').replace(/\.[a-z]+$/i, '')).filter(Boolean);
  const isAffected = (path: string): boolean =>
    changedFiles.includes(path) || stems.some((stem) => (path.split('/').at(-1) ?? '').includes(stem));
  return paths.filter((path) => isTest(path) && isAffected(path)).slice(0, TEST_FILES_MAX);
}
