/** The input of the guard: the files and their texts, now and at the base commit. */
import type { HandoffId } from '../../domain/names.ts';
import { idInFileName } from '../../formats/document/names.ts';
import type { DocumentVersion } from '../../folders/folder.ts';
import type { SignedVersion } from './judge-change.ts';

/** `home` is the folder of a workspace inside the repository: empty, or ending in a slash. */
export interface GuardedTree {
  readonly workspaceFolders: readonly string[];
  readonly files: ReadonlyMap<string, SeenFile>;
  readonly before: ReadonlyMap<string, SeenFile>;
  /** In a merge, the files of the other parents. */
  readonly merging: readonly ReadonlyMap<string, SeenFile>[];
  /** Older texts of a document, the newest first, by its key: read where the text before may itself be wrong. */
  readonly earlier: ReadonlyMap<string, readonly DocumentVersion[]>;
  /** The texts of newer commits, the oldest first, by the key of the document: read where only signatures may prove it. */
  readonly signed: ReadonlyMap<string, readonly SignedVersion[]>;
  /** By mark; only those that `wantedMarks` names. */
  readonly texts: ReadonlyMap<string, FileText>;
  /** Which files are checked; the others only count towards limits. */
  isJudged(path: string): boolean;
  /** Only changes are checked, not earlier problems. */
  readonly onlyChanges: boolean;
  /** The commit does not exist yet, so its signature cannot be checked. */
  readonly isStaged: boolean;
}

/** The tree before any text was read. */
export type GuardFrame = Omit<GuardedTree, 'texts' | 'earlier' | 'signed'>;

export interface SeenFile {
  /** The same for the same content, like the id that git gives it. */
  readonly mark: string;
  readonly isPlain: boolean;
}

export type FileText = { readonly text: string } | { readonly unfit: string };

/** Null: the text was not read, or cannot be. */
export function textOfMark(texts: ReadonlyMap<string, FileText>, mark: string | undefined): string | null {
  const found = texts.get(mark ?? '');
  return found === undefined || 'unfit' in found ? null : found.text;
}

export const HANDOFFS = '_handoffs/';
/** Notes that agents leave to their successors have a form of their own. */
const PERSONAS = 'data/personas/';

/** A file below `_handoffs/`. */
export interface InsideFile {
  readonly path: string;
  readonly kind: 'active' | 'archived' | 'misplaced';
  readonly home: string;
  /** The path below `_handoffs/`. */
  readonly rest: string;
  readonly name: string;
  /** The id in its name; null: it has no document's name, or is misplaced. */
  readonly id: HandoffId | null;
  /** Home and name: a document keeps its name when it moves to the archive. */
  readonly key: string;
}

/** Null: it lies outside of `_handoffs/`. */
export function insideFile(path: string, homes: readonly string[]): InsideFile | null {
  const home = homes.find((each) => path.startsWith(`${each}${HANDOFFS}`));
  if (home === undefined) return null;
  const rest = path.slice(home.length + HANDOFFS.length);
  const name = rest.slice(rest.lastIndexOf('/') + 1);
  const folder = rest.slice(0, rest.length - name.length);
  const isMonth = /^archived\/\d{4}\/(?:0[1-9]|1[0-2])\/$/.test(folder);
  const kind = folder === 'active/' ? 'active' : isMonth ? 'archived' : 'misplaced';
  return { path, kind, home, rest, name, id: kind === 'misplaced' ? null : idInFileName(name), key: `${home}/${name}` };
}

export function filesInside(paths: Iterable<string>, homes: readonly string[]): readonly InsideFile[] {
  return [...paths].flatMap((path) => insideFile(path, homes) ?? []);
}

const TEXT_ENDINGS = 'md|markdown|mdx|mdown|txt|text|ya?ml';
const TEXT_NAME = new RegExp(`^[^.]*$|\\.(?:${TEXT_ENDINGS})$`, 'i');
const COPY_NAME = /hand-?_?off.*(?:~|\.(?:bak|orig|old|rej|swp|tmp|\d+))$/i;

/**
 * `mayHoldHandoff` for `grep -iE`, by the path alone, so that a git hook starts nothing for a commit of code. A name that
 * git puts in quotation marks always matches.
 */
export const GREP_OF_GUARDED = `(^|/)[^./]*$|\\.(${TEXT_ENDINGS})$|hand-?_?off|"$`;

/** Whether the name is one of a text with a front matter or of a copy of it; below `_handoffs/`, any name of a handoff. */
export function mayHoldHandoff(path: string, homes: readonly string[]): boolean {
  if (homes.some((home) => path.startsWith(`${home}${PERSONAS}`))) return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (TEXT_NAME.test(name) || COPY_NAME.test(name)) return true;
  return /^handoff/i.test(name) && insideFile(path, homes) !== null;
}
