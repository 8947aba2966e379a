/** The answer of a completed handoff as a file: on the disk before anybody is told that it is there, and registered. */
import { instantText } from '../../foundation/instant-text.ts';
import { parseExact, printExact } from '../../foundation/exact-json.ts';
import { isJsonObject, textIn, type Json, type JsonObject } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { readArtifactId } from '../../domain/names.ts';
import { answerOf } from '../../formats/queue-message/answer.ts';
import type { ArtifactPlace } from '../../formats/queue-message/write.ts';
import type { Whole } from '../../stores/store.ts';
import { registerResult, type RegisteredResult } from '../artifacts/register-result.ts';
import { bodyOf } from './file-text.ts';
import type { Queue } from './queue.ts';

interface ResultFile {
  readonly place: ArtifactPlace;
  /** Ends when it is on the disk and registered. */
  readonly registered: Promise<void>;
}

/** Where the sender wants it; where that is no place for it or taken by another, under the handoff's own name. */
export async function writeResultFile({ folder, ctx }: Queue, whole: Whole): Promise<ResultFile | null> {
  const { handoff, outcome } = whole;
  const left = outcome === null ? null : (parseExact(outcome) as Outcome);
  if (left?.kind !== 'result') return null;
  const body = bodyOf(whole);
  const wished = wishesOf(body);
  const isOurs = (text: string): boolean => text.includes(JSON.stringify(handoff.id));
  const paths = pathsFor(whole, wished);
  const [first = ''] = paths;
  for (const path of paths) {
    const id = path.slice(path.lastIndexOf('/') + 1).replace(/\.json$/, '');
    const file = artifactOf(whole, body, wished, id, left.result);
    const text = `${printExact(file, 2)}\n`;
    const put = await folder.putArtifact(path, text, isOurs);
    if (put === false) continue;
    const registered = put.onDisk.then(async () => {
      const known = readArtifactId(id);
      if (known === null) return;
      const result = { id: known, path, text, handoff, isNew: put.isNew, known: knownOf(file, wished, handoff) };
      await registerResult(ctx, result);
    });
    // Whoever waits for it is told as well.
    registered.catch(() => undefined);
    const type = file.artifact_type;
    const isAsWished = wished.destination === null || path === first;
    return { place: { id, path, type, ...(isAsWished ? {} : { warning: elsewhere(first) }) }, registered };
  }
  return null;
}

/** Null: what it says has to be looked at, because there may be files beside it. */
function knownOf(
  { artifact_type: type, artifact_version: version, content, validation }: ArtifactFile,
  { phase }: Wishes,
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

function elsewhere(wished: string): string {
  return `expected_output.destination ${wished} is taken or leads through a link; the artifact lies under its own name`;
}

type ArtifactFile = JsonObject & { readonly artifact_type: string };

function artifactOf(
  { handoff }: Whole,
  { outputSchema }: Body,
  wished: Wishes,
  id: string,
  result: Json,
): ArtifactFile {
  const { type, content, validation, metadata, nextSteps } = answerOf(result);
  return {
    artifact_id: id,
    artifact_type: type ?? wished.type ?? 'result',
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
      ...(wished.phase === null ? {} : { phase: wished.phase }),
      ...(outputSchema === undefined ? {} : { schema: outputSchema }),
    },
    dependencies: { required: handoff.terms.artifacts ?? [], optional: [] },
    content,
    // Who completed it has been believed: its schema was checked, and where somebody had to verify, they have.
    validation: validation ?? { status: 'passed', says: `the handoff ${handoff.id} was completed` },
    quality_metrics: {},
    recommendations: nextSteps ?? [],
  };
}

interface Wishes {
  readonly type: string | null;
  readonly destination: string | null;
  readonly phase: number | null;
}

function wishesOf({ message, target: known }: Body): Wishes {
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

/** Where the answer of this handoff can lie. */
export function artifactPathsOf(whole: Whole): readonly string[] {
  return pathsFor(whole, wishesOf(bodyOf(whole)));
}

function pathsFor({ handoff }: Whole, { destination, phase }: Wishes): readonly string[] {
  const agent = handoff.to.replace(/-specialist$/, '');
  const own = `artifacts/phase-${String(phase ?? 0).padStart(2, '0')}-${agent}/artifact-${handoff.id}.json`;
  const wished = destination?.replaceAll('{timestamp}', String(handoff.since)) ?? null;
  return wished === null ? [own] : [wished, own];
}
