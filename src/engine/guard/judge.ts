/**
 * The guard of a repository: judges files by what stands in them, by the lifecycle and by the limits. It sees only what
 * it is shown, so it works in a clone that has no database.
 */
import { NO_LIMITS, type Limits } from '../../domain/limits.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Role } from '../../domain/principal.ts';
import type { Terms } from '../../domain/handoff.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import type { DocumentVersion } from '../../folders/folder.ts';
import { lawfulVersions } from '../documents/overrule.ts';
import { idInFileName } from '../../formats/document/names.ts';
import { complain, type Complaint } from './complaint.ts';
import { indexPath, isTaskFile, judgeIndex, judgeTasks } from './judge-derived.ts';
import type { Status } from '../../formats/document/vocabulary.ts';
import { judgeChange, judgeProof, type ChangeRules } from './judge-change.ts';
import { isProvenBySignatures } from './signed-versions.ts';
import { judgeFile, type GuardRules } from './judge-file.ts';
import { judgeLimits, judgeSameContent, overdueAmong, twice, type OpenFile } from './judge-set.ts';
import { lyingOf, mayHoldHandoff, type GuardedTree, type GuardFrame, type Lying, type SeenFile } from './tree.ts';

export interface HomeRules extends GuardRules {
  /** The clocks of documents, where they are configured. */
  readonly documentTerms: Partial<Terms>;
  /** Agents that have some. */
  readonly roles: ReadonlyMap<AgentId, readonly Role[]>;
  readonly limits: Limits;
  readonly identity: 'local' | 'strict';
  /** What the database says of documents, where identity is strict and there is one at hand; by id. */
  readonly recorded?: ReadonlyMap<string, Status>;
}

const NO_HOUSE: HomeRules = {
  limits: NO_LIMITS,
  verifiers: [],
  roles: new Map(),
  identity: 'local',
  documentTerms: {},
};

type Inside = Exclude<Lying, { kind: 'outside' }>;
interface InsideFile {
  readonly path: string;
  readonly lying: Inside;
}

export function judge(tree: GuardedTree, rulesOf: (home: string) => HomeRules | null): readonly Complaint[] {
  const inside = insideOf(tree.files.keys(), tree.homes);
  const beforeById = pathsById(insideOf(tree.before.keys(), tree.homes));
  const complaints = [
    ...[...tree.files.keys()].flatMap((path) => judgeOne(tree, path, beforeById, rulesOf)),
    ...judgeRemoved(tree, inside, beforeById),
    ...judgeTasks(tree),
    ...tree.homes.flatMap((home) => judgeIndex(tree, home)),
    ...twice(documentFiles(tree, inside), 'has the same content as'),
    ...twice(sameNames(tree, inside), 'has the same name as'),
    ...tree.homes.flatMap((home) => judgeOpen(tree, home, inside, rulesOf(home) ?? NO_HOUSE)),
  ];
  return withoutRepetition(complaints).toSorted(byPlace);
}

/** Marks of all texts that `judge` will ask for. */
export function wantedMarks(tree: GuardFrame): ReadonlySet<string> {
  const wanted = new Set<string>();
  const judgedIds = new Set<string>();
  for (const [path, { mark, isPlain }] of tree.files) {
    const lying = lyingOf(path, tree.homes);
    const isWanted = lying.kind === 'active' || (tree.isJudged(path) && mayHoldHandoff(path, tree.homes));
    if (isPlain && (isWanted || isTaskFile(path, tree.homes) || tree.homes.some((home) => path === indexPath(home))))
      wanted.add(mark);
    if (lying.kind !== 'outside' && tree.isJudged(path)) judgedIds.add(`${lying.home}/${lying.name}`);
  }
  for (const [path, { mark, isPlain }] of [...tree.before, ...tree.merging.flatMap((side) => [...side])]) {
    const lying = lyingOf(path, tree.homes);
    if (isPlain && lying.kind !== 'outside' && judgedIds.has(`${lying.home}/${lying.name}`)) wanted.add(mark);
  }
  return wanted;
}

