/**
 * Reads a schema file and everything of the folder that it refers to, and turns every reference into one that cannot
 * leave the folder. Nothing is ever fetched.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, JSON_BYTES_MAX, readJson, type Json, type JsonObject } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { fileOf, marksOf, schemaFilesIn, unlessRefused, type Broken } from './open-schema-registry.ts';

/** One schema may refer to this many files. */
const FILES_MAX = 100;
const DRAFT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
/** The values of these keywords are content: a `$ref` in them is no reference. */
const CONTENT = new Set(['const', 'enum', 'default', 'examples']);
/** The values of these keywords map names to schemas; a name may be `default` or `$ref`. */
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
const REFERENCES = ['$ref', '$dynamicRef'];

export interface LoadedSchema {
  readonly file: string;
  /** With `$id` and all references as addresses within the folder. */
  readonly schema: JsonObject | boolean;
  /** The state of the file before it was read. */
  readonly mark: string;
}

/** How a file of the folder is called inside the validator: an address that no network knows. */
export function addressOf(file: string): string {
  return `baton://schemas/${file}`;
}

/** The file asked for comes first. */
export async function loadSchemas(folder: string, first: string): Promise<Result<readonly LoadedSchema[], Broken>> {
  const loaded: LoadedSchema[] = [];
  const wanted = new Set([first]);
  // A set grows while it is walked: what a file refers to comes after it, once.
  for (const file of wanted) {
    if (wanted.size > FILES_MAX) return err({ file: first, says: `refers to more than ${FILES_MAX} files` });
    const mark = await marksOf(folder, [file]);
    const read = await readSchema(folder, file);
    if (!read.ok) return read;
    const own = embeddedIds(read.value);
    const targets = new Map<string, string>();
    for (const reference of referencesIn(read.value)) {
      const target = await targetOf(folder, file, reference, own);
      if (!target.ok) return target;
      if (target.value === null) continue;
      targets.set(reference, target.value.address);
      wanted.add(target.value.file);
    }
    loaded.push({ file, mark, schema: withAddresses(read.value, addressOf(file), targets) });
  }
  return ok(loaded);
}

async function readSchema(folder: string, file: string): Promise<Result<JsonObject | boolean, Broken>> {
  const text = await textOf(join(folder, file));
  if (text === null) return err({ file, says: `cannot be read, or is larger than ${JSON_BYTES_MAX} bytes` });
  const read = readJson(text);
  if (!read.ok) {
    const { line, column, says } = read.refusal;
    return err({ file, says: `${file}:${line}:${column}: ${says}` });
  }
  const { value } = read.value;
  if (typeof value === 'boolean') return ok(value);
  if (!isJsonObject(value)) return err({ file, says: 'a schema is an object, true or false' });
  const draft = value['$schema'];
  if (draft !== undefined && (typeof draft !== 'string' || !DRAFT.test(draft))) {
    const says = `is written for ${JSON.stringify(draft).slice(0, 200)}; Baton reads draft 2020-12, so change "$schema"`;
    return err({ file, says });
  }
  return ok(value);
}

async function textOf(path: string): Promise<string | null> {
  const size = (await unlessRefused(stat(path)))?.size ?? Infinity;
  return size > JSON_BYTES_MAX ? null : unlessRefused(readFile(path, 'utf8'));
}

type Target = { readonly file: string; readonly address: string } | null;

/** Null: it stays within its file. */
async function targetOf(
  folder: string,
  from: string,
  reference: string,
  own: ReadonlySet<string>,
): Promise<Result<Target, Broken>> {
  const [uri = '', ...fragment] = reference.split('#');
  if (uri === '' || own.has(uri)) return ok(null);
  const file = (await fileOf(folder, uri.replace(/^\.\//, ''))) ?? (await fileWithId(folder, uri));
  if (file === null) {
    const says = `refers to ${JSON.stringify(reference.slice(0, 200))}, which is neither in this file nor in the folder`;
    return err({ file: from, says });
  }
  return ok({ file, address: [addressOf(file), ...fragment].join('#') });
}

async function fileWithId(folder: string, id: string): Promise<string | null> {
  for (const file of (await schemaFilesIn(folder)).slice(0, FILES_MAX)) {
    const read = await readSchema(folder, file);
    if (read.ok && isJsonObject(read.value) && read.value['$id'] === id) return file;
  }
  return null;
}

function referencesIn(schema: Json): ReadonlySet<string> {
  const found = new Set<string>();
  eachSchema(schema, (at) => {
    for (const key of REFERENCES) if (typeof at[key] === 'string') found.add(at[key]);
  });
  return found;
}

function embeddedIds(schema: Json): ReadonlySet<string> {
  const found = new Set<string>();
  eachSchema(schema, (at) => {
    if (at !== schema && typeof at['$id'] === 'string') found.add(at['$id']);
  });
  return found;
}

function eachSchema(schema: Json, visit: (at: JsonObject) => void): void {
  rebuilt(schema, (at) => {
    visit(at);
    return at;
  });
}

function withAddresses(
  schema: JsonObject | boolean,
  address: string,
  targets: ReadonlyMap<string, string>,
): JsonObject | boolean {
  if (!isJsonObject(schema)) return schema;
  return { ...(rebuilt(schema, (at) => redirected(at, targets)) as JsonObject), $id: address };
}

function redirected(schema: JsonObject, targets: ReadonlyMap<string, string>): JsonObject {
  const changed = REFERENCES.flatMap((key) => {
    const target = typeof schema[key] === 'string' ? targets.get(schema[key]) : undefined;
    return target === undefined ? [] : [[key, target] as const];
  });
  return { ...schema, ...Object.fromEntries(changed) };
}

/** The same with every schema in it replaced, from the outside in; `named` are the schemas of a map, under any name. */
export function rebuilt(value: Json, change: (schema: JsonObject) => JsonObject, named = false): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => rebuilt(each, change));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(named ? value : change(value));
  return Object.fromEntries(
    entries.map(([key, each]) => {
      if (named) return [key, rebuilt(each, change)];
      return [key, CONTENT.has(key) ? each : rebuilt(each, change, MAPS.has(key))];
    }),
  );
}
