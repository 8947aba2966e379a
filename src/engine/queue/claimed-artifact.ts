/**
 * Registers the artifact that a foreign worker names in its result, marked as claimed and not checked, so that handoffs
 * waiting for it can continue. Problems become warnings beside the result.
 */
import { hexDigestOf } from '../../foundation/digest.ts';
import { isJsonObject, KEEPING_INTEGERS, readJson, textIn, type Json, type JsonObject } from '../../foundation/json.ts';
import type { ArtifactCard } from '../../domain/artifacts.ts';
import type { Body } from '../../domain/body.ts';
import { readArtifactId } from '../../domain/names.ts';
import { readArtifact } from '../../formats/artifact/read.ts';
import type { Message } from '../../formats/queue-message/read.ts';
import type { FileRead } from '../../folders/folder.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import { loadCard, saveCard } from '../artifacts/cards.ts';
import type { Queue } from './queue.ts';

/** Returns the problems as warnings. They never refuse the result. */
export async function registerClaimed(
  queue: Queue,
  whole: StoredHandoff,
  message: Message,
): Promise<readonly string[]> {
  const output = message.fields['output'];
  if (!isJsonObject(output)) return ['it is completed without an output'];
  const { artifacts } = queue.ctx.rules;
  const path = typeof output['artifact_path'] === 'string' ? output['artifact_path'] : null;
  const file = path === null || artifacts === null ? null : await artifacts.read(path);
  const schema = await schemaWarnings(queue, whole, contentIn(output, file));
  const id = typeof output['artifact_id'] === 'string' ? readArtifactId(output['artifact_id']) : null;
  if (id === null || path === null || artifacts === null) return schema;
  const before = await loadCard(artifacts, id);
  const isFree = before === null || (before.status === 'created' && before.path === path);
  if (!isFree) return before.path === path ? schema : [...schema, `the artifact ${id} is registered as ${before.path}`];
  await saveCard(artifacts, claimedCard(whole, { id, path }, output, file));
  if (file?.kind === 'file') return schema;
  const says = file?.kind === 'unfit' ? `cannot be read: ${file.says}` : 'is not there';
  return [...schema, `its artifact ${path} ${says}`];
}

function claimedCard(
  { handoff }: StoredHandoff,
  { id, path }: Pick<ArtifactCard, 'id' | 'path'>,
  output: JsonObject,
  file: FileRead | null,
): ArtifactCard {
  const text = file?.kind === 'file' ? file.text : null;
  const read = text === null ? null : readArtifact(text);
  const known = read?.ok === true ? read.value : null;
  return {
    id,
    type: known?.type ?? textIn(output['artifact_type']) ?? 'result',
    version: known?.version ?? '1.0.0',
    status: 'active',
    since: handoff.since,
    createdAt: handoff.since,
    phase: known?.phase ?? null,
    agent: handoff.to,
    handoff: handoff.id,
    path,
    sha256: hexDigestOf(text ?? ''),
    required: known?.required ?? [],
    optional: known?.optional ?? [],
    files: [],
    flaw: CLAIMED,
  };
}

/** Stored as the flaw. */
const CLAIMED = 'claimed, not checked';

/** Undefined: the content is neither in the result nor in its file. */
function contentIn(output: JsonObject, file: FileRead | null): Json | undefined {
  if (output['content'] !== undefined) return output['content'];
  const read = file?.kind === 'file' ? readJson(file.text, KEEPING_INTEGERS) : null;
  if (read?.ok !== true) return undefined;
  const { value } = read.value;
  return isJsonObject(value) && value['content'] !== undefined ? value['content'] : value;
}

async function schemaWarnings(
  { ctx }: Queue,
  { body }: StoredHandoff,
  content: Json | undefined,
): Promise<readonly string[]> {
  const { outputSchema: schema } = JSON.parse(body) as Body;
  if (schema === undefined || ctx.rules.schemas === null) return [];
  if (content === undefined) return [`its content could not be checked against ${schema}`];
  const checked = await ctx.rules.schemas.check(schema, content, 'output');
  if (checked.ok) return [];
  const { refusal } = checked;
  if (refusal.code !== 'schema-violated') return [`its content could not be checked against ${schema}`];
  const said = refusal.violations.map((each) => `${each.path}: ${each.says}`).join('; ');
  return [`the output does not follow ${schema}: ${said}`];
}
