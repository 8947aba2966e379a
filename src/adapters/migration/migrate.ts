/** A migration from end to end: scan, plan, and carry out. */
import { lstat, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { completedIn, skimDocument, writeIndex, type IndexEntry } from '../../formats/document/index-text.ts';
import { NO_LIMITS, type Limits } from '../../domain/limits.ts';
import type { AgentId } from '../../domain/names.ts';
import { openCounts, planMigration, type Step } from '../../engine/migration/plan.ts';
import { writeDurably } from '../../foundation/atomic-file.ts';
import { nulSeparated } from '../../foundation/git.ts';
import { openDocumentFolder } from '../../folders/document-folder.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { git } from '../git/git.ts';
import { applyPlan, documentPath, type Applied } from './apply.ts';
import { findFiles, type FoundFiles } from './find-files.ts';
import {
  commitPaths,
  hasStaged,
  repositoryAt,
  RepositoryProblem,
  startBranch,
  undoMigration,
  type Repository,
  type Undone,
} from './repository.ts';
import { scan, type Scanned } from './scan.ts';

export interface MigrationOptions {
  readonly workspace: Workspace;
  /** Only files below this folder of the workspace; empty: all. */
  readonly below: string;
  readonly nowMs: number;
  readonly offeredMs: number | null;
  readonly from: AgentId | null;
  readonly to: AgentId | null;
  readonly newest: boolean;
  readonly limits?: Limits | undefined;
  readonly progress?: (what: 'scanned' | 'done', count: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface Planned {
  readonly found: FoundFiles;
  readonly steps: readonly Step[];
  readonly scanned: Scanned;
  readonly overLimit: readonly string[];
}

/** The specification's time for an open document to be acknowledged. */
const OFFERED_MS = 4 * 60 * 60 * 1000;
/** Archived documents that are read for the list of completed ones. */
const SAMPLE_MAX = 500;

export async function planWorkspace(options: MigrationOptions): Promise<Planned> {
  const { workspace, below, nowMs, from, to, newest, progress, signal } = options;
  const found = await findFiles(workspace.folder);
  const scanned = await scan({
    root: workspace.folder,
    found,
    terms: { below, hasFrom: from !== null, hasTo: to !== null },
    progress: (count) => progress?.('scanned', count),
    signal,
  });
  const candidates = scanned.candidates.filter(({ path }) => below === '' || path.startsWith(`${below}/`));
  const offeredMs = options.offeredMs ?? OFFERED_MS;
  const steps = planMigration({ ...scanned, candidates }, { nowMs, offeredMs, from, to, newest });
  return { found, steps, scanned, overLimit: overLimit(steps, scanned, options.limits ?? NO_LIMITS) };
}

export interface AppliedToWorkspace extends Applied {
  /** The commit of the migration; null: nothing was changed, or the folder is not in git. */
  readonly commit: string | null;
}

/**
 * Carries out a plan, in one commit where there is git. The tree has to be clean, or `branch` names a new branch: in either
 * case the commit holds what the migration changed and nothing else.
 */
export async function applyToWorkspace(
  { steps, found }: Pick<Planned, 'steps' | 'found'>,
  options: MigrationOptions,
  { branch }: { readonly branch: string | null } = { branch: null },
): Promise<AppliedToWorkspace> {
  const { workspace, nowMs, progress, signal } = options;
  const drafts = await draftsIn(workspace);
  const repository = found.isRepository ? await repositoryAt(workspace.folder) : null;
  const journal = journalIn(workspace.privateFolder);
  const begun = await journal.load();
  if (repository !== null) await mustBeReady(repository, found, new Set(begun), branch);
  else if (branch !== null) throw new RepositoryProblem('a branch needs git, and this folder is not in a repository');
  const { ready, waiting } = repository === null ? { ready: steps, waiting: [] } : committed(steps, found);
  const paths = [...new Set([...begun, ...ready.flatMap(pathsOf), ...OWN_FILES])];
  const isWork = ready.some((step) => step.do === 'migrate' || step.do === 'clear') || begun.length > 0;
  if (isWork && repository !== null) {
    if (branch !== null) await startBranch(repository, branch);
    await journal.save(paths);
  }
  const applied = await applyPlan(ready, {
    root: workspace.folder,
    drafts,
    nowMs,
    progress: (count) => progress?.('done', count),
    signal,
  });
  if (applied.migrated + applied.cleared > 0) await renewIndex(workspace);
  const commit = isWork && repository !== null ? await commitAll(repository, paths) : null;
  await journal.save(null);
  return { ...applied, left: [...applied.left, ...waiting], commit };
}

export async function undoInWorkspace(workspace: Workspace): Promise<Undone> {
  const repository = await repositoryAt(workspace.folder);
  if (repository === null) throw new RepositoryProblem('only a migration in a git repository can be undone');
  await mustBeReady(repository, await findFiles(workspace.folder), new Set(), null);
  return undoMigration(repository, await draftsIn(workspace));
}

async function draftsIn({ privateFolder }: Workspace): Promise<string> {
  const drafts = join(privateFolder, 'drafts');
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  return drafts;
}

/** Files of ours beside the documents that git sees. */
const OWN_FILES = ['_handoffs/_index.yaml', '_handoffs/.gitattributes'];

/** `begun`: paths that a killed migration may have changed already. */
async function mustBeReady(
  repository: Repository,
  { modified }: FoundFiles,
  begun: ReadonlySet<string>,
  branch: string | null,
): Promise<void> {
  const advice = 'commit or stash it';
  if (await hasStaged(repository)) throw new RepositoryProblem(`there is something staged; ${advice} first`);
  const changed = [...modified].filter((path) => !begun.has(path));
  if (changed.length === 0 || branch !== null) return;
  const more = changed.length === 1 ? '' : ` and ${changed.length - 1} more`;
  throw new RepositoryProblem(
    `${JSON.stringify(changed[0])}${more} changed and not committed; ${advice} first, or use --branch NAME`,
  );
}

/** Splits off steps with an uncommitted file, which git could not restore. */
function committed(
  steps: readonly Step[],
  { modified, untracked }: FoundFiles,
): { readonly ready: readonly Step[]; readonly waiting: Applied['left'] } {
  const uncommittedIn = (step: Step): readonly string[] =>
    (step.do === 'migrate' || step.do === 'clear' ? step.sources : []).flatMap(({ path }) =>
      modified.has(path) || untracked.has(path) ? path : [],
    );
  const because = 'it is not committed; commit it and run this again';
  return {
    ready: steps.filter((step) => uncommittedIn(step).length === 0),
    waiting: steps.flatMap((step) => uncommittedIn(step).map((path) => ({ path, because }))),
  };
}

function pathsOf(step: Step): readonly string[] {
  if (step.do !== 'migrate' && step.do !== 'clear') return [];
  const sources = step.sources.map(({ path }) => path);
  if (step.do === 'clear') return [...sources, step.keptIn];
  return [...sources, documentPath(step), `tasks/${step.task.id}.md`];
}

/** Paths of files that a migration creates; every other path in its plan is an old file. */
const MADE = /^(?:_handoffs\/(?:active|archived\/\d{4}\/\d{2})\/[^/]+\.md|_handoffs\/[._][^/]+|tasks\/BPRD-[^/]+\.md)$/;

/** Commits the old files that are gone and the new ones that git does not ignore. An old file that stayed is left out. */
async function commitAll(repository: Repository, paths: readonly string[]): Promise<string | null> {
  const { folder } = repository;
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '_handoffs', 'tasks'];
  const seen = new Set(nulSeparated(await git(args, { folder })));
  const isThere = await Promise.all(
    paths.map(async (path) => (await lstat(join(folder, path)).catch(() => null)) !== null),
  );
  const changed = paths.filter((path, index) => (MADE.test(path) ? seen.has(path) : isThere[index] === false));
  return commitPaths(repository, changed, { subject: 'Migrate old handoffs' });
}

const JOURNAL = 'migration-paths';

/** Stores the paths of a running migration, so that after a kill the next run knows what it may have changed. */
function journalIn(privateFolder: string): {
  readonly load: () => Promise<readonly string[]>;
  readonly save: (paths: readonly string[] | null) => Promise<void>;
} {
  const path = join(privateFolder, JOURNAL);
  return {
    async load() {
      return nulSeparated(await readFile(path).catch(() => Buffer.alloc(0)));
    },
    async save(paths) {
      if (paths === null) await rm(path, { force: true });
      else await writeDurably(path, paths.join('\0'), { draftFolder: join(privateFolder, 'drafts') });
    },
  };
}

/** Writes the index as the document mirror does, from the documents that are there now. */
async function renewIndex({ folder: root, privateFolder }: Workspace): Promise<void> {
  const folder = openDocumentFolder({ folder: root, privateFolder });
  await folder.prepare();
  // The remembered list lacks the migrated documents that are completed.
  await folder.notes.save('completed', null);
  const active: IndexEntry[] = [];
  for (const { id } of await folder.list()) {
    const file = id === null ? null : await folder.read('active', id);
    const skimmed = file?.kind === 'file' ? skimDocument(file.text) : null;
    if (skimmed !== null) active.push(skimmed);
  }
  const text = writeIndex(active, completedIn(await folder.archived(SAMPLE_MAX)));
  if (text !== (await folder.index.load())) await folder.index.save(text);
}

function overLimit(steps: readonly Step[], { documents }: Scanned, limits: Limits): readonly string[] {
  return [...openCounts(steps, documents)].flatMap(([agent, counts]) => {
    const own = limits.agents.get(agent as AgentId);
    return (['outgoing', 'incoming'] as const).flatMap((direction) => {
      const max = own?.[`${direction}Max`] ?? limits.everyone[`${direction}Max`];
      const count = counts[direction];
      return max === null || count <= max
        ? []
        : [`@${agent} will have ${count} ${direction} open, at most ${max} are allowed`];
    });
  });
}
