/**
 * The guard of a repository: checks files by their content, the lifecycle and the limits. It uses only the given tree, so
 * it works in a clone without a database.
 */
import { NO_LIMITS, type Limits } from '../../domain/limits.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Role } from '../../domain/principal.ts';
import type { Terms } from '../../domain/handoff.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import { legalVersions } from '../documents/overrule.ts';
import { violation, type Violation } from './violation.ts';
import { indexPath, isTaskFile, judgeIndex, judgeTasks } from './judge-derived.ts';
import type { Status } from '../../formats/document/vocabulary.ts';
import { isProvenBySignatures, judgeChange, judgeProof, type ChangeRules } from './judge-change.ts';
import { judgeFile, type GuardRules } from './judge-file.ts';
import {
  judgeLimits,
  judgeSameContent,
  overdueAmong,
  duplicates,
  type MarkedFile,
  type OpenFile,
} from './judge-set.ts';
import {
  filesInside,
  insideFile,
  mayHoldHandoff,
  textOfMark,
  type GuardedTree,
  type GuardFrame,
  type InsideFile,
  type SeenFile,
} from './tree.ts';

export interface HomeRules extends GuardRules {
  /** The clocks of documents, where they are configured. */
  readonly documentTerms: Partial<Terms>;
  /** Agents with roles. */
  readonly roles: ReadonlyMap<AgentId, readonly Role[]>;
  readonly limits: Limits;
  readonly identity: 'local' | 'strict';
  /** The status of each document in the database, by id, where identity is strict and a database is at hand. */
  readonly recorded?: ReadonlyMap<string, Status>;
}

type RulesOf = (home: string) => HomeRules | null;

const NO_RULES: HomeRules = {
  limits: NO_LIMITS,
  verifiers: [],
  roles: new Map(),
  identity: 'local',
  documentTerms: {},
};

export function judge(tree: GuardedTree, rulesOf: RulesOf): readonly Violation[] {
  const inside = filesInside(tree.files.keys(), tree.workspaceFolders);
  const beforeByKey = filesByKey(tree.before, tree.workspaceFolders);
  const marked = (file: InsideFile, mark: string): MarkedFile => ({
    path: file.path,
    mark,
    isJudged: tree.isJudged(file.path),
  });
  const named = inside.filter(({ kind, name }) => kind !== 'misplaced' && /^handoff/i.test(name));
  const violations = [
    ...[...tree.files].flatMap(([path, file]) => judgeOne(tree, path, file, beforeByKey, rulesOf)),
    ...judgeRemoved(tree, inside, beforeByKey),
    ...judgeTasks(tree),
    ...tree.workspaceFolders.flatMap((home) => judgeIndex(tree, home)),
    ...duplicates(
      named.map((file) => marked(file, `${file.home} ${tree.files.get(file.path)?.mark ?? ''}`)),
      'has the same content as',
    ),
    ...duplicates(
      inside.flatMap((file) => (file.id === null ? [] : marked(file, file.key))),
      'has the same name as',
    ),
    ...tree.workspaceFolders.flatMap((home) => {
      const open = openIn(tree, home, inside);
      const { limits } = rulesOf(home) ?? NO_RULES;
      return [...judgeLimits(home, open, limits, tree.onlyChanges), ...judgeSameContent(open)];
    }),
  ];
  return withoutRepetition(violations).toSorted(byPlace);
}

/** Marks of all texts that `judge` asks for. */
export function wantedMarks(tree: GuardFrame): ReadonlySet<string> {
  const { workspaceFolders: homes } = tree;
  const wanted = new Set<string>();
  const judgedKeys = new Set<string>();
  for (const [path, { mark, isPlain }] of tree.files) {
    const inside = insideFile(path, homes);
    const isWanted = inside?.kind === 'active' || (tree.isJudged(path) && mayHoldHandoff(path, homes));
    if (isPlain && (isWanted || isTaskFile(path, homes) || homes.some((home) => path === indexPath(home))))
      wanted.add(mark);
    if (inside !== null && tree.isJudged(path)) judgedKeys.add(inside.key);
  }
  for (const [path, { mark, isPlain }] of [...tree.before, ...tree.merging.flatMap((side) => [...side])]) {
    if (isPlain && judgedKeys.has(insideFile(path, homes)?.key ?? '')) wanted.add(mark);
  }
  return wanted;
}

