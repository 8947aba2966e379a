/** `baton check`: reads files from the index, a commit or the disk and has the guard judge them. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Violation } from '../../engine/guard/violation.ts';
import type { AgentKey } from '../../engine/context.ts';
import type { SignedVersion } from '../../engine/guard/judge-change.ts';
import type { DocumentVersion } from '../../folders/folder.ts';
import { orNull } from '../../foundation/or-null.ts';
import { signerOfCommit } from '../../foundation/ssh-signature.ts';
import {
  judge,
  judgedIds,
  overdueIn,
  refusedChanges,
  unprovenChanges,
  wantedMarks,
  type HomeRules,
} from '../../engine/guard/judge.ts';
import {
  insideFile,
  mayHoldHandoff,
  textOfMark,
  type FileText,
  type GuardedTree,
  type GuardFrame,
  type InsideFile,
  type SeenFile,
} from '../../engine/guard/tree.ts';
import type { Configuration } from '../../workspace/configuration-values.ts';
import { parseConfiguration } from '../../workspace/configuration.ts';
import {
  commitFiles,
  commitOf,
  commitText,
  indexFiles,
  mergingCommits,
  readBlobs,
  topFolder,
  versionsOf,
  workingNames,
} from '../git/git-lists.ts';
import type { GitOptions } from '../git/git.ts';
import { readFiles, filesBelow } from './read-files.ts';
import { storedStatuses, type StoredStatuses } from './stored-identity.ts';

/** The request names something that is not there. */
export class CheckProblem extends Error {
  override readonly name = 'CheckProblem';
}

export interface CheckRequest {
  readonly folder: string;
  /** The index as it would be committed, instead of the files on the disk. */
  readonly staged: boolean;
  /** Compare with this commit, and judge only what differs from it. */
  readonly since: string | null;
  /** Only files below these; empty: all. */
  readonly paths: readonly string[];
  /** Keys that count besides those in the database. */
  readonly keys: readonly AgentKey[];
}

export interface CheckAnswer {
  /** How many files were judged. */
  readonly checked: number;
  readonly complaints: readonly Violation[];
  /** Documents whose deadline has passed. */
  readonly overdue: readonly Violation[];
}

type Files = ReadonlyMap<string, SeenFile>;
const CONFIGURATION = 'baton.yaml';
const NO_FILES: Files = new Map();

export async function checkRepository(request: CheckRequest): Promise<CheckAnswer> {
  const options: GitOptions = { folder: resolve(request.folder) };
  const top = await topFolder(options);
  if (top === null) return checkFolder(request);
  const before = await filesBefore(request, options);
  const sides = request.since === null ? await mergingCommits(options) : [];
  const merging = await Promise.all(sides.map((commit) => commitFiles(commit, options)));
  const history: History = {
    earlier: (path) => versionsOf(path, request.since ?? 'HEAD', options),
    signed: (path, keys) => signedVersions(request, path, keys, options),
    before: async (path) => {
      const mark = before.get(path)?.mark ?? '';
      return textOfMark(await readBlobs(new Set([mark]), options), mark);
    },
  };
  if (request.staged) {
    const files = await indexFiles(options);
    const scope = isUnaffected(scopeOf(request, top, files, before, merging));
    const known = await readBlobs(new Set([...wantedMarks(scope), ...marksOfConfigurations(files)]), options);
    const configurationAt = (path: string): string | null =>
      textOfMark(known, files.get(path)?.mark) ?? textOnDisk(top, path);
    return judged(request, top, scope, known, configurationAt, history);
  }
  const names = await workingNames(options);
  const workspaceFolders = workspaceFoldersIn(names.keys(), top);
  const { files, texts } = await readFiles(
    top,
    names,
    (path) => mayHoldHandoff(path, workspaceFolders),
    markOf(before),
  );
  const scope = scopeOf(request, top, files, before, merging);
  const missing = [...wantedMarks(scope)].filter((mark) => !texts.has(mark) && /^[0-9a-f]+$/.test(mark));
  const known = new Map([...texts, ...(await readBlobs(new Set(missing), options))]);
  return judged(request, top, scope, known, (path) => textOnDisk(top, path), history);
}

