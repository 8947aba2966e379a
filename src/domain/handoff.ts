/**
 * The record that decisions look at: everything a move may depend on, and nothing that is merely carried.
 *
 * What is carried (input, context, the answer) lives beside it as text that no decision parses. Instants are
 * milliseconds of the store's wall clock.
 */
import type { Claim } from './evidence.ts';
import type { State } from './lifecycle.ts';
import type { AgentId, ArtifactId, HandoffId, SessionId } from './names.ts';
import type { Priority } from './priority.ts';
import type { RetryPolicy } from './retry.ts';

/** A handoff has one home, that of its origin. */
export const KINDS = ['queue', 'document'] as const;
export type Kind = (typeof KINDS)[number];

export interface Handoff {
  readonly id: HandoffId;
  /** Dense from 1; each revision has exactly one fact. */
  readonly revision: number;
  readonly state: State;
  readonly kind: Kind;
  readonly from: AgentId;
  readonly to: AgentId;
  readonly priority: Priority;
  readonly title: string | null;
  readonly task: string | null;
  readonly lineage: Lineage;
  readonly terms: Terms;
  readonly createdAt: number;
  /** When the present state was entered. */
  readonly since: number;
  /** From when its place in the queue counts; a released handoff keeps it and is first again. */
  readonly offeredAt: number;
  /** Not to be accepted earlier. Zero is "at once". */
  readonly notBefore: number;
  /** The number of acceptances so far. It never falls. */
  readonly attempt: number;
  /** Acceptances that do not count against the retries: given back, or lost to a foreign worker. */
  readonly excused: number;
  /** The number of the newest acceptance. It grows with each one and is never reset or shared. */
  readonly fence: number;
  readonly custody: Custody | null;
  readonly blockedOn: BlockedOn | null;
  /** What the doer shows for the deliverables, as of the last delivery. */
  readonly claims: readonly Claim[];
  /** Head of the hash chain over this handoff's facts. */
  readonly trail: string;
}

/** Where a handoff comes from. `hops` counts routings, so that a loop between agents has an end. */
export interface Lineage {
  readonly root: HandoffId | null;
  readonly parent: HandoffId | null;
  readonly retryOf: HandoffId | null;
  readonly hops: number;
}

export const NO_LINEAGE: Lineage = Object.freeze({ root: null, parent: null, retryOf: null, hops: 0 });

/** What was agreed when the handoff was made; it never changes afterwards. */
export interface Terms {
  readonly retry: RetryPolicy;
  readonly attemptTimeoutMs: number | null;
  /** How long a state may last; null is for ever. */
  readonly draftMs: number | null;
  readonly offeredMs: number | null;
  readonly blockedMs: number | null;
  readonly dependsOn: readonly HandoffId[];
  /** What has to be in the registry of artifacts before anybody works; absent: nothing. */
  readonly artifacts?: readonly ArtifactId[];
  readonly deliverables: readonly string[];
  readonly criteria: readonly string[];
  /** Who may verify, in order of preference. Empty: nobody must. */
  readonly verifiers: readonly AgentId[];
}

/**
 * Who has it. By `process`: a worker session that beats; its silence or death gives the handoff back.
 * By `hand`: a person or a program that came and went; only time can tell, and for documents not even that.
 */
export type Custody =
  | { readonly by: 'process'; readonly holder: AgentId; readonly session: SessionId }
  | {
      readonly by: 'hand';
      readonly holder: AgentId;
      readonly untilAt: number | null;
      /** The user of a program that has it in the queue folder and speaks to us through nothing else. */
      readonly file?: string;
      /** The id of the token with which it was taken or last renewed: with the token ends the lease. */
      readonly token?: string;
    };

export type BlockedOn =
  | { readonly reason: 'dependency' }
  | { readonly reason: 'artifact' }
  | { readonly reason: 'place' }
  | { readonly reason: 'question'; readonly text: string };

/** What an attempt leaves when it did not succeed. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Where input or answer did not follow its schema. */
  readonly violations?: readonly SchemaViolation[];
}

export interface SchemaViolation {
  /** Like `input.props[0].type`. */
  readonly field: string;
  readonly says: string;
  readonly schemaPath: string;
}

/** The attempts that count against the retry policy. */
export function countedAttempts(handoff: Handoff): number {
  return handoff.attempt - handoff.excused;
}
