/** Operations on existing shadows (V4). */
import { err, ok, type Result } from '../../foundation/result.ts';
import { readShadowId, type ShadowId } from '../../domain/names.ts';
import { shellWord, snapshotKey } from '../../domain/shadow.ts';
import { INSIDE } from '../../domain/shadow-plan.ts';
import type { CopiedOut, ExecResult } from '../../shadows/sandbox.ts';
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
  shadows: ShadowContext,
  idText: string,
  source: FoundSource,
): Promise<Result<{ readonly record: ShadowRecord; readonly added: RecordedSource }, ShadowRefusal>> {
  return withShadow(shadows, idText, async (record) => {
    if (record.sources.some((other) => snapshotKey(other.repository) === snapshotKey(source.repository))) {
      const says = `${source.repository} is in ${record.id} already; bring it up to date with: baton shadow sync-source`;
      return err({ code: 'shadow-source', source: source.request.path, says });
    }
    const taken = await takeSource(shadows, record.id, source);
    if (!taken.ok) return taken;
    const next = { ...record, sources: [...record.sources, taken.value] };
    const ran = await runGit(shadows, record.id, cloneCommand([taken.value]));
    if (ran.exitCode !== 0) {
      const says = `it cannot be cloned inside: ${ran.stderr.trim().slice(0, 300)}`;
      return err({ code: 'shadow-source', source: source.request.path, says });
    }
    await shadows.records.save(next);
    return ok({ record: next, added: taken.value });
  });
}

export interface Synced {
  readonly repository: string;
  readonly from: string;
  readonly to: string;
  /** The checkout inside had changes and was left unchanged. */
  readonly checkoutKept: boolean;
}

/** Takes new snapshots of one source or all. A checkout with changes stays. */
export async function syncSource(
  shadows: ShadowContext,
  idText: string,
  repository: string | null,
): Promise<Result<readonly Synced[], ShadowRefusal>> {
  return withShadow(shadows, idText, async (record) => {
    const wanted = record.sources.filter(
      (source) => repository === null || snapshotKey(source.repository) === snapshotKey(repository),
    );
    if (wanted.length === 0) {
      return err({ code: 'shadow-source', source: repository ?? '', says: `it is no source of ${record.id}` });
    }
    const synced: Synced[] = [];
    let { sources } = record;
    for (const source of wanted) {
      const draft = shadows.records.draft(record.id);
      const snapshot = await shadows.snapshots.take(source.folder, draft);
      if (!snapshot.ok) return err({ code: 'shadow-source', source: source.path, says: snapshot.refusal });
      await shadows.records.replace(record.id, draft, snapshotKey(source.repository));
      const { commit, tree, changedFiles, warnings } = snapshot.value;
      const next = { ...source, commit, tree, changedFiles, warnings };
      sources = sources.map((other) => (other === source ? next : other));
      await shadows.records.save({ ...record, sources });
      const checkoutKept = commit !== source.commit && !(await updateCheckout(shadows, record, source.repository));
      synced.push({ repository: source.repository, from: source.commit, to: commit, checkoutKept });
    }
    return ok(synced);
  });
}

async function updateCheckout(shadows: ShadowContext, record: ShadowRecord, repository: string): Promise<boolean> {
  const folder = shellWord(checkoutOf(record.sources, repository));
  const url = shellWord(`https://github.com/${repository}`);
  const command = `cd ${folder} && git fetch -q ${url} HEAD && [ -z "$(git status --porcelain)" ] && git reset -q --hard FETCH_HEAD`;
  return (await runGit(shadows, record.id, command)).exitCode === 0;
}

export async function execShadow(
  shadows: ShadowContext,
  idText: string,
  command: string,
  options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<Result<ExecResult, ShadowRefusal>> {
  const limits = { timeoutMs: shadows.settings.commandMs, outputBytesMax: OUTPUT_BYTES_MAX, ...options };
  return withShadow(shadows, idText, async (record) =>
    ok(await shadows.sandbox.exec(record.id, { command, env: insideEnvironment(record), ...limits })),
  );
}

/** Variables for commands: the source under test, and an empty project. */
export function insideEnvironment({ sources }: ShadowRecord): Readonly<Record<string, string>> {
  const [first] = sources;
  return {
    SOURCE: first === undefined ? INSIDE.work : checkoutOf(sources, first.repository),
    CONSUMER: `${INSIDE.work}/.consumer`,
  };
}

/** The changes inside since the snapshot, as a patch. */
export async function diffShadow(shadows: ShadowContext, idText: string): Promise<Result<string, ShadowRefusal>> {
  return withShadow(shadows, idText, async (record) => {
    const commands = record.sources.map(({ repository, commit }) => {
      const folder = shellWord(checkoutOf(record.sources, repository));
      // With a separate index, so that the index of the checkout stays unchanged.
      const git = 'GIT_INDEX_FILE=/tmp/diff-index git -c core.fsmonitor=false -c core.hooksPath=/dev/null';
      return `cd ${folder} && rm -f /tmp/diff-index && ${git} read-tree ${commit} && ${git} add -A && ${git} diff --cached --no-ext-diff --no-textconv ${commit}`;
    });
    const ran = await runGit(shadows, record.id, commands.join(' && '));
    if (ran.exitCode === 0) return ok(ran.stdout);
    return err({ code: 'shadow-copy', says: `the difference cannot be made: ${ran.stderr.trim().slice(0, 300)}` });
  });
}

export async function extractFrom(
  shadows: ShadowContext,
  idText: string,
  path: string,
): Promise<Result<CopiedOut, ShadowRefusal>> {
  return copying(shadows, idText, path, (id, inside) => shadows.sandbox.copyOut(id, inside));
}

export async function injectInto(
  shadows: ShadowContext,
  idText: string,
  path: string,
  bytes: Uint8Array,
): Promise<Result<null, ShadowRefusal>> {
  return copying(shadows, idText, path, (id, inside) => shadows.sandbox.copyIn(id, inside, bytes));
}

async function copying<Copied>(
  shadows: ShadowContext,
  idText: string,
  path: string,
  copy: (id: ShadowId, inside: string) => Promise<Result<Copied, string>>,
): Promise<Result<Copied, ShadowRefusal>> {
  return withShadow(shadows, idText, async (record) => {
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

export async function destroyShadow(shadows: ShadowContext, idText: string): Promise<Result<ShadowId, ShadowRefusal>> {
  return withShadow(shadows, idText, async ({ id }) => {
    await remove(shadows, id);
    return ok(id);
  });
}

/** Runs `act` with the record of a shadow. An invalid id is refused before it is used in a path. */
export async function withShadow<Answer>(
  { records }: ShadowContext,
  idText: string,
  act: (record: ShadowRecord) => Promise<Result<Answer, ShadowRefusal>>,
): Promise<Result<Answer, ShadowRefusal>> {
  const id = readShadowId(idText);
  const record = id === null ? null : await records.load(id);
  return record === null ? err({ code: 'no-such-shadow', id: idText }) : act(record);
}
