/** What the languages have in common: what they read, what they contribute. */
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

/** What a language contributes; the rest is the same for all. */
export interface LanguageCommands extends Omit<ProjectCommands, 'baseTest'> {
  /** Installs what the tests of another checkout need, in the folder of that checkout. */
  readonly prepareCheckout: string | null;
  /** `test`, with what `prepareCheckout` has installed. */
  readonly checkoutTest: string | null;
}

/** For what is used where it lies: the checkout itself, as git got it from the address. */
export const CHECKOUT_FILES =
  'cd "$SOURCE" && git ls-files > /tmp/checkout-files && ' +
  'git hash-object --no-filters --stdin-paths < /tmp/checkout-files | paste -d " " - /tmp/checkout-files';

/** More would not fit on a command line. */
const TEST_FILES_MAX = 50;

export function affectedTestFiles(
  paths: readonly string[],
  changedFiles: readonly string[],
  isTest: (path: string) => boolean,
): readonly string[] {
  const stems = changedFiles.map((path) => (path.split('/').at(-1) ?? '').replace(/\.[a-z]+$/i, '')).filter(Boolean);
  const isAffected = (path: string): boolean =>
    changedFiles.includes(path) || stems.some((stem) => (path.split('/').at(-1) ?? '').includes(stem));
  return paths.filter((path) => isTest(path) && isAffected(path)).slice(0, TEST_FILES_MAX);
}
