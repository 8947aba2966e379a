/**
 * The schemas of a workspace: `schemas/<name>.json` or `schemas/<name>.schema.json`.
 *
 * This part is small, because every command loads it; the validator comes in with the first schema that is asked for.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../foundation/system-error-code.ts';
import type { Json } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { SchemaRegistry, SchemaRefusal, Violation } from '../../engine/schema-registry.ts';

/** What is wrong with a schema file. */
export interface Broken {
  readonly file: string;
  readonly says: string;
}

export interface CompiledSchema {
  /** Every file that went into it, relative to the folder. */
  readonly files: readonly string[];
  judge(value: Json, called: string): Result<true, Judgement>;
}

export type Judgement = { readonly violations: readonly Violation[]; readonly more: number } | Broken;

/** The same alphabet as file names everywhere in Baton: no separators, no leading dot. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const ENDING = /(?:\.schema)?\.json$/;
/** A longer list does not help to find a misspelt name. */
const KNOWN_MAX = 100;

export function openSchemaRegistry(folder: string): SchemaRegistry {
  const compiled = new Map<string, { readonly schema: CompiledSchema; readonly marks: string }>();

  /** Compiling takes longer than most handoffs do; so it happens once for each state of the files that went into it. */
  const compiledOf = async (file: string): Promise<Result<CompiledSchema, Broken>> => {
    const kept = compiled.get(file);
    if (kept !== undefined && kept.marks === (await marksOf(folder, kept.schema.files))) return ok(kept.schema);
    const { compileSchema } = await import('./schema-compiler.ts');
    const answer = await compileSchema(folder, file);
    if (answer.ok) compiled.set(file, { schema: answer.value.schema, marks: answer.value.marks });
    else compiled.delete(file);
    return answer.ok ? ok(answer.value.schema) : answer;
  };

  return {
    async check(name, value, called = 'input') {
      const file = await fileOf(folder, name);
      if (file === null) return err({ code: 'schema-unknown', schema: name, known: await knownIn(folder) });
      const schema = await compiledOf(file);
      const judged = schema.ok ? schema.value.judge(value, called) : schema;
      return judged.ok ? judged : err(refusalOf(name, judged.refusal));
    },
    async read(name) {
      const file = await fileOf(folder, name);
      if (file === null) return null;
      const { wholeSchema } = await import('./schema-compiler.ts');
      return wholeSchema(folder, file);
    },
  };
}

function refusalOf(schema: string, found: Judgement): SchemaRefusal {
  return 'file' in found ? { code: 'schema-broken', schema, ...found } : { code: 'schema-violated', schema, ...found };
}

/** The file of a name, or null. */
export async function fileOf(folder: string, name: string): Promise<string | null> {
  const stem = name.replace(/^@/, '').replace(ENDING, '');
  if (!NAME.test(stem) || stem.includes('..')) return null;
  for (const file of [`${stem}.json`, `${stem}.schema.json`]) {
    if ((await markOf(folder, file)) !== null) return file;
  }
  return null;
}

export async function schemaFilesIn(folder: string): Promise<readonly string[]> {
  const names = (await unlessRefused(readdir(folder))) ?? [];
  return names.filter((name) => ENDING.test(name) && NAME.test(name.replace(ENDING, ''))).toSorted();
}

/** Null: the file system refused. Other errors are thrown. */
export async function unlessRefused<Value>(value: Promise<Value>): Promise<Value | null> {
  return value.catch((error: unknown) => {
    if (codeOf(error) === null) throw error;
    return null;
  });
}

async function knownIn(folder: string): Promise<readonly string[]> {
  const names = (await schemaFilesIn(folder)).map((file) => file.replace(ENDING, ''));
  return [...new Set(names)].slice(0, KNOWN_MAX);
}

/** Changes whenever one of these files changes. */
export async function marksOf(folder: string, files: readonly string[]): Promise<string> {
  const marks = await Promise.all(files.map(async (file) => `${file}:${(await markOf(folder, file)) ?? 'gone'}`));
  return marks.join('\n');
}

async function markOf(folder: string, file: string): Promise<string | null> {
  const found = await unlessRefused(stat(join(folder, file), { bigint: true }));
  return found?.isFile() === true ? `${found.mtimeNs}:${found.size}:${found.ino}` : null;
}
