/** Creates a shadow: finds its sources, takes snapshots, starts the sandbox and clones the sources inside (V2–V4). */
import { randomHex } from '../../foundation/random.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { readShadowId, type ShadowId } from '../../domain/names.ts';
import {
  isRepository,
  REPOSITORY_RULE,
  repositoryOfAddress,
  shellWord,
  snapshotKey,
  type ShadowManifest,
  type ShadowProblem,
  type SourceRequest,
} from '../../domain/shadow.ts';
import { INSIDE } from '../../domain/shadow-plan.ts';
import { affectedModules, DECIDING_FILES, detectProjectType } from '../../formats/project-type/project.ts';
import { SOURCES_MAX } from '../../formats/shadow-manifest/manifest.ts';
import type { ProcessIdentity } from '../../stores/store.ts';
import type { ExecResult } from '../../shadows/sandbox.ts';
import { OUTPUT_BYTES_MAX, type RecordedSource, type ShadowRecord, type ShadowContext } from './shadow-context.ts';

export type ShadowRefusal =
  | { readonly code: 'no-such-shadow'; readonly id: string }
  | { readonly code: 'shadow-source'; readonly source: string; readonly says: string }
  | { readonly code: 'shadow-path'; readonly path: string; readonly says: string }
  | { readonly code: 'shadow-copy'; readonly says: string };

export interface FoundSource {
  readonly request: SourceRequest;
  readonly folder: string;
  readonly repository: string;
}

export type CreateAnswer =
  | { readonly success: true; readonly record: ShadowRecord; readonly context: TestContext }
  | { readonly success: false; readonly problem: ShadowProblem; readonly context: TestContext };

/** What is known about a test from its sources, with or without a shadow. */
export interface TestContext {
  readonly type: ShadowManifest['projectType'];
  readonly changedFiles: readonly string[];
  readonly modules: readonly string[];
}

const GIT_MS = 120_000;
const NAME_BYTES = 5;

/** Resolves the requested repositories before anything is created. */
export async function findSources(
  shadows: ShadowContext,
  requests: readonly SourceRequest[],
): Promise<Result<readonly FoundSource[], ShadowRefusal>> {
  const found: FoundSource[] = [];
  for (const request of requests) {
    const wrong = (says: string) => err({ code: 'shadow-source', source: request.path, says } as const);
    if (found.length >= SOURCES_MAX) return wrong(`more than ${SOURCES_MAX} sources at once`);
    const at = await shadows.snapshots.repositoryAt(shadows.hostPath(request.path));
    if (!at.ok) return wrong(at.refusal);
    const { folder, origin } = at.value;
    const repository =
      request.repository ?? (origin === null ? null : repositoryOfAddress(origin)) ?? localName(folder);
    if (!isRepository(repository)) return wrong(REPOSITORY_RULE);
    if (found.some((other) => snapshotKey(other.repository) === snapshotKey(repository))) {
      return wrong(`${repository} is named twice`);
    }
    found.push({ request, folder, repository });
  }
  return ok(found);
}

