/** Every code that a command or a request can end with. A refusal of the engine without a row does not compile. */
import type { JsonObject } from '../../foundation/json.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { ArtifactRefusal, ReferenceRefusal } from '../../engine/artifacts/refusals.ts';
import type { PauseRefusal } from '../../engine/pauses.ts';
import type { ScheduleRefusal } from '../../engine/schedules.ts';
import type { SchemaRefusal } from '../../engine/schema-registry.ts';
import type { StartRefusal } from '../../engine/succession/agents.ts';
import type { BeginRefusal } from '../../engine/succession/begin.ts';
import type { IngestRefusal } from '../../engine/handoffs/ingest.ts';

export interface Projection {
  readonly exitCode: number;
  readonly httpStatus: number;
  /** Whether the same request can succeed later without being changed. */
  readonly retryable: boolean;
}

type EngineCode =
  | RefusalCode
  | SchemaRefusal['code']
  | ArtifactRefusal['code']
  | ReferenceRefusal['code']
  | IngestRefusal['code']
  | ScheduleRefusal['code']
  | PauseRefusal['code']
  | 'not-undelivered'
  | BeginRefusal['code']
  | StartRefusal['code'];

export const PROBLEMS = {
  'no-such-handoff': { exitCode: 3, httpStatus: 404, retryable: false },
  'handoff-removed': { exitCode: 3, httpStatus: 410, retryable: false },
  'ambiguous-id': { exitCode: 3, httpStatus: 409, retryable: false },
  'known-id': { exitCode: 4, httpStatus: 409, retryable: false },
  'request-reused': { exitCode: 4, httpStatus: 422, retryable: false },
  'move-not-allowed': { exitCode: 4, httpStatus: 409, retryable: false },
  'not-entitled': { exitCode: 4, httpStatus: 403, retryable: false },
  'own-work': { exitCode: 4, httpStatus: 403, retryable: false },
  overdue: { exitCode: 4, httpStatus: 409, retryable: false },
  'too-early': { exitCode: 4, httpStatus: 409, retryable: true },
  'not-overdue': { exitCode: 4, httpStatus: 409, retryable: true },
  'dependency-unknown': { exitCode: 3, httpStatus: 422, retryable: true },
  'dependency-failed': { exitCode: 4, httpStatus: 409, retryable: false },
  'dependency-cycle': { exitCode: 4, httpStatus: 409, retryable: false },
  contended: { exitCode: 4, httpStatus: 409, retryable: true },
  'chain-exhausted': { exitCode: 6, httpStatus: 409, retryable: false },
  'too-many-hops': { exitCode: 4, httpStatus: 409, retryable: false },
  'token-needed': { exitCode: 4, httpStatus: 401, retryable: false },
  'token-refused': { exitCode: 4, httpStatus: 401, retryable: false },
  'key-refused': { exitCode: 4, httpStatus: 401, retryable: false },
  'evidence-missing': { exitCode: 4, httpStatus: 422, retryable: false },
  'evidence-unknown': { exitCode: 5, httpStatus: 422, retryable: false },
  'evidence-false': { exitCode: 4, httpStatus: 422, retryable: false },
  'criteria-open': { exitCode: 4, httpStatus: 422, retryable: false },
  'fence-needed': { exitCode: 9, httpStatus: 409, retryable: false },
  'lease-lost': { exitCode: 9, httpStatus: 409, retryable: false },
  'several-legs': { exitCode: 4, httpStatus: 409, retryable: false },
  'leg-settled': { exitCode: 4, httpStatus: 409, retryable: false },
  'retry-elsewhere': { exitCode: 4, httpStatus: 422, retryable: false },
  'not-speaker': { exitCode: 4, httpStatus: 403, retryable: false },
  'waits-for-nothing': { exitCode: 4, httpStatus: 422, retryable: false },
  'bad-name': { exitCode: 5, httpStatus: 422, retryable: false },
  'limit-reached': { exitCode: 6, httpStatus: 429, retryable: true },
  'agent-paused': { exitCode: 4, httpStatus: 409, retryable: true },
  'not-paused': { exitCode: 4, httpStatus: 409, retryable: false },
  'not-undelivered': { exitCode: 3, httpStatus: 404, retryable: false },
  'schedule-known': { exitCode: 4, httpStatus: 409, retryable: false },
  'no-such-schedule': { exitCode: 3, httpStatus: 404, retryable: false },
  'bad-cron': { exitCode: 5, httpStatus: 422, retryable: false },
  'not-json': { exitCode: 5, httpStatus: 400, retryable: false },
  'schema-unknown': { exitCode: 5, httpStatus: 422, retryable: false },
  'schema-broken': { exitCode: 5, httpStatus: 422, retryable: false },
  'schema-violated': { exitCode: 5, httpStatus: 422, retryable: false },
  'bad-value': { exitCode: 5, httpStatus: 422, retryable: false },
  'secret-found': { exitCode: 5, httpStatus: 422, retryable: false },
  'bad-request': { exitCode: 5, httpStatus: 400, retryable: false },
  configuration: { exitCode: 5, httpStatus: 500, retryable: false },
  'check-failed': { exitCode: 5, httpStatus: 422, retryable: false },
  'no-such-task': { exitCode: 3, httpStatus: 404, retryable: false },
  usage: { exitCode: 2, httpStatus: 400, retryable: false },
  'nothing-offered': { exitCode: 3, httpStatus: 404, retryable: true },
  'no-such-token': { exitCode: 3, httpStatus: 404, retryable: false },
  'no-such-project': { exitCode: 3, httpStatus: 404, retryable: false },
  'not-yours': { exitCode: 4, httpStatus: 403, retryable: false },
  'say-who': { exitCode: 4, httpStatus: 403, retryable: false },
  'no-workspace': { exitCode: 3, httpStatus: 404, retryable: false },
  'timed-out': { exitCode: 7, httpStatus: 408, retryable: true },
  'not-completed': { exitCode: 8, httpStatus: 409, retryable: false },
  fault: { exitCode: 1, httpStatus: 503, retryable: true },
  'artifact-reference': { exitCode: 5, httpStatus: 422, retryable: false },
  'context-file': { exitCode: 5, httpStatus: 422, retryable: true },
  'no-such-artifact': { exitCode: 3, httpStatus: 404, retryable: true },
  'artifact-unfit': { exitCode: 5, httpStatus: 422, retryable: false },
  'artifact-known': { exitCode: 4, httpStatus: 409, retryable: false },
  'artifact-ring': { exitCode: 4, httpStatus: 409, retryable: false },
  'artifact-lacks': { exitCode: 4, httpStatus: 409, retryable: true },
  'artifact-file': { exitCode: 4, httpStatus: 409, retryable: true },
  'artifact-not-valid': { exitCode: 4, httpStatus: 422, retryable: false },
  'artifact-status': { exitCode: 4, httpStatus: 409, retryable: false },
  'no-such-shadow': { exitCode: 3, httpStatus: 404, retryable: false },
  'shadow-source': { exitCode: 5, httpStatus: 422, retryable: false },
  'shadow-path': { exitCode: 5, httpStatus: 422, retryable: false },
  'shadow-copy': { exitCode: 4, httpStatus: 409, retryable: false },
  'shadow-unavailable': { exitCode: 4, httpStatus: 503, retryable: true },
  'shadow-test-failed': { exitCode: 8, httpStatus: 409, retryable: true },
  'shadow-fail': { exitCode: 8, httpStatus: 409, retryable: false },
  'shadow-incomplete': { exitCode: 7, httpStatus: 409, retryable: true },
  'agent-not-found': { exitCode: 3, httpStatus: 404, retryable: false },
  'agent-not-active': { exitCode: 4, httpStatus: 400, retryable: false },
  'agent-without-persona': { exitCode: 4, httpStatus: 400, retryable: false },
  'agent-without-pane': { exitCode: 4, httpStatus: 400, retryable: false },
  'succession-in-progress': { exitCode: 4, httpStatus: 409, retryable: false },
  'not-your-agent': { exitCode: 4, httpStatus: 403, retryable: false },
  'agent-not-started': { exitCode: 1, httpStatus: 409, retryable: true },
  'succession-failed': { exitCode: 8, httpStatus: 409, retryable: true },
  'scope-missing': { exitCode: 4, httpStatus: 403, retryable: false },
  'already-serving': { exitCode: 4, httpStatus: 409, retryable: false },
  'no-such-page': { exitCode: 3, httpStatus: 404, retryable: false },
  'method-not-allowed': { exitCode: 2, httpStatus: 405, retryable: false },
  'host-refused': { exitCode: 4, httpStatus: 403, retryable: false },
  'origin-refused': { exitCode: 4, httpStatus: 403, retryable: false },
  'csrf-missing': { exitCode: 4, httpStatus: 403, retryable: false },
  'code-refused': { exitCode: 4, httpStatus: 401, retryable: false },
  'revision-passed': { exitCode: 4, httpStatus: 412, retryable: false },
  'body-too-large': { exitCode: 5, httpStatus: 413, retryable: false },
  'not-a-media-type': { exitCode: 5, httpStatus: 415, retryable: false },
  'too-many-clients': { exitCode: 6, httpStatus: 429, retryable: true },
  'rate-limited': { exitCode: 6, httpStatus: 429, retryable: true },
  stopping: { exitCode: 1, httpStatus: 503, retryable: true },
} as const satisfies Readonly<Record<string, Projection>> & Readonly<Record<EngineCode, Projection>>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Ends a command or a request that cannot be done. `facts` are for programs. */
export abstract class CodedProblem extends Error {
  readonly code: ProblemCode;
  readonly facts: JsonObject;

  constructor(code: ProblemCode, says: string, facts: JsonObject = {}, options?: ErrorOptions) {
    super(says, options);
    this.code = code;
    this.facts = facts;
  }
}
