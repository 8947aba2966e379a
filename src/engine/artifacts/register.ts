/**
 * Registers the file of an artifact. The artifact gets a card at once, and becomes active when it has passed four checks,
 * in this order: schema, required artifacts, generated files, validation. A failed check is noted in the card; registering
 * the file again repeats the checks.
 */
import { hexDigestOf } from '../../foundation/digest.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { applyMove, type ArtifactCard } from '../../domain/artifacts.ts';
import type { NamedFile } from '../../domain/evidence.ts';
import type { ArtifactId } from '../../domain/names.ts';
import { readArtifact, type ReadArtifact } from '../../formats/artifact/read.ts';
import type { ArtifactFolder } from '../../folders/folder.ts';
import type { SchemaRefusal } from '../schema-registry.ts';
import type { Context } from '../context.ts';
import { deprecate, hashFiles, missingArtifacts, loadCard, saveCard } from './cards.ts';
import type { ArtifactRefusal } from './refusals.ts';
import { dependencyCycle } from './dependency-cycle.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { mayHoldSecret, scanJson } from '../secrets/scan.ts';

export interface RegisterRequest {
  /** Within the workspace, below `artifacts/`. */
  readonly path: string;
  /** Replaces the schema that the file names. */
  readonly schema?: string;
  /** In addition to those that the file names. They are deprecated when this artifact becomes active. */
  readonly supersedes?: readonly ArtifactId[];
}

type RegisterRefusal = ArtifactRefusal | SchemaRefusal | Extract<Refusal, { code: 'secret-found' }>;

export async function register(
  ctx: Context,
  folder: ArtifactFolder,
  request: RegisterRequest,
): Promise<Result<ArtifactCard, RegisterRefusal>> {
  const { path } = request;
  const file = await folder.read(path);
  const says = file.kind === 'absent' ? 'there is no such file' : file.kind === 'unfit' ? file.says : null;
  if (file.kind !== 'file') return err({ code: 'artifact-unfit', path, says: says ?? '' });
  const read = readArtifact(file.text);
  if (!read.ok) return err({ code: 'artifact-unfit', path, says: read.refusal });
  const secret = secretIn(ctx, read.value, file.text);
  if (secret !== null) return err(secret);
  return folder.withLock(read.value.id, () => registerCard(ctx, folder, request, read.value, hexDigestOf(file.text)));
}

/** Baton never rewrites foreign files, so under `redact` a file with secrets is refused. */
function secretIn(
  { rules, report }: Context,
  { id, content }: ReadArtifact,
  text: string,
): Extract<Refusal, { code: 'secret-found' }> | null {
  if (rules.secrets === 'off' || !mayHoldSecret(text)) return null;
  const { findings } = scanJson(content, 'content');
  const did = rules.secrets === 'warn' ? 'warned' : 'refused';
  for (const { rule, field } of findings) report({ kind: 'secret-found', id, rule, field, did });
  const [first] = findings;
  return first === undefined || did === 'warned' ? null : { code: 'secret-found', id, ...first };
}

async function registerCard(
  ctx: Context,
  folder: ArtifactFolder,
  request: RegisterRequest,
  artifact: ReadArtifact,
  sha256: string,
): Promise<Result<ArtifactCard, RegisterRefusal>> {
  const { path } = request;
  const before = await loadCard(folder, artifact.id);
  if (before !== null && !(await isSameArtifact(folder, before, path, sha256))) {
    return err({ code: 'artifact-known', id: before.id, path: before.path, status: before.status });
  }
  if (before !== null && before.status !== 'created') return ok(await moveIfElsewhere(folder, before, path));
  const ring = await dependencyCycle(artifact.id, artifact.required, async (id) => loadCard(folder, id));
  if (ring !== null) return err({ code: 'artifact-ring', ring });
  const nowMs = ctx.store.nowMs();
  const card = cardOf(artifact, path, sha256, before, nowMs);
  const checked = await runChecks(ctx, folder, artifact, request.schema);
  if (!checked.ok) {
    await saveCard(folder, { ...card, flaw: checked.refusal.code });
    return checked;
  }
  const active = applyMove({ ...card, files: checked.value }, 'activate', nowMs) ?? card;
  await saveCard(folder, active);
  const superseded = new Set([...artifact.supersedes, ...(request.supersedes ?? [])]);
  for (const id of superseded) if (id !== active.id) await deprecate(folder, id, nowMs);
  return ok(active);
}

/** Whether the file may belong to the existing card. Until the artifact is active its content may change. */
async function isSameArtifact(
  folder: ArtifactFolder,
  before: ArtifactCard,
  path: string,
  sha256: string,
): Promise<boolean> {
  if (before.status === 'deleted') return false;
  if (before.path === path) return before.sha256 === sha256 || before.status === 'created';
  return before.sha256 === sha256 && (await folder.read(before.path)).kind === 'absent';
}

async function moveIfElsewhere(folder: ArtifactFolder, card: ArtifactCard, path: string): Promise<ArtifactCard> {
  if (card.path === path) return card;
  const next = { ...card, path };
  await saveCard(folder, next);
  return next;
}

async function runChecks(
  { rules }: Context,
  folder: ArtifactFolder,
  artifact: ReadArtifact,
  asked: string | undefined,
): Promise<Result<readonly NamedFile[], RegisterRefusal>> {
  const { id } = artifact;
  const schema = asked ?? artifact.schema;
  if (schema !== null && rules.schemas !== null) {
    const follows = await rules.schemas.check(schema, artifact.content, 'content');
    if (!follows.ok) return follows;
  }
  const missing = await missingArtifacts(folder, artifact.required);
  if (missing.length > 0) return err({ code: 'artifact-lacks', id, missing });
  const files = await hashFiles(folder, artifact.files);
  if (!files.ok) return err({ code: 'artifact-file', id, ...files.refusal });
  if (artifact.validation !== 'passed') return err({ code: 'artifact-not-valid', id, status: artifact.validation });
  return files;
}

function cardOf(
  { id, type, version, phase, agent, handoff, required, optional }: ReadArtifact,
  path: string,
  sha256: string,
  before: ArtifactCard | null,
  nowMs: number,
): ArtifactCard {
  return {
    id,
    type,
    version,
    status: 'created',
    since: before?.since ?? nowMs,
    createdAt: before?.createdAt ?? nowMs,
    phase,
    agent,
    handoff,
    path,
    sha256,
    required,
    optional,
    files: [],
    flaw: null,
  };
}