/** A name for a repository that is not on GitHub. It is valid only in this shadow. */
function localName(folder: string): string {
  const name = (folder.split(/[/\\]/).at(-1) ?? '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|\.git$|[.-]+$/g, '');
  return `local/${name === '' ? 'source' : name}`;
}

/** Also runs the preflight and builds a missing image. Snapshots are taken while the container starts. */
export async function createShadow(
  shadows: ShadowContext,
  sources: readonly FoundSource[],
  { owner = null, signal }: { readonly owner?: ProcessIdentity | null; readonly signal?: AbortSignal } = {},
): Promise<Result<CreateAnswer, ShadowRefusal>> {
  const { records, sandbox, settings } = shadows;
  const id = newShadowId(shadows, 'shadow');
  const begun = newRecord(shadows, id, owner);
  await records.save(begun);
  try {
    const taking = takeAll(shadows, id, sources);
    const request = {
      id,
      snapshots: records.snapshots(id),
      cache: settings.cache,
      lifeMs: settings.lifeMs,
      required: settings.requiredLimits,
      setUp: async () => {
        const taken = await taking;
        return taken.ok ? cloneCommand(taken.value) : null;
      },
    };
    const [taken, created] = await Promise.all([taking, sandbox.create(request, signal)]);
    if (!taken.ok) {
      await remove(shadows, id);
      return taken;
    }
    const context = await contextOf(shadows, id, taken.value);
    if (!created.ok) {
      await remove(shadows, id);
      return ok({ success: false, problem: created.refusal, context });
    }
    const record: ShadowRecord = { ...begun, sources: taken.value, sandbox: created.value };
    await records.save(record);
    return ok({ success: true, record, context });
  } catch (error) {
    await remove(shadows, id);
    throw error;
  }
}

/** Removes the sandbox and its record. */
export async function remove({ sandbox, records }: ShadowContext, id: ShadowId): Promise<void> {
  await sandbox.destroy(id);
  await records.remove(id);
}

export function newShadowId({ random }: ShadowContext, prefix: string): ShadowId {
  return readShadowId(`${prefix}-${randomHex(random, NAME_BYTES)}`) as ShadowId;
}

/** The record of a shadow that is being made. */
export function newRecord(
  { clock, settings }: ShadowContext,
  id: ShadowId,
  owner: ProcessIdentity | null,
): ShadowRecord {
  const createdAtMs = clock.nowMs();
  return { id, createdAtMs, untilMs: createdAtMs + settings.lifeMs, owner, sources: [], sandbox: null };
}

async function takeAll(
  shadows: ShadowContext,
  id: ShadowId,
  sources: readonly FoundSource[],
): Promise<Result<readonly RecordedSource[], ShadowRefusal>> {
  const taken: RecordedSource[] = [];
  for (const source of sources) {
    const one = await takeSource(shadows, id, source);
    if (!one.ok) return one;
    taken.push(one.value);
  }
  return ok(taken);
}

export async function takeSource(
  { snapshots, records }: ShadowContext,
  id: ShadowId,
  { request, folder, repository }: FoundSource,
): Promise<Result<RecordedSource, ShadowRefusal>> {
  const snapshot = await snapshots.take(folder, `${records.snapshots(id)}/${snapshotKey(repository)}`);
  if (!snapshot.ok) return err({ code: 'shadow-source', source: request.path, says: snapshot.refusal });
  const { commit, tree, changedFiles, warnings } = snapshot.value;
  return ok({ path: request.path, folder, repository, commit, tree, changedFiles, warnings });
}

/** Where a source is checked out inside. Sources with the same name get their organization as a prefix. */
export function checkoutOf(sources: readonly Pick<RecordedSource, 'repository'>[], repository: string): string {
  const [org = '', name = ''] = repository.toLowerCase().split('/');
  const same = sources.filter((other) => other.repository.toLowerCase().split('/')[1] === name);
  return `${INSIDE.work}/${same.length > 1 ? `${org}--${name}` : name}`;
}

export function cloneCommand(sources: readonly RecordedSource[]): string {
  return sources
    .map(({ repository }) => {
      const url = shellWord(`https://github.com/${repository}`);
      return `git clone -q ${url} ${shellWord(checkoutOf(sources, repository))}`;
    })
    .join(' && ');
}

/** Runs git inside. */
export function runGit({ sandbox }: ShadowContext, id: ShadowId, command: string): Promise<ExecResult> {
  return sandbox.exec(id, { command, timeoutMs: GIT_MS, outputBytesMax: OUTPUT_BYTES_MAX });
}

/** The project type of the first source, and its changes. */
export async function contextOf(
  { snapshots, records, settings }: ShadowContext,
  id: ShadowId,
  sources: readonly RecordedSource[],
): Promise<TestContext> {
  const [first] = sources;
  if (first === undefined) return { type: settings.projectType, changedFiles: [], modules: [] };
  const { repository, commit, changedFiles } = first;
  const target = `${records.snapshots(id)}/${snapshotKey(repository)}`;
  const { files, base } = await snapshots.describe(target, commit);
  const paths = [...files.keys()];
  const type = settings.projectType ?? detectProjectType({ paths });
  if (type === null) return { type, changedFiles, modules: [] };
  const deciding = DECIDING_FILES.filter((path) => files.has(path));
  const texts = await snapshots.texts(target, commit, deciding);
  const modules = affectedModules(type, { paths, texts, changedFiles, repository, commit, base });
  return { type, changedFiles, modules };
}
