/** The operations on shadows that are there (V4). Each answers what it did, or what is wrong and what to do. */
import { err, ok, type Result } from '../../foundation/result.ts';
import { readShadowId, type ShadowId } from '../../domain/names.ts';
import { shellWord, snapshotKey } from '../../domain/shadow.ts';
import { INSIDE } from '../../domain/shadow-plan.ts';
import type { CopiedOut, Ran } from '../../shadows/sandbox.ts';
import {
  checkoutOf,
  cloneCommand,
  remove,
  runGit,
  takeSource,
  type FoundSource,
  type ShadowRefusal,
} from './create.ts';
import { OUTPUT_BYTES_MAX, type RecordedSource, type ShadowRecord, type ShadowContext } from './shadow-context.ts';

const PATH_MAX = 1_000;

export async function addSource(
  world: ShadowContext,
  idText: string,
  source: FoundSource,
): Promise<Result<{ readonly record: ShadowRecord; readonly added: RecordedSource }, ShadowRefusal>> {
  return withShadow(world, idText, async (record) => {
    if (record.sources.some((other) => snapshotKey(other.repository) === snapshotKey(source.repository))) {
      const says = `${source.repository} is in ${record.id} already; bring it up to date with: baton shadow sync-source`;
      return err({ code: 'shadow-source', source: source.request.path, says });
    }
    const taken = await takeSource(world, record.id, source);
    if (!taken.ok) return taken;
    const next = { ...record, sources: [...record.sources, taken.value] };
    const ran = await runGit(world, record.id, cloneCommand([taken.value]));
    if (ran.exitCode !== 0) {
      const says = `it cannot be cloned inside: ${ran.stderr.trim().slice(0, 300)}`;
      return err({ code: 'shadow-source', source: source.request.path, says });
    }
    await world.records.save(next);
    return ok({ record: next, added: taken.value });
  });
}

export interface Synced {
  readonly repository: string;
  readonly from: string;
  readonly to: string;
  /** The checkout inside was changed by somebody, and was left as it is. */
  readonly checkoutKept: boolean;
}

/** The snapshot anew, for one source or all; a checkout in which somebody works stays. */
export async function syncSource(
  world: ShadowContext,
  idText: string,
  repository: string | null,
): Promise<Result<readonly Synced[], ShadowRefusal>> {
  return withShadow(world, idText, async (record) => {
    const wanted = record.sources.filter(
      (source) => repository === null || snapshotKey(source.repository) === snapshotKey(repository),
    );
    if (wanted.length === 0) {
      return err({ code: 'shadow-source', source: repository ?? '', says: `it is no source of ${record.id}` });
    }
    const synced: Synced[] = [];
    let { sources } = record;
    for (const source of wanted) {
      const draft = world.records.draft(record.id);
      const snapshot = await world.snapshots.take(source.folder, draft);
      if (!snapshot.ok) return err({ code: 'shadow-source', source: source.path, says: snapshot.refusal });
      await world.records.replace(record.id, draft, snapshotKey(source.repository));
      const { commit, tree, changedFiles, warnings } = snapshot.value;
      const next = { ...source, commit, tree, changedFiles, warnings };
      sources = sources.map((other) => (other === source ? next : other));
      await world.records.save({ ...record, sources });
      const checkoutKept = commit !== source.commit && !(await updateCheckout(world, record, source.repository));
      synced.push({ repository: source.repository, from: source.commit, to: commit, checkoutKept });
    }
    return ok(synced);
  });
}

async function updateCheckout(world: ShadowContext, record: ShadowRecord, repository: string): Promise<boolean> {
  const folder = shellWord(checkoutOf(record.sources, repository));
  const url = shellWord(`https://github.com/${repository}`);
  const command = `cd ${folder} && git fetch -q ${url} HEAD && [ -z "$(git status --porcelain)" ] && git reset -q --hard FETCH_HEAD`;
  return (await runGit(world, record.id, command)).exitCode === 0;
}