async function checkFolder(request: CheckRequest): Promise<CheckAnswer> {
  if (request.staged || request.since !== null) {
    throw new CheckProblem(`${resolve(request.folder)} is in no git repository that git trusts`);
  }
  const root = resolve(request.folder);
  const names = await filesBelow(root);
  const workspaceFolders = workspaceFoldersIn(names.keys(), root);
  const { files, texts } = await readFiles(root, names, (path) => mayHoldHandoff(path, workspaceFolders), 'sha1');
  const scope = scopeOf(request, root, files, NO_FILES, []);
  const nothing = (): Promise<readonly never[]> => Promise.resolve([]);
  const history: History = { earlier: nothing, signed: nothing, before: () => Promise.resolve(null) };
  return judged(request, root, scope, texts, (path) => textOnDisk(root, path), history);
}

async function filesBefore({ since }: CheckRequest, options: GitOptions): Promise<Files> {
  const commit = await commitOf(since ?? 'HEAD', options);
  if (commit !== null) return commitFiles(commit, options);
  if (since === null) return NO_FILES;
  throw new CheckProblem(
    `there is no commit ${JSON.stringify(since)} here; in a shallow clone, fetch more of its history`,
  );
}

interface History {
  /** Older texts of a document, the newest first. */
  earlier(path: string): Promise<readonly DocumentVersion[]>;
  /** The texts that commits have given it since, the oldest first. */
  signed(path: string, keys: readonly AgentKey[]): Promise<readonly SignedVersion[]>;
  /** The text of a file at the commit that is compared with; null: it was not there. */
  before(path: string): Promise<string | null>;
}

/** A commit that is still to be made has no signature to check. */
async function signedVersions(
  { staged, since }: CheckRequest,
  path: string,
  keys: readonly AgentKey[],
  options: GitOptions,
): Promise<readonly SignedVersion[]> {
  const from = staged || since === null || keys.length === 0 ? null : await commitOf(since, options);
  if (from === null) return [];
  const signed: SignedVersion[] = [];
  for (const { commit, author, text } of await versionsOf(path, `${from}..HEAD`, options)) {
    const raw = await commitText(commit, options);
    signed.push({ author, text, signer: raw === null ? null : signerOfCommit(raw, keys) });
  }
  return signed.toReversed();
}

function scopeOf(
  request: CheckRequest,
  top: string,
  files: Files,
  before: Files,
  merging: readonly Files[],
): GuardFrame {
  const onlyChanges = request.staged || request.since !== null;
  const isNamed = filterOf(request, top, files, before);
  return {
    workspaceFolders: workspaceFoldersIn(files.keys(), top),
    files,
    before,
    merging,
    onlyChanges,
    isStaged: request.staged,
    isJudged: (path) => {
      if (!isNamed(path)) return false;
      if (!onlyChanges) return true;
      // A file that one side of a merge has already is not new.
      return [before, ...merging].every((side) => files.get(path)?.mark !== side.get(path)?.mark);
    },
  };
}

/**
 * A commit that touches neither documents nor a configuration is judged without the other files: reading all open documents
 * took longer than everything else together.
 */
function isUnaffected(scope: GuardFrame): GuardFrame {
  const { files, before, workspaceFolders } = scope;
  const touched = [...new Set([...files.keys(), ...before.keys()])].filter((path) => scope.isJudged(path));
  const isOutside = touched.every((path) => {
    return insideFile(path, workspaceFolders) === null && !path.endsWith(CONFIGURATION);
  });
  if (!isOutside || touched.length === 0) return scope;
  const own = new Map([...files].filter(([path]) => scope.isJudged(path)));
  return { ...scope, files: own, before: NO_FILES, merging: [] };
}

