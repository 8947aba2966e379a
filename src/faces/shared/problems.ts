/** One row for everything that can be answered instead of doing it; a refusal without a row does not compile. */
import type { RefusalCode } from '../../domain/refusals.ts';
import type { ArtifactRefusal, ReferenceRefusal } from '../../engine/artifacts/refusals.ts';
import type { SchemaRefusal } from '../../engine/schema-book.ts';
import type { IngestRefusal } from '../../engine/verbs/ingest.ts';

/** What a face itself can have to say, beside the domain's refusals. */
export type FaceCode =
  | 'not-json'
  | 'token-needed'
  | 'nothing-offered'
  | 'not-yours'
  | 'no-such-token'
  | 'no-such-project'
  | 'token-refused'
  | 'bad-request'
  | 'usage'
  | 'no-workspace'
  | 'timed-out'
  | 'not-completed'
  | 'fault'
  | 'check-failed'
  | 'configuration';

export interface Projection {
  readonly exitCode: number;
  /** Whether the same request can succeed later without being changed. */
  readonly retryable: boolean;
}

export const PROBLEMS = {
  'no-such-handoff': { exitCode: 3, retryable: false },
  'known-id': { exitCode: 4, retryable: false },
  'request-reused': { exitCode: 4, retryable: false },
  'move-not-allowed': { exitCode: 4, retryable: false },
  'not-entitled': { exitCode: 4, retryable: false },
  'own-work': { exitCode: 4, retryable: false },
  'too-early': { exitCode: 4, retryable: true },
  'not-overdue': { exitCode: 4, retryable: true },
  'dependency-cycle': { exitCode: 4, retryable: false },
  contended: { exitCode: 4, retryable: true },
  'too-many-hops': { exitCode: 4, retryable: false },
  'token-needed': { exitCode: 4, retryable: false },
  'token-refused': { exitCode: 4, retryable: false },
  'evidence-missing': { exitCode: 4, retryable: false },
  'evidence-unknown': { exitCode: 5, retryable: false },
  'evidence-false': { exitCode: 4, retryable: false },
  'criteria-open': { exitCode: 4, retryable: false },
  'lease-lost': { exitCode: 9, retryable: false },
  'several-legs': { exitCode: 4, retryable: false },
  'not-speaker': { exitCode: 4, retryable: false },
  'waits-for-nothing': { exitCode: 4, retryable: false },
  'bad-name': { exitCode: 5, retryable: false },
  'limit-reached': { exitCode: 6, retryable: true },
  'not-json': { exitCode: 5, retryable: false },
  'schema-unknown': { exitCode: 5, retryable: false },
  'schema-broken': { exitCode: 5, retryable: false },
  'schema-violated': { exitCode: 5, retryable: false },
  'bad-request': { exitCode: 5, retryable: false },
  configuration: { exitCode: 5, retryable: false },
  'check-failed': { exitCode: 5, retryable: false },
  'no-such-task': { exitCode: 3, retryable: false },
  usage: { exitCode: 2, retryable: false },
  'nothing-offered': { exitCode: 3, retryable: true },
  'no-such-token': { exitCode: 3, retryable: false },
  'no-such-project': { exitCode: 3, retryable: false },
  'not-yours': { exitCode: 4, retryable: false },
  'no-workspace': { exitCode: 3, retryable: false },
  'timed-out': { exitCode: 7, retryable: true },
  'not-completed': { exitCode: 8, retryable: false },
  fault: { exitCode: 1, retryable: true },
  'artifact-reference': { exitCode: 5, retryable: false },
  'context-file': { exitCode: 5, retryable: true },
  'no-such-artifact': { exitCode: 3, retryable: true },
  'artifact-unfit': { exitCode: 5, retryable: false },
  'artifact-known': { exitCode: 4, retryable: false },
  'artifact-ring': { exitCode: 4, retryable: false },
  'artifact-lacks': { exitCode: 4, retryable: true },
  'artifact-file': { exitCode: 4, retryable: true },
  'artifact-not-valid': { exitCode: 4, retryable: false },
  'artifact-status': { exitCode: 4, retryable: false },
} as const satisfies Record<
  | RefusalCode
  | SchemaRefusal['code']
  | ArtifactRefusal['code']
  | ReferenceRefusal['code']
  | IngestRefusal['code']
  | FaceCode,
  Projection
>;

export type ProblemCode = keyof typeof PROBLEMS;
