/** As much of git as documents depend on, in memory: commits, a remote branch, three-way merges by file. */
import { createHash } from 'node:crypto';
import { present } from '../../../src/foundation/assert.ts';

export type Tree = ReadonlyMap<string, string>;

export interface Commit {
  readonly id: string;
  readonly parents: readonly Commit[];
  readonly tree: Tree;
  readonly author: string;
}

/** What the clones push to. */
export interface Remote {
  main: Commit;
}

let made = 0;

export function commitOf(tree: Tree, parents: readonly Commit[], author: string): Commit {
  made += 1;
  const id = createHash('sha1').update(`commit ${made}`).digest('hex');
  return { id, parents, tree: new Map(tree), author };
}

export function ancestorsOf(commit: Commit): ReadonlyMap<string, Commit> {
  const found = new Map<string, Commit>();
  const rest = [commit];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (found.has(next.id)) continue;
    found.set(next.id, next);
    rest.push(...next.parents);
  }
  return found;
}

/** One that is common and is contained in no other common one. */
function mergeBase(ours: Commit, theirs: Commit): Commit {
  const known = ancestorsOf(ours);
  const common = [...ancestorsOf(theirs).values()].filter(({ id }) => known.has(id));
  const best = common.find((each) => common.every((other) => ancestorsOf(each).has(other.id)));
  return best ?? present(common[0], 'all histories begin with one commit');
}

/**
 * By document, because git follows a rename into the archive: whoever alone has changed a document since the base
 * decides, and `choose` is the person who resolves what both have changed.
 */
export function merged(ours: Commit, theirs: Commit, choose: (name: string) => 'ours' | 'theirs'): Tree {
  const base = byName(mergeBase(ours, theirs).tree);
  const [left, right] = [byName(ours.tree), byName(theirs.tree)];
  const tree = new Map<string, string>();
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const [was, mine, other] = [base, left, right].map((side) => side.get(name)?.mark);
    const isMine = other === was || (mine !== was && mine !== other && choose(name) === 'ours');
    const kept = (isMine ? left : right).get(name);
    if (kept !== undefined) tree.set(kept.path, kept.text);
  }
  return tree;
}

interface Named {
  readonly path: string;
  readonly text: string;
  readonly mark: string;
}

function byName(tree: Tree): ReadonlyMap<string, Named> {
  return new Map([...tree].map(([path, text]) => [nameOf(path), { path, text, mark: `${path}\n${text}` }]));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The line of history that explains a document, the newest first, as `git log -- FILE` simplifies it. */
export function versionsOf(commit: Commit, name: string): readonly (Named & { readonly commit: Commit })[] {
  const versions: (Named & { readonly commit: Commit })[] = [];
  for (let at: Commit | undefined = commit; at !== undefined;) {
    const here: Named | undefined = byName(at.tree).get(name);
    const same: Commit | undefined = at.parents.find((parent) => byName(parent.tree).get(name)?.mark === here?.mark);
    if (same === undefined && here !== undefined) versions.push({ ...here, commit: at });
    at = same ?? at.parents[0];
  }
  return versions;
}

/** The commit that gave a file its present text. */
export function lastChangeAt(commit: Commit, path: string): Commit | null {
  const text = commit.tree.get(path);
  const same = commit.parents.find((parent) => parent.tree.get(path) === text);
  if (same !== undefined) return lastChangeAt(same, path);
  return text === undefined ? null : commit;
}