async function judged(
  { keys }: CheckRequest,
  top: string,
  scope: GuardFrame,
  texts: ReadonlyMap<string, FileText>,
  configurationAt: (path: string) => string | null,
  history: History,
): Promise<CheckAnswer> {
  const configurations = new Map<string, Configuration | null>();
  for (const home of scope.workspaceFolders) {
    const path = `${home}${CONFIGURATION}`;
    const text = configurationAt(path);
    configurations.set(home, text === null ? null : parseConfiguration(text, path).configuration);
  }
  const ignored = [...configurations].flatMap(([home, known]) => (known?.checkIgnore ?? []).map((each) => home + each));
  const isIgnored = (path: string): boolean => ignored.some((each) => path === each || path.startsWith(`${each}/`));
  const isJudged = (path: string): boolean => !isIgnored(path) && scope.isJudged(path);
  const strict = new Map<string, StoredStatuses>();
  for (const [home, known] of configurations) {
    // A commit cannot switch strict identity off for itself.
    const path = `${home}${CONFIGURATION}`;
    const isSame = known?.identity === 'strict' || scope.files.get(path)?.mark === scope.before.get(path)?.mark;
    const before = isSame ? null : await history.before(path);
    if (known?.identity === 'strict' || (before !== null && isStrict(before, path))) {
      strict.set(home, await storedStatuses(join(top, home), judgedIds({ ...scope, isJudged }, home)));
    }
  }
  const rulesOf = (home: string): HomeRules | null => {
    const known = configurations.get(home) ?? null;
    const recorded = strict.get(home);
    if (known === null || recorded === undefined) return known;
    return { ...known, identity: 'strict', recorded: recorded.statuses };
  };
  const tree: GuardedTree = { ...scope, texts, isJudged, earlier: new Map(), signed: new Map() };
  const first = judge(tree, rulesOf);
  const earlier = await versionsByKey(refusedChanges(tree, first), ({ path }) => history.earlier(path));
  const signed = await versionsByKey(unprovenChanges(tree, first), ({ path, home }) =>
    history.signed(path, [...keys, ...(strict.get(home)?.keys ?? [])]),
  );
  const complaints = earlier.size + signed.size === 0 ? first : judge({ ...tree, earlier, signed }, rulesOf);
  const checked = [...scope.files.keys()].filter(
    (path) => isJudged(path) && mayHoldHandoff(path, scope.workspaceFolders),
  ).length;
  return { checked, complaints, overdue: overdueIn(tree, Date.now()) };
}

async function versionsByKey<Version>(
  files: readonly InsideFile[],
  versionsOf: (file: InsideFile) => Promise<readonly Version[]>,
): Promise<ReadonlyMap<string, readonly Version[]>> {
  const found = new Map<string, readonly Version[]>();
  for (const file of files) {
    const versions = await versionsOf(file);
    if (versions.length > 0) found.set(file.key, versions);
  }
  return found;
}

function isStrict(text: string, path: string): boolean {
  // A configuration of before that this version cannot read is none: a commit that repairs it is not to blame.
  return orNull(() => parseConfiguration(text, path).configuration.identity) === 'strict';
}

/** Every folder with a configuration may have handoffs; the innermost counts. */
function workspaceFoldersIn(paths: Iterable<string>, top: string): readonly string[] {
  const workspaceFolders = new Set(['']);
  for (const path of paths) {
    const at = path.indexOf('_handoffs/');
    if (at > 0 && path[at - 1] === '/' && existsSync(join(top, path.slice(0, at), CONFIGURATION)))
      workspaceFolders.add(path.slice(0, at));
  }
  return [...workspaceFolders].toSorted((a, b) => b.length - a.length);
}

function filterOf(
  { paths, folder }: CheckRequest,
  top: string,
  files: Files,
  before: Files,
): (path: string) => boolean {
  if (paths.length === 0) return () => true;
  const wanted = paths.map((given) => {
    if (given === '') throw new CheckProblem('the name of a file or folder is not empty');
    const path = relative(top, resolve(realpathSync(folder), given)).replaceAll('\\', '/');
    if (isAbsolute(path) || path === '..' || path.startsWith('../')) {
      throw new CheckProblem(`${JSON.stringify(given)} lies outside of ${top}`);
    }
    const isIt = (each: string): boolean => path === '' || each === path || each.startsWith(`${path}/`);
    const isKnown = existsSync(join(top, path)) || [...files.keys(), ...before.keys()].some(isIt);
    if (!isKnown) throw new CheckProblem(`there is no ${JSON.stringify(given)}`);
    return isIt;
  });
  return (path) => wanted.some((isIt) => isIt(path));
}

function marksOfConfigurations(files: Files): readonly string[] {
  return [...files].flatMap(([path, { mark, isPlain }]) => {
    return isPlain && (path === CONFIGURATION || path.endsWith(`/${CONFIGURATION}`)) ? [mark] : [];
  });
}

function textOnDisk(top: string, path: string): string | null {
  const file = join(top, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** The algorithm of git's own ids in this repository. */
function markOf(before: Files): 'sha1' | 'sha256' {
  const [first] = before.values();
  return first?.mark.length === 64 ? 'sha256' : 'sha1';
}