function judgeOne(
  tree: GuardedTree,
  path: string,
  beforeById: ReadonlyMap<string, string>,
  rulesOf: (home: string) => HomeRules | null,
): readonly Complaint[] {
  const file = tree.files.get(path);
  if (file === undefined || !tree.isJudged(path) || !mayHoldHandoff(path, tree.homes)) return [];
  const lying = lyingOf(path, tree.homes);
  const text = file.isPlain
    ? (tree.texts.get(file.mark) ?? { unfit: 'it could not be read' })
    : { unfit: 'it is a link or another repository, and not a plain file' };
  const rules = (lying.kind === 'outside' ? null : rulesOf(lying.home)) ?? NO_HOUSE;
  const { complaints, document } = judgeFile(path, lying, text, rules);
  if (document === null || lying.kind === 'outside' || 'unfit' in text) return complaints;
  const key = `${lying.home}/${lying.name}`;
  const old = tree.before.get(beforeById.get(key) ?? '');
  const textOf = (seen: SeenFile | undefined): readonly string[] => {
    const found = seen === undefined ? undefined : tree.texts.get(seen.mark);
    return found === undefined || 'unfit' in found ? [] : [found.text];
  };
  const others = tree.merging.flatMap((side) =>
    textOf(side.get(pathsById(insideOf(side.keys(), tree.homes)).get(key) ?? '')),
  );
  const [was = null] = textOf(old);
  const isUnchanged = old?.mark === file.mark;
  const recorded = rules.recorded?.get(document.fields.handoff_id ?? '') ?? null;
  const changeRules: ChangeRules = {
    terms: { ...DEFAULT_TERMS.document, ...rules.documentTerms },
    roles: { verifiers: rules.verifiers, rolesOf: (agent) => rules.roles.get(agent) ?? [] },
  };
  const lawful = lastLawful(tree.earlier.get(key) ?? [], changeRules);
  const befores = lawful.length === 0 ? [...textOf(old), ...others] : lawful;
  const changed =
    complaints.length > 0 || isUnchanged ? [] : judgeChange(path, text.text, document, befores, changeRules);
  const signed = tree.signed.get(key) ?? [];
  const provenOr = (unproven: readonly Complaint[]): readonly Complaint[] =>
    unproven.length > 0 && isProvenBySignatures(signed, was, text.text, changeRules) ? [] : unproven;
  return [
    ...complaints,
    ...changed,
    ...(rules.identity === 'local' || isUnchanged
      ? []
      : provenOr(judgeProof(path, text.text, document, was, recorded, tree.isStaged))),
  ];
}

/** What is before may be wrong itself: then its correction is judged against the last text that was not. */
function lastLawful(versions: readonly DocumentVersion[], { roles, terms }: ChangeRules): readonly string[] {
  const { lawful } = lawfulVersions(roles, terms, versions);
  return lawful.slice(-1).map(({ text }) => text);
}

/** Documents whose change was refused, by home and name: the history of each may tell more. */
export function refusedChanges(
  tree: GuardedTree,
  complaints: readonly Complaint[],
): readonly { key: string; path: string }[] {
  return changesWith(tree, complaints, ['transition', 'agreement', 'completion']);
}

/** Documents of which nothing proves what they tell, unless signatures do. */
export function unprovenChanges(
  tree: GuardedTree,
  complaints: readonly Complaint[],
): readonly { key: string; path: string; home: string }[] {
  return changesWith(tree, complaints, ['unproven']);
}

function changesWith(
  tree: GuardedTree,
  complaints: readonly Complaint[],
  rules: readonly Complaint['rule'][],
): readonly { key: string; path: string; home: string }[] {
  const refused = complaints.filter(({ rule }) => rules.includes(rule));
  return [...new Set(refused.map(({ file }) => file))].flatMap((path) => {
    const lying = lyingOf(path, tree.homes);
    return lying.kind === 'outside' ? [] : [{ key: `${lying.home}/${lying.name}`, path, home: lying.home }];
  });
}

