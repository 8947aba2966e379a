/** Refusals of operations on artifacts. */
import type { ArtifactStatus } from '../../domain/artifacts.ts';
import type { ArtifactId } from '../../domain/names.ts';

export type ArtifactRefusal =
  | { readonly code: 'no-such-artifact'; readonly id: ArtifactId }
  /** The file cannot be registered. */
  | { readonly code: 'artifact-unfit'; readonly path: string; readonly says: string }
  /** The id is registered with another content. */
  | { readonly code: 'artifact-known'; readonly id: ArtifactId; readonly path: string; readonly status: ArtifactStatus }
  | { readonly code: 'artifact-ring'; readonly ring: readonly ArtifactId[] }
  | { readonly code: 'artifact-lacks'; readonly id: ArtifactId; readonly missing: readonly ArtifactId[] }
  | { readonly code: 'artifact-file'; readonly id: ArtifactId; readonly file: string; readonly says: string }
  | { readonly code: 'artifact-not-valid'; readonly id: ArtifactId; readonly status: string | null }
  | { readonly code: 'artifact-status'; readonly id: ArtifactId; readonly status: ArtifactStatus };

/** A reference in the context of a handoff that cannot be resolved. */
export type ReferenceRefusal =
  | { readonly code: 'artifact-reference'; readonly field: string; readonly says: string }
  | { readonly code: 'context-file'; readonly file: string; readonly says: string };
