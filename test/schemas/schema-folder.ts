import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../src/foundation/json.ts';
import type { SchemaRegistry, SchemaRefusal } from '../../src/engine/schema-registry.ts';
import { openSchemaRegistry } from '../../src/adapters/schemas/open-schema-registry.ts';
import { tempFolder } from '../support/processes.ts';

/** Schemas by file name: as JSON, or as the text of the file. */
export function bookOf(files: Readonly<Record<string, Json>>): { readonly folder: string; readonly book: SchemaRegistry } {
  const folder = tempFolder();
  for (const [file, schema] of Object.entries(files)) {
    writeFileSync(join(folder, file), typeof schema === 'string' ? schema : JSON.stringify(schema));
  }
  return { folder, book: openSchemaRegistry(folder) };
}

/** Judges one value by one schema: null when it passes. */
export async function judge(schema: Json, value: Json): Promise<SchemaRefusal | null> {
  const answer = await bookOf({ 'it.json': schema }).book.check('it', value);
  return answer.ok ? null : answer.refusal;
}

export async function pathsOf(schema: Json, value: Json): Promise<readonly string[]> {
  const refusal = await judge(schema, value);
  return refusal?.code === 'schema-violated' ? refusal.violations.map(({ path }) => path) : [`${refusal?.code}`];
}
