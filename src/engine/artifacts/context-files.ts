/**
 * Shared files of a project in the context of a handoff: a value like `"context/tech-stack.json"` is replaced by the
 * content of that file at the time of sending, so that the worker sees what the sender saw.
 */
import { readJson, type Json, type JsonObject } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { ArtifactFolder } from '../../folders/folder.ts';
import type { ReferenceRefusal } from './refusals.ts';

export const CONTEXT_FILES = ['project-context', 'tech-stack'] as const;

/** The key in the context, as in the specification's example. */
export function contextKeyOf(name: (typeof CONTEXT_FILES)[number]): string {
  return name.replace('-', '_');
}

export function contextPathOf(name: (typeof CONTEXT_FILES)[number]): string {
  return `context/${name}.json`;
}

export async function withContextFiles<Asked extends { readonly context?: JsonObject }>(
  folder: ArtifactFolder,
  asked: Asked,
): Promise<Result<Asked, ReferenceRefusal>> {
  const entries: (readonly [string, Json])[] = [];
  let isNamed = false;
  for (const [key, value] of Object.entries(asked.context ?? {})) {
    const name = CONTEXT_FILES.find((each) => value === contextPathOf(each));
    const read = name === undefined ? ok(value) : await contentOf(folder, name);
    if (!read.ok) return read;
    isNamed ||= name !== undefined;
    entries.push([key, read.value]);
  }
  return ok(isNamed ? { ...asked, context: Object.fromEntries(entries) } : asked);
}

async function contentOf(
  folder: ArtifactFolder,
  name: (typeof CONTEXT_FILES)[number],
): Promise<Result<Json, ReferenceRefusal>> {
  const file = contextPathOf(name);
  const read = await folder.readContext(name);
  if (read.kind === 'absent') return err({ code: 'context-file', file, says: 'it is not there' });
  if (read.kind === 'unfit') return err({ code: 'context-file', file, says: read.says });
  const json = readJson(read.text);
  if (json.ok) return ok(json.value.value);
  const { line, column, says } = json.refusal;
  return err({ code: 'context-file', file, says: `line ${line}, column ${column}: ${says}` });
}
