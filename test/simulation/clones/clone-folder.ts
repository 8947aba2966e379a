/** The documents' folder of one clone in memory, over the model of git. */
import { createHash } from 'node:crypto';
import type { HandoffId } from '../../../src/domain/names.ts';
import { fileNameOf, idInFileName } from '../../../src/formats/document/names.ts';
import type { Agreed, DocumentFolder, DocumentPlace } from '../../../src/folders/folder.ts';
import {
  ancestorsOf,
  commitOf,
  lastChangeAt,
  merged,
  nameOf,
  versionsOf,
  type Commit,
  type Remote,
} from './git-model.ts';

export interface CloneFolder {
  readonly folder: DocumentFolder;
  readonly files: Map<string, string>;
  head(): Commit;
  isDirty(): boolean;
  commit(): void;
  /** False: git refuses, because files that are not committed would be overwritten. */
  pull(how: 'merge' | 'rebase', choose: () => 'ours' | 'theirs'): boolean;
  /** False: somebody was faster. */
  push(): boolean;
  checkout(commit: Commit): void;
}

export function openCloneFolder(remote: Remote, author: string): CloneFolder {
  let head = remote.main;
  let upstream = remote.main;
  const files = new Map(head.tree);
  const agreed = new Map<HandoffId, Agreed>();
  const notes = new Map<string, string>();
  const told = new Set<string>();
  let index: string | null = null;
  const pathOf = (place: DocumentPlace, id: HandoffId): string =>
    `${place === 'active' ? place : `archived/${place}`}/${fileNameOf(id)}`;
  const placeOf = (path: string): DocumentPlace => path.replace(/^archived\//, '').replace(/\/[^/]*$/, '');
  const stampOf = (text: string): string => createHash('sha1').update(text).digest('hex');
  const placesOf = (id: HandoffId): readonly DocumentPlace[] => {
    const paths = [...files.keys()].filter((path) => nameOf(path) === fileNameOf(id));
    return paths.map(placeOf).toSorted((a, b) => Number(b === 'active') - Number(a === 'active'));
  };
  const atHead = (place: DocumentPlace, id: HandoffId): string | undefined => head.tree.get(pathOf(place, id));
  const commitCalled = (id: string): Commit | undefined => ancestorsOf(head).get(id) ?? ancestorsOf(upstream).get(id);
  const seen = new Map<string, Commit>();
  const remember = (): void => {
    for (const [id, commit] of ancestorsOf(head)) seen.set(id, commit);
  };
  const become = (next: Commit): void => {
    remember();
    // What is not committed stays, unless git brings something for it.
    for (const [path, text] of head.tree)
      if (next.tree.get(path) !== text && files.get(path) === text) files.delete(path);
    for (const [path, text] of next.tree) if (head.tree.get(path) !== text) files.set(path, text);
    head = next;
    remember();
  };

  const isIn = (id: HandoffId, below: string): boolean =>
    [...seen.values(), head].some(({ tree }) =>
      [...tree.keys()].some((path) => path.startsWith(below) && nameOf(path) === fileNameOf(id)),
    );

  const folder: DocumentFolder = {
    prepare: async () => undefined,
    list: async () =>
      [...files].flatMap(([path, text]) =>
        path.startsWith('active/')
          ? [{ name: nameOf(path), id: idInFileName(nameOf(path)), stamp: stampOf(text) }]
          : [],
      ),
    hasMoreThan: async (count) => [...files.keys()].filter((path) => path.startsWith('active/')).length > count,
    find: async (id) => placesOf(id)[0] ?? null,
    findAll: async (id) => placesOf(id),
    read: async (place, id) => {
      const text = files.get(pathOf(place, id));
      if (text === undefined) return { kind: 'absent' };
      return { kind: 'file', text, user: '1000', unchangedMs: 60_000, stamp: stampOf(text) };
    },
    put: async (id, text) => {
      if (files.has(pathOf('active', id))) return false;
      files.set(pathOf('active', id), text);
      return true;
    },
    replace: async (place, id, text) => {
      files.set(pathOf(place, id), text);
      return true;
    },
    move: async (id, from, to) => {
      const text = files.get(pathOf(from, id));
      if (text === undefined || files.has(pathOf(to, id))) return false;
      files.delete(pathOf(from, id));
      files.set(pathOf(to, id), text);
      return true;
    },
    agreed: {
      load: async (id) => agreed.get(id) ?? null,
      save: async (id, value) => void agreed.set(id, value),
      forget: async (id) => void agreed.delete(id),
    },
    agreedTexts: {
      add: async (id, text) => void told.add(`${id} ${stampOf(text)}`),
      has: async (id, text) => told.has(`${id} ${stampOf(text)}`),
    },
    discard: async (place, id) => void files.delete(pathOf(place, id)),
    keepRefused: async (id) => `refused/${id}`,
    index: {
      load: async () => index,
      save: async (text) => {
        index = text;
        return true;
      },
    },
    notes: {
      load: async (name) => notes.get(name) ?? null,
      save: async (name, text) => void (text === null ? notes.delete(name) : notes.set(name, text)),
    },
    months: async () => [],
    listIn: async () => [],
    archived: async () => [],
    git: {
      busy: async () => null,
      head: async () => head.id,
      has: async (place, id) => atHead(place, id) !== undefined,
      commitOf: async () => null,
      authorOf: async (place, id, text) => {
        if (atHead(place, id) !== text) return null;
        return versionsOf(head, fileNameOf(id))[0]?.commit.author ?? 'unknown';
      },
      isCommitted: async (place, id, text) => atHead(place, id) === text,
      changedSince: async (known) => {
        const contained = new Set(known.flatMap((id) => [...ancestorsOf(seen.get(id) ?? head).keys()]));
        const fresh = [...ancestorsOf(head).values()].filter(({ id }) => !contained.has(id));
        const names = fresh.flatMap(({ tree, parents }) =>
          [...tree].flatMap(([path, text]) =>
            parents.some((each) => each.tree.get(path) === text) ? [] : [nameOf(path)],
          ),
        );
        return new Set(names.flatMap((name) => idInFileName(name) ?? []));
      },
      lastChange: async (commit, id) => versionsOf(seen.get(commit) ?? head, fileNameOf(id))[0]?.commit.id ?? null,
      lastChangeAt: async (place, id) => lastChangeAt(head, pathOf(place, id))?.id ?? null,
      textAt: async (commit, id) => versionsOf(seen.get(commit) ?? head, fileNameOf(id))[0]?.text ?? null,
      versions: async (id) =>
        versionsOf(head, fileNameOf(id)).map(({ commit, text }) => ({
          commit: commit.id,
          author: commit.author,
          text,
        })),
      isAnywhere: async (id) => isIn(id, ''),
      isArchivedAnywhere: async (id) => isIn(id, 'archived/'),
      prefix: async () => '',
      isAncestor: async (older, newer) => ancestorsOf(seen.get(newer) ?? commitCalled(newer) ?? head).has(older),
      isShared: async (commit) => ancestorsOf(upstream).has(commit),
    },
    withLock: async (_name, act) => act(),
    close: () => undefined,
    watch: () => ({ close: () => undefined }),
  };

  const isDirty = (): boolean =>
    files.size !== head.tree.size || [...files].some(([path, text]) => head.tree.get(path) !== text);
  return {
    folder,
    files,
    head: () => head,
    isDirty,
    commit() {
      if (!isDirty()) return;
      head = commitOf(files, [head], author);
      remember();
    },
    pull(wanted, choose) {
      upstream = remote.main;
      if (ancestorsOf(head).has(upstream.id)) return true;
      const shared = ancestorsOf(upstream);
      // Git would replay what somebody has merged and resolved here, and forget the resolution: people merge once more.
      const isResolved = [...ancestorsOf(head).values()].some(
        ({ id, parents }) => parents.length > 1 && !shared.has(id),
      );
      const how = isResolved ? 'merge' : wanted;
      const isAhead = !shared.has(head.id);
      const tree = isAhead ? merged(head, upstream, choose) : upstream.tree;
      const isInTheWay = [...new Set([...tree.keys(), ...head.tree.keys()])].some((path) => {
        const [mine, theirs] = [files.get(path), tree.get(path)];
        return mine !== undefined && mine !== head.tree.get(path) && theirs !== head.tree.get(path);
      });
      // A rebase wants a clean tree; a merge only that nothing of ours is overwritten.
      if (isInTheWay || (how === 'rebase' && [...head.tree].some(([path, text]) => files.get(path) !== text)))
        return false;
      const parents = how === 'rebase' ? [upstream] : [head, upstream];
      become(isAhead ? commitOf(tree, parents, author) : upstream);
      return true;
    },
    push() {
      upstream = remote.main;
      if (!ancestorsOf(head).has(remote.main.id)) return false;
      remote.main = head;
      upstream = head;
      return true;
    },
    checkout: become,
  };
}
