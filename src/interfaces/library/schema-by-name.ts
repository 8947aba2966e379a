/** A JSON Schema in `schemas/` of the workspace as a Standard Schema. */
import type { Json } from '../../foundation/json.ts';
import type { SchemaRegistry } from '../../engine/schema-registry.ts';
import { refusalText } from '../shared/refusal-text.ts';
import { BatonRefusal } from './errors.ts';
import type { StandardSchema } from './standard-schema.ts';

export async function schemaOf<Value>(
  registry: SchemaRegistry | null,
  given: StandardSchema<Value> | string | undefined,
): Promise<StandardSchema<Value> | undefined> {
  if (typeof given !== 'string') return given;
  const known = await registry?.read(given);
  if (registry === null || known === null || known === undefined) {
    throw new BatonRefusal('schema-unknown', `there is no schema "${given}" in schemas/ of this workspace`);
  }
  return {
    '~standard': {
      version: 1,
      vendor: 'batonpass',
      validate: async (value) => {
        const answer = await registry.check(given, (value ?? null) as Json);
        if (answer.ok) return { value: value as Value };
        const { refusal } = answer;
        if (refusal.code !== 'schema-violated') throw new BatonRefusal(refusal.code, refusalText(refusal));
        return { issues: refusal.violations.map(({ path, says }) => ({ message: says, path: stepsOf(path) })) };
      },
      jsonSchema: { input: () => known, output: () => known },
    },
  };
}

/** `input.props[0].type` is `props`, `0`, `type`. */
function stepsOf(path: string): readonly string[] {
  return path
    .split(/[.[\]]+/)
    .slice(1)
    .filter((step) => step !== '');
}
