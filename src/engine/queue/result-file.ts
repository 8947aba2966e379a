/** Writes the result of a completed handoff as an artifact file and registers it. It is synced before it is announced. */
import { instantText } from '../../foundation/instant-text.ts';
import { parseExact, printExact } from '../../foundation/exact-json.ts';
import { isJsonObject, textIn, type Json, type JsonObject } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { readArtifactId } from '../../domain/names.ts';
import { answerOf } from '../../formats/queue-message/answer.ts';
import type { ArtifactPlace } from '../../formats/queue-message/write.ts';
import type { StoredHandoff } from '../../stores/store.ts';
import { registerResult, type RegisteredResult } from '../artifacts/register-result.ts';
import { bodyOf } from './file-text.ts';
import type { Queue } from './queue.ts';

interface ResultFile {
  readonly place: ArtifactPlace;
  /** Resolves when the file is synced and registered. */
  readonly registered: Promise<void>;
}

/** Writes to the path that the sender asked for; if it is not allowed or taken, under the handoff's own name. */
export async function writeResultFile({ folder, ctx }: Queue, whole: StoredHandoff): Promise<ResultFile | null> {
  const { handoff, outcome } = whole;
  const left = outcome === null ? null : (parseExact(outcome) as Outcome);
  if (left?.kind !== 'result') return null;
  const body = bodyOf(whole);
  const requested = outputRequestOf(body);
  const isOurs = (text: string): boolean => text.includes(JSON.stringify(handoff.id));
  const paths = pathsFor(whole, requested);
  const [first = ''] = paths;
  for (const path of paths) {
    const id = path.slice(path.lastIndexOf('/') + 1).replace(/\.json$/, '');
    const file = artifactOf(whole, body, requested, id, left.result);
    const text = `${printExact(file, 2)}\n`;
    const put = await folder.putArtifact(path, text, isOurs);
    if (put === false) continue;
    const registered = put.onDisk.then(async () => {
      const known = readArtifactId(id);
      if (known === null) return;
      const result = { id: known, path, text, handoff, isNew: put.isNew, known: knownOf(file, requested, handoff) };
      await registerResult(ctx, result);
    });
    // The caller awaits the same promise and gets the error.
    registered.catch(() => undefined);
    const type = file.artifact_type;
    const isAsRequested = requested.destination === null || path === first;
    return { place: { id, path, type, ...(isAsRequested ? {} : { warning: elsewhere(first) }) }, registered };
  }
  return null;
}

/** What the registry needs to know. Null: the artifact may name generated files, so it has to be read. */
function knownOf(
  { artifact_type: type, artifact_version: version, content, validation }: ArtifactFile,
  { phase }: OutputRequest,
  { terms }: Handoff,
): RegisteredResult['known'] {
  const status = isJsonObject(validation) ? validation['status'] : null;
  if ((isJsonObject(content) && content['files'] !== undefined) || typeof version !== 'string') return null;
  return {
    type,
    version,
    phase,
    required: terms.artifacts ?? [],
    optional: [],
    validation: typeof status === 'string' ? status : null,
  };
}

function elsewhere(requested: string): string {
  return `expected_output.destination ${requested} is taken or leads through a link; the artifact lies under its own name`;
}

type ArtifactFile = JsonObject & { readonly artifact_type: string };

function artifactOf(
  { handoff }: StoredHandoff,
  { outputSchema }: Body,
  requested: OutputRequest,
  id: string,
  result: Json,
): ArtifactFile {
  const { type, content, validation, metadata, nextSteps } = answerOf(result);
  return {
    artifact_id: id,
    artifact_type: type ?? requested.type ?? 'result',
    artifact_version: '1.0.0',
    schema_version: '1.0',
    handoff_id: handoff.id,
    created_at: instantText(handoff.since),
    created_by: `@${handoff.to}`,
    metadata: {
      ...(isJsonObject(metadata) ? metadata : {}),
      handoff_id: handoff.id,
      agent_id: `@${handoff.to}`,
      created_at: instantText(handoff.since),
      ...(requested.phase === null ? {} : { phase: requested.phase }),
      ...(outputSchema === undefined ? {} : { schema: outputSchema }),
    },
    dependencies: { required: handoff.terms.artifacts ?? [], optional: [] },
    content,
    // The handoff is completed, so its schema was checked and a required verification has passed.
    validation: validation ?? { status: 'passed', says: `the handoff ${handoff.id} was completed` },
    quality_metrics: {},
    recommendations: nextSteps ?? [],
  };
}

interface OutputRequest {
  readonly type: string | null;
  readonly destination: string | null;
  readonly phase: number | null;
}

function outputRequestOf({ message, target: known }: Body): OutputRequest {
  const fields = message === undefined ? {} : (JSON.parse(message.replace(/^\uFEFF/, '')) as JsonObject);
  const asked = isJsonObject(fields['expected_output']) ? fields['expected_output'] : {};
  const target = isJsonObject(fields['target']) ? fields['target'] : {};
  const { artifact_type: type, destination } = asked;
  const phase = target['phase'] ?? known?.phase;
  return {
    type: textIn(type),
    destination: typeof destination === 'string' ? destination : null,
    phase: typeof phase === 'number' && Number.isInteger(phase) ? phase : null,
  };
}

/** The possible paths of this handoff's result. */
export function artifactPathsOf(whole: StoredHandoff): readonly string[] {
  return pathsFor(whole, outputRequestOf(bodyOf(whole)));
}

function pathsFor({ handoff }: StoredHandoff, { destination, phase }: OutputRequest): readonly string[] {
  const agent = handoff.to.replace(/-specialist$/, '');
  const own = `artifacts/phase-${String(phase ?? 0).padStart(2, '0')}-${agent}/artifact-${handoff.id}.json`;
  const requested = destination?.replaceAll('{timestamp}', String(handoff.since)) ?? null;
  return requested === null ? [own] : [requested, own];
}
