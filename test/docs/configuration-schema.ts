/** The JSON Schema of `baton.yaml`, as it is published in `schemas/`. */
import * as z from 'zod';
import { allSettings, type SettingScope } from '../../src/workspace/configuration-settings.ts';
import { ConfigurationShape } from '../../src/workspace/configuration-shape.ts';

/** For editors. */
export function configurationSchema(): object {
  const schema = z.toJSONSchema(ConfigurationShape, { target: 'draft-2020-12' });
  for (const { path, kept } of allSettings()) annotate(schema, path.split('.'), kept);
  return {
    ...schema,
    title: 'baton.yaml',
    description: 'Configuration of a Baton workspace.',
  };
}

interface SchemaPart {
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly SchemaPart[];
}

/** `$comment` says whether a setting is part of the stored policy: editors that are strict refuse keywords of our own. */
function annotate(schema: unknown, path: readonly string[], kept: SettingScope): void {
  const [name, ...rest] = path;
  const part = schema as SchemaPart;
  const object = part.properties === undefined ? (part.anyOf?.[0] ?? part) : part;
  const inner = name === 'NAME' ? part.additionalProperties : object.properties?.[name ?? ''];
  if (typeof inner !== 'object' || inner === null) throw new Error(`the schema has no setting ${path.join('.')}`);
  if (rest.length === 0) Object.assign(inner, { $comment: kept });
  else annotate(inner, rest, kept);
}