export async function execShadow(
  world: ShadowContext,
  idText: string,
  command: string,
  options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<Result<Ran, ShadowRefusal>> {
  const limits = { timeoutMs: world.settings.commandMs, outputBytesMax: OUTPUT_BYTES_MAX, ...options };
  return withShadow(world, idText, async (record) =>
    ok(await world.sandbox.exec(record.id, { command, env: insideEnvironment(record), ...limits })),
  );
}

/** Commands find the source under test and an empty project beside it by these names. */
export function insideEnvironment({ sources }: ShadowRecord): Readonly<Record<string, string>> {
  const [first] = sources;
  return {
    SOURCE: first === undefined ? INSIDE.work : checkoutOf(sources, first.repository),
    CONSUMER: `${INSIDE.work}/.consumer`,
  };
}

/** What was changed inside since the snapshot, as a patch. */
export async function diffShadow(world: ShadowContext, idText: string): Promise<Result<string, ShadowRefusal>> {
  return withShadow(world, idText, async (record) => {
    const commands = record.sources.map(({ repository, commit }) => {
      const folder = shellWord(checkoutOf(record.sources, repository));
      // In an index of its own: the index of the checkout belongs to its user.
      const git = 'GIT_INDEX_FILE=/tmp/diff-index git -c core.fsmonitor=false -c core.hooksPath=/dev/null';
      return `cd ${folder} && rm -f /tmp/diff-index && ${git} read-tree ${commit} && ${git} add -A && ${git} diff --cached --no-ext-diff --no-textconv ${commit}`;
    });
    const ran = await runGit(world, record.id, commands.join(' && '));
    if (ran.exitCode === 0) return ok(ran.stdout);
    return err({ code: 'shadow-copy', says: `the difference cannot be made: ${ran.stderr.trim().slice(0, 300)}` });
  });
}

export async function extractFrom(
  world: ShadowContext,
  idText: string,
  path: string,
): Promise<Result<CopiedOut, ShadowRefusal>> {
  return copying(world, idText, path, (id, inside) => world.sandbox.copyOut(id, inside));
}

export async function injectInto(
  world: ShadowContext,
  idText: string,
  path: string,
  bytes: Uint8Array,
): Promise<Result<null, ShadowRefusal>> {
  return copying(world, idText, path, (id, inside) => world.sandbox.copyIn(id, inside, bytes));
}

async function copying<Copied>(
  world: ShadowContext,
  idText: string,
  path: string,
  copy: (id: ShadowId, inside: string) => Promise<Result<Copied, string>>,
): Promise<Result<Copied, ShadowRefusal>> {
  return withShadow(world, idText, async (record) => {
    const inside = readInsidePath(path);
    if (inside === null) return err({ code: 'shadow-path', path, says: INSIDE_PATH_RULE });
    const copied = await copy(record.id, inside);
    return copied.ok ? copied : err({ code: 'shadow-copy', says: copied.refusal });
  });
}

const INSIDE_PATH_RULE = `a path inside of the shadow lies below ${INSIDE.work}, without ".."`;

/** Relative to `/workspace`; null: it leads elsewhere. */
function readInsidePath(text: string): string | null {
  const path = text.startsWith(`${INSIDE.work}/`) ? text.slice(INSIDE.work.length + 1) : text;
  const parts = path.split('/');
  const isSound = path !== '' && path.length <= PATH_MAX && !path.includes('\u0000') && !path.startsWith('/');
  return isSound && !parts.includes('..') ? path : null;
}

export async function destroyShadow(world: ShadowContext, idText: string): Promise<Result<ShadowId, ShadowRefusal>> {
  return withShadow(world, idText, async ({ id }) => {
    await remove(world, id);
    return ok(id);
  });
}

/** An id that is none leads to no folder and no container. */
export async function withShadow<Answer>(
  { records }: ShadowContext,
  idText: string,
  act: (record: ShadowRecord) => Promise<Result<Answer, ShadowRefusal>>,
): Promise<Result<Answer, ShadowRefusal>> {
  const id = readShadowId(idText);
  const record = id === null ? null : await records.load(id);
  return record === null ? err({ code: 'no-such-shadow', id: idText }) : act(record);
}