/** The documents of a home that are judged, for whoever asks the database about them. */
export function judgedIds(tree: GuardFrame, home: string): readonly HandoffId[] {
  return insideOf(tree.files.keys(), tree.homes).flatMap(({ path, lying }) => {
    const id = lying.home === home && tree.isJudged(path) ? idInFileName(lying.name) : null;
    return id === null ? [] : [id];
  });
}

/** An open handoff that is nowhere any more was not settled: somebody has lost it. */
function judgeRemoved(
  tree: GuardedTree,
  inside: readonly InsideFile[],
  beforeById: ReadonlyMap<string, string>,
): readonly Complaint[] {
  const here = pathsById(inside);
  return [...beforeById].flatMap(([id, path]) => {
    const lying = lyingOf(path, tree.homes);
    if (here.has(id) || lying.kind !== 'active' || !tree.isJudged(path)) return [];
    const todo = 'bring it back with git restore, and end it with: baton cancel';
    return [complain(path, 'removed', 'an open handoff was taken away', todo)];
  });
}

function judgeOpen(
  tree: GuardedTree,
  home: string,
  inside: readonly InsideFile[],
  { limits }: HomeRules,
): readonly Complaint[] {
  const open = openIn(tree, home, inside);
  return [...judgeLimits(home, open, limits, tree.onlyChanges), ...judgeSameContent(open)];
}

function openIn(tree: GuardedTree, home: string, inside: readonly InsideFile[]): readonly OpenFile[] {
  return inside.flatMap(({ path, lying }): readonly OpenFile[] => {
    if (lying.home !== home || lying.kind !== 'active' || idInFileName(lying.name) === null) return [];
    const text = tree.texts.get(tree.files.get(path)?.mark ?? '');
    if (text === undefined || 'unfit' in text) return [];
    return [{ path, text: text.text, isJudged: tree.isJudged(path), isNew: !tree.before.has(path) }];
  });
}

/** Open documents whose time is up: told beside the complaints, and no reason to refuse a commit. */
export function overdueIn(tree: GuardedTree, nowMs: number): readonly Complaint[] {
  const inside = insideOf(tree.files.keys(), tree.homes);
  return tree.homes.flatMap((home) => overdueAmong(openIn(tree, home, inside), nowMs)).toSorted(byPlace);
}

function insideOf(paths: Iterable<string>, homes: readonly string[]): readonly InsideFile[] {
  return [...paths].flatMap((path) => {
    const lying = lyingOf(path, homes);
    return lying.kind === 'outside' ? [] : [{ path, lying }];
  });
}

/** By home and name: a document keeps its name when it moves to the archive. */
function pathsById(inside: readonly InsideFile[]): ReadonlyMap<string, string> {
  const known = inside.filter(({ lying }) => lying.kind !== 'astray' && idInFileName(lying.name) !== null);
  return new Map(known.map(({ path, lying }) => [`${lying.home}/${lying.name}`, path]));
}

function documentFiles(tree: GuardedTree, inside: readonly InsideFile[]): Parameters<typeof twice>[0] {
  return inside.flatMap(({ path, lying }) => {
    const mark = tree.files.get(path)?.mark;
    const isDocument = lying.kind !== 'astray' && /^handoff/i.test(lying.name);
    return mark === undefined || !isDocument
      ? []
      : [{ path, mark: `${lying.home} ${mark}`, isJudged: tree.isJudged(path) }];
  });
}

function sameNames(tree: GuardedTree, inside: readonly InsideFile[]): Parameters<typeof twice>[0] {
  const known = inside.filter(({ lying }) => lying.kind !== 'astray' && idInFileName(lying.name) !== null);
  return known.map(({ path, lying }) => ({
    path,
    mark: `${lying.home}/${lying.name}`,
    isJudged: tree.isJudged(path),
  }));
}

/** A file that is there twice in more than one way is told so once. */
function withoutRepetition(complaints: readonly Complaint[]): readonly Complaint[] {
  const seen = new Set<string>();
  return complaints.filter(({ file, line, column, rule, says }) => {
    const key = JSON.stringify(rule === 'duplicate' ? [file, rule] : [file, rule, line, column, says]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function byPlace(a: Complaint, b: Complaint): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
