/** The handoff manifest (V5) of the specification: JSON inside a handoff, YAML for people. */
import { parseDocument, stringify } from 'yaml';
import * as z from 'zod';
import type { JsonObject } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { readShadowId, SHADOW_ID_RULE } from '../../domain/names.ts';
import {
  isRepository,
  PROJECT_TYPES,
  readShadowErrorCode,
  REPOSITORY_RULE,
  type ShadowManifest,
} from '../../domain/shadow.ts';
import { DEPTH_MAX, tooDeepAt } from '../document/tokens.ts';
import { issueText } from '../issue-text.ts';

export const SOURCES_MAX = 16;
/** A longer list is cut; the reader then judges the whole project. */
const CHANGED_FILES_MAX = 2_000;
const PATH_MAX = 4_096;
const TEXT_BYTES_MAX = 1024 * 1024;

const Path = z.string().min(1).max(PATH_MAX);
const Paths = z.array(Path).max(CHANGED_FILES_MAX).nullish();

const ManifestShape = z.looseObject({
  shadow_id: z.string().nullish(),
  shadow_available: z.boolean(),
  local_sources: z
    .array(
      z.looseObject({
        path: Path,
        github_repo: z.string().refine(isRepository, REPOSITORY_RULE),
        snapshot_commit: z
          .string()
          .regex(/^[0-9a-f]{7,64}$/, 'a commit id of 7 to 64 hexadecimal digits')
          .nullish(),
      }),
    )
    .min(1)
    .max(SOURCES_MAX),
  test_context: z
    .looseObject({ changed_files: Paths, affected_modules: Paths, project_type: z.enum(PROJECT_TYPES).nullish() })
    .optional(),
  fallback_mode: z.boolean(),
  failure_reason: z.string().max(200).nullish(),
});

/** Key order and names are the specification's. */
export function manifestJson(manifest: ShadowManifest): JsonObject {
  return {
    ...(manifest.shadowId === null ? {} : { shadow_id: manifest.shadowId }),
    shadow_available: manifest.shadowAvailable,
    local_sources: manifest.localSources.map(({ path, repository, snapshotCommit }) => ({
      path,
      github_repo: repository,
      ...(snapshotCommit === null ? {} : { snapshot_commit: snapshotCommit }),
    })),
    test_context: {
      changed_files: manifest.changedFiles.slice(0, CHANGED_FILES_MAX),
      affected_modules: manifest.affectedModules.slice(0, CHANGED_FILES_MAX),
      project_type: manifest.projectType,
    },
    fallback_mode: manifest.fallbackMode,
    failure_reason: manifest.failureReason,
  };
}

export function manifestText(manifest: ShadowManifest): string {
  return stringify(manifestJson(manifest), { lineWidth: 0 });
}

interface ManifestProblem {
  /** The field that is wrong, such as `local_sources.0.github_repo`. */
  readonly field: string;
  readonly says: string;
}

export function readManifest(value: unknown): Result<ShadowManifest, readonly ManifestProblem[]> {
  const read = ManifestShape.safeParse(value, { error: issueText });
  if (!read.success) {
    return err(read.error.issues.map(({ path, message }) => ({ field: path.join('.'), says: message })));
  }
  const { shadow_id: id, local_sources: sources, test_context: context, failure_reason: reason } = read.data;
  const isAvailable = read.data.shadow_available;
  const shadowId = typeof id === 'string' ? readShadowId(id) : null;
  const failureReason = typeof reason === 'string' ? readShadowErrorCode(reason) : null;
  const hasAllCommits = sources.every(({ snapshot_commit: commit }) => typeof commit === 'string');
  const problems: ManifestProblem[] = [];
  const unless = (isRight: boolean, field: string, says: string): void => {
    if (!isRight) problems.push({ field, says });
  };
  unless(shadowId !== null || typeof id !== 'string', 'shadow_id', SHADOW_ID_RULE);
  unless(typeof id === 'string' || !isAvailable, 'shadow_id', 'a shadow that is available has an id');
  unless(hasAllCommits || !isAvailable, 'local_sources', 'every source of a shadow names its snapshot_commit');
  const unknown = `${JSON.stringify(reason)} is no code of the specification`;
  unless(failureReason !== null || typeof reason !== 'string', 'failure_reason', unknown);
  if (problems.length > 0) return err(problems);
  return ok({
    shadowId,
    shadowAvailable: isAvailable,
    localSources: sources.map(({ path, github_repo: repository, snapshot_commit: commit }) => ({
      path,
      repository,
      snapshotCommit: commit ?? null,
    })),
    changedFiles: context?.changed_files ?? [],
    affectedModules: context?.affected_modules ?? [],
    projectType: context?.project_type ?? null,
    fallbackMode: read.data.fallback_mode,
    failureReason,
  });
}

/** Reads the YAML form. */
export function readManifestText(text: string): Result<ShadowManifest, readonly ManifestProblem[]> {
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) {
    return err([{ field: '', says: `the manifest is larger than ${TEXT_BYTES_MAX} bytes` }]);
  }
  if (tooDeepAt(text) !== null) return err([{ field: '', says: `the manifest is nested deeper than ${DEPTH_MAX}` }]);
  const document = parseDocument(text, { strict: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) return err([{ field: '', says: error.message.split('\n', 1)[0] ?? 'not YAML' }]);
  try {
    return readManifest(document.toJS({ maxAliasCount: 0 }));
  } catch {
    return err([{ field: '', says: 'the manifest uses aliases; write it without' }]);
  }
}
