/** What the guard is shown: which files there are and what stands in them, now and at the commit to compare with. */

import type { DocumentVersion } from '../../folders/folder.ts';
import type { SignedVersion } from './signed-versions.ts';

/** `home` is the folder of a workspace inside the repository: empty, or ending in a slash. */
export interface GuardedTree {
  readonly homes: readonly string[];
  readonly files: ReadonlyMap<string, SeenFile>;
  readonly before: ReadonlyMap<string, SeenFile>;
  /** In a merge, what the other sides have. */
  readonly merging: readonly ReadonlyMap<string, SeenFile>[];
  /** Older texts of a document, the oldest first, by home and name: where what is before may itself be wrong. */
  readonly earlier: ReadonlyMap<string, readonly DocumentVersion[]>;
  /** What commits have told since, the oldest first, by home and name: where only signatures may prove it. */
  readonly signed: ReadonlyMap<string, readonly SignedVersion[]>;
  /** By mark. What is not here was not wanted. */
  readonly texts: ReadonlyMap<string, FileText>;
  /** Which files are to be judged; the others only count. */
  isJudged(path: string): boolean;
  /** Whether only what has changed is judged: then nobody is blamed for what was there before. */
  readonly onlyChanges: boolean;
  /** Whether it is about a commit that is still to be made: nobody can see its signature. */
  readonly isStaged: boolean;
}

/** Before any text was read. */
export type GuardFrame = Omit<GuardedTree, 'texts' | 'earlier' | 'signed'>;

export interface SeenFile {
  /** The same for the same content, like the id that git gives it. */
  readonly mark: string;
  readonly isPlain: boolean;
}

export type FileText = { readonly text: string } | { readonly unfit: string };

export const HANDOFFS = '_handoffs/';
/** Notes that agents leave to their successors; they have their own form. */
const PERSONAS = 'data/personas/';

export type Lying =
  | { readonly kind: 'outside' }
  | {
      readonly kind: 'active' | 'archived' | 'astray';
      readonly home: string;
      /** Below `_handoffs/`. */
      readonly rest: string;
      readonly name: string;
    };

export function lyingOf(path: string, homes: readonly string[]): Lying {
  const home = homes.find((each) => path.startsWith(`${each}${HANDOFFS}`));
  if (home === undefined) return { kind: 'outside' };
  const rest = path.slice(home.length + HANDOFFS.length);
  const name = rest.slice(rest.lastIndexOf('/') + 1);
  const folder = rest.slice(0, rest.length - name.length);
  if (folder === 'active/') return { kind: 'active', home, rest, name };
  const isMonth = /^archived\/\d{4}\/(?:0[1-9]|1[0-2])\/$/.test(folder);
  return { kind: isMonth ? 'archived' : 'astray', home, rest, name };
}

const TEXT_ENDINGS = 'md|markdown|mdx|mdown|txt|text|ya?ml';
const TEXT_NAME = new RegExp(`^[^.]*$|\\.(?:${TEXT_ENDINGS})$`, 'i');
const COPY_NAME = /hand-?_?off.*(?:~|\.(?:bak|orig|old|rej|swp|tmp|\d+))$/i;

/**
 * The same for `grep -iE`, by the path alone, so that a hook of git starts nothing for a commit of code. Where git puts a
 * name in quotation marks, nobody looks closer.
 */
export const GREP_OF_GUARDED = `(^|/)[^./]*$|\\.(${TEXT_ENDINGS})$|hand-?_?off|"$`;

/** Names that text with a front matter can have, and those of its copies; where handoffs lie, every name of one. */
export function mayHoldHandoff(path: string, homes: readonly string[]): boolean {
  if (homes.some((home) => path.startsWith(`${home}${PERSONAS}`))) return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (TEXT_NAME.test(name) || COPY_NAME.test(name)) return true;
  return /^handoff/i.test(name) && lyingOf(path, homes).kind !== 'outside';
}