function judgeOne(
  tree: GuardedTree,
  path: string,
  file: SeenFile,
  beforeByKey: ReadonlyMap<string, InsideFile>,
  rulesOf: RulesOf,
): readonly Violation[] {
  const { workspaceFolders: homes, texts } = tree;
  if (!tree.isJudged(path) || !mayHoldHandoff(path, homes)) return [];
  const inside = insideFile(path, homes);
  const text = file.isPlain
    ? (texts.get(file.mark) ?? { unfit: 'it could not be read' })
    : { unfit: 'it is a link or another repository, and not a plain file' };
  const rules = (inside === null ? null : rulesOf(inside.home)) ?? NO_RULES;
  const { violations, document } = judgeFile(path, inside, text, rules);
  const { key = '' } = inside ?? {};
  const old = tree.before.get(beforeByKey.get(key)?.path ?? '');
  if (document === null || old?.mark === file.mark) return violations;
  const was = textOfMark(texts, old?.mark);
  const changeRules: ChangeRules = {
    terms: { ...DEFAULT_TERMS.document, ...rules.documentTerms },
    roles: { verifiers: rules.verifiers, rolesOf: (agent) => rules.roles.get(agent) ?? [] },
  };
  const befores = (): readonly string[] => {
    // The text before may be wrong itself; then its correction is judged against the last legal text.
    const { legal: lawful } = legalVersions(changeRules.roles, changeRules.terms, tree.earlier.get(key) ?? []);
    const last = lawful.at(-1);
    if (last !== undefined) return [last.text];
    const others = tree.merging.map((side) => side.get(filesByKey(side, homes).get(key)?.path ?? ''));
    return [old, ...others].flatMap((seen) => textOfMark(texts, seen?.mark) ?? []);
  };
  const changed = violations.length > 0 ? [] : judgeChange(document, befores(), changeRules);
  const recorded = rules.recorded?.get(document.read.fields.handoff_id ?? '') ?? null;
  const unproven = rules.identity === 'local' ? [] : judgeProof(document, was, recorded, tree.isStaged);
  const isProven =
    unproven.length > 0 && isProvenBySignatures(tree.signed.get(key) ?? [], was, document.text, changeRules);
  return [...violations, ...changed, ...(isProven ? [] : unproven)];
}

/** Documents with refused changes. Their older versions may show that the text before was wrong. */
export function refusedChanges(tree: GuardedTree, violations: readonly Violation[]): readonly InsideFile[] {
  return documentsWith(tree, violations, ['transition', 'agreement', 'completion']);
}

/** Documents that only signatures can prove. */
export function unprovenChanges(tree: GuardedTree, violations: readonly Violation[]): readonly InsideFile[] {
  return documentsWith(tree, violations, ['unproven']);
}

function documentsWith(
  { workspaceFolders: homes }: GuardedTree,
  violations: readonly Violation[],
  rules: readonly Violation['rule'][],
): readonly InsideFile[] {
  const refused = violations.filter(({ rule }) => rules.includes(rule));
  return filesInside(new Set(refused.map(({ file }) => file)), homes);
}

/** The checked documents of a home. */
export function judgedIds(tree: GuardFrame, home: string): readonly HandoffId[] {
  return filesInside(tree.files.keys(), tree.workspaceFolders).flatMap(({ path, home: own, id }) =>
    own === home && tree.isJudged(path) ? (id ?? []) : [],
  );
}

/** Reports open handoffs that were removed without being settled. */
function judgeRemoved(
  tree: GuardedTree,
  inside: readonly InsideFile[],
  beforeByKey: ReadonlyMap<string, InsideFile>,
): readonly Violation[] {
  const here = new Set(inside.flatMap(({ id, key }) => (id === null ? [] : key)));
  return [...beforeByKey.values()].flatMap(({ key, kind, path }) => {
    if (here.has(key) || kind !== 'active' || !tree.isJudged(path)) return [];
    const todo = 'bring it back with git restore, and end it with: baton cancel';
    return [violation(path, 'removed', 'an open handoff was taken away', todo)];
  });
}

function openIn(tree: GuardedTree, home: string, inside: readonly InsideFile[]): readonly OpenFile[] {
  return inside.flatMap(({ path, home: own, kind, id }): readonly OpenFile[] => {
    const text = textOfMark(tree.texts, tree.files.get(path)?.mark);
    if (own !== home || kind !== 'active' || id === null || text === null) return [];
    return [{ path, text, isJudged: tree.isJudged(path), isNew: !tree.before.has(path) }];
  });
}

/** Open documents whose deadline has passed. They are listed beside the complaints and do not refuse a commit. */
export function overdueIn(tree: GuardedTree, nowMs: number): readonly Violation[] {
  const inside = filesInside(tree.files.keys(), tree.workspaceFolders);
  return tree.workspaceFolders.flatMap((home) => overdueAmong(openIn(tree, home, inside), nowMs)).toSorted(byPlace);
}

function filesByKey(files: ReadonlyMap<string, SeenFile>, homes: readonly string[]): ReadonlyMap<string, InsideFile> {
  const known = filesInside(files.keys(), homes).filter(({ id }) => id !== null);
  return new Map(known.map((file) => [file.key, file]));
}

/** A file that is a duplicate in more than one way is reported once. */
function withoutRepetition(violations: readonly Violation[]): readonly Violation[] {
  const seen = new Set<string>();
  return violations.filter(({ file, line, column, rule, says }) => {
    const key = JSON.stringify(rule === 'duplicate' ? [file, rule] : [file, rule, line, column, says]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function byPlace(a: Violation, b: Violation): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
