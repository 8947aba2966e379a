/** The result of a worker: an artifact with metadata, or only the content. */
import { isJsonObject, type Json } from '../../foundation/json.ts';

export interface Answer {
  readonly type: string | null;
  readonly content: Json;
  readonly validation?: Json;
  readonly metadata?: Json;
  readonly nextSteps?: Json;
  readonly warnings?: Json;
}

/** Splits `{artifact, validation?, …}`; any other JSON is the content. */
export function answerOf(result: Json): Answer {
  if (!isJsonObject(result) || result['artifact'] === undefined) return { type: null, content: result };
  const { artifact, validation, metadata, next_steps: nextSteps, warnings } = result;
  const wrapped = isJsonObject(artifact) && artifact['content'] !== undefined ? artifact : null;
  const type = wrapped?.['type'];
  return {
    type: typeof type === 'string' && type !== '' ? type : null,
    content: (wrapped === null ? artifact : wrapped['content']) ?? null,
    ...(isJsonObject(validation) ? { validation } : {}),
    ...(isJsonObject(metadata) ? { metadata } : {}),
    ...(Array.isArray(nextSteps) ? { nextSteps } : {}),
    ...(Array.isArray(warnings) ? { warnings } : {}),
  };
}
