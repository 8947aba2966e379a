/** Reads the file of an artifact. */
import { KEEPING_INTEGERS, readJson, type Json, type JsonProblem } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { readAgentId, readHandoffId, type ArtifactId } from '../../domain/names.ts';
import type { ArtifactCard } from '../../domain/artifacts.ts';
import { ArtifactShape, GeneratedShape } from './shape.ts';
import { issueText } from '../issue-text.ts';

export interface ReadArtifact extends Omit<
  ArtifactCard,
  'status' | 'since' | 'createdAt' | 'path' | 'sha256' | 'files' | 'flaw'
> {
  /** The schema that the content follows, where the file names one. */
  readonly schema: string | null;
  readonly supersedes: readonly ArtifactId[];
  readonly content: Json;
  /** Paths of what was generated with it and is not in the content itself. */
  readonly files: readonly string[];
  readonly validation: string | null;
}

export function readArtifact(text: string): Result<ReadArtifact, string> {
  const json = readJson(text, KEEPING_INTEGERS);
  if (!json.ok) return err(placed(json.refusal));
  const read = ArtifactShape.safeParse(json.value.value, { error: issueText });
  if (!read.success) {
    return err(read.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; '));
  }
  const { metadata, dependencies, content, validation, ...said } = read.data;
  const generated = generatedIn(content);
  if (generated === null) return err('content.files: a list of at most 1000 paths, or of objects with a path');
  return ok({
    id: said.artifact_id as ArtifactId,
    type: said.artifact_type,
    version: said.artifact_version ?? '1.0.0',
    phase: metadata?.phase ?? null,
    agent: readAgentId(metadata?.agent_id ?? ''),
    handoff: readHandoffId(metadata?.handoff_id ?? ''),
    schema: metadata?.schema ?? null,
    required: distinct(dependencies?.required),
    optional: distinct(dependencies?.optional),
    supersedes: distinct(metadata?.supersedes),
    content,
    files: generated,
    validation: validation?.status ?? null,
  });
}

/** Null: what stands there cannot be a list of files. */
function generatedIn(content: Json): readonly string[] | null {
  if (typeof content !== 'object' || content === null || !Object.hasOwn(content, 'files')) return [];
  const read = GeneratedShape.safeParse(content);
  if (!read.success) return null;
  const named = read.data.files.flatMap((file) => {
    if (typeof file === 'string') return [file];
    return 'content' in file || 'code' in file ? [] : [file.path];
  });
  return [...new Set(named)];
}

function distinct(ids: readonly string[] | null | undefined): readonly ArtifactId[] {
  return [...new Set(ids ?? [])] as ArtifactId[];
}

function placed({ line, column, says }: JsonProblem): string {
  return `line ${line}, column ${column}: ${says}`;
}
