/** The answer of a completed handoff as a file: on the disk before anybody is told that it is there. */
import type { JsonObject } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { answerOf, isObject } from '../../dialects/queue-message/answer.ts';
import { instant, type ArtifactPlace } from '../../dialects/queue-message/write.ts';
import type { Whole } from '../../stores/store.ts';
import type { Queue } from './queue.ts';

/** Where the sender wants it; where that is no place for it or taken by another, under the handoff's own name. */
export async function putAnswer({ folder }: Queue, whole: Whole): Promise<ArtifactPlace | null> {
  const { handoff, outcome } = whole;
  const left = outcome === null ? null : (JSON.parse(outcome) as Outcome);
  if (left?.kind !== 'result') return null;
  const wished = wishesOf(JSON.parse(whole.body) as Body);
  const { type: said, content, validation } = answerOf(left.result);
  const type = said ?? wished.type ?? 'result';
  const isOurs = (text: string): boolean => text.includes(JSON.stringify(handoff.id));
  for (const path of pathsFor(whole, wished)) {
    const id = path.slice(path.lastIndexOf('/') + 1).replace(/\.json$/, '');
    const file = {
      artifact_id: id,
      artifact_type: type,
      artifact_version: '1.0.0',
      handoff_id: handoff.id,
      created_at: instant(handoff.since),
      created_by: `@${handoff.to}`,
      dependencies: { required: [], optional: [] },
      content,
      ...(validation === undefined ? {} : { validation }),
    };
    if (await folder.putArtifact(path, `${JSON.stringify(file, null, 2)}\n`, isOurs)) return { id, path, type };
  }
  return null;
}

interface Wishes {
  readonly type: string | null;
  readonly destination: string | null;
  readonly phase: number | null;
}

function wishesOf({ message }: Body): Wishes {
  const fields = message === undefined ? {} : (JSON.parse(message.replace(/^\uFEFF/, '')) as JsonObject);
  const asked = isObject(fields['expected_output']) ? fields['expected_output'] : {};
  const target = isObject(fields['target']) ? fields['target'] : {};
  const { artifact_type: type, destination } = asked;
  const { phase } = target;
  return {
    type: typeof type === 'string' && type !== '' ? type : null,
    destination: typeof destination === 'string' ? destination : null,
    phase: typeof phase === 'number' && Number.isInteger(phase) ? phase : null,
  };
}

function pathsFor({ handoff }: Whole, { destination, phase }: Wishes): readonly string[] {
  const agent = handoff.to.replace(/-specialist$/, '');
  const own = `artifacts/phase-${String(phase ?? 0).padStart(2, '0')}-${agent}/artifact-${handoff.id}.json`;
  const wished = destination?.replaceAll('{timestamp}', String(handoff.since)) ?? null;
  return wished === null ? [own] : [wished, own];
}
