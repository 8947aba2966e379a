/**
 * The record that decisions look at: everything a move may depend on, and nothing that is merely carried.
 *
 * What is carried (input, context, the answer) lives beside it as text that no decision parses. Instants are
 * milliseconds of the store's wall clock.
 */
import { PROVEN_OTHERWISE, type Assurance } from './assurance.ts';
import { ON_DEPENDENCY_FAILURE, type OnDependencyFailure } from './dependencies.ts';
import { CLAIMS, type Claim } from './evidence.ts';
import { STATES, type State } from './lifecycle.ts';
import type { AgentId, ArtifactId, HandoffId, SessionId } from './names.ts';
import { PRIORITIES, type Priority } from './priority.ts';
import type { RecordFields } from './record-fields.ts';
import type { RetryPolicy } from './retry-policy.ts';
import { list, nullable, object, oneOf, optional, text, variants, type Shape } from './field-shapes.ts';

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
  /** How far its completion is proven; null until it is completed, and of nearly all that are (`assuranceOf`). */
  readonly assurance: Exclude<Assurance, 'unverified'> | null;
  /** Head of the hash chain over this handoff's facts. */
  readonly trail: string;
}

/** Where a handoff comes from. `hops` counts routings, so that a loop between agents has an end. */
export interface Lineage {
  readonly root: HandoffId | null;
  readonly parent: HandoffId | null;
  readonly retryOf: HandoffId | null;
  readonly hops: number;
  /** From which export it was imported; absent: it was made here. What came so is never more than `reported`. */
  readonly imported?: string;
}

export const NO_LINEAGE: Lineage = Object.freeze({ root: null, parent: null, retryOf: null, hops: 0 });

/** What was agreed when the handoff was made. It never changes once it is on offer. */
export interface Terms {
  readonly retry: RetryPolicy;
  readonly attemptTimeoutMs: number | null;
  /** How long a state may last; null is for ever. */
  readonly draftMs: number | null;
  readonly offeredMs: number | null;
  readonly blockedMs: number | null;
  readonly dependsOn: readonly HandoffId[];
  /** What happens when a dependency ends without being completed; absent: `wait`. */
  readonly onDependencyFailure?: OnDependencyFailure;
  /** What has to be in the registry of artifacts before anybody works; absent: nothing. */
  readonly artifacts?: readonly ArtifactId[];
  readonly deliverables: readonly string[];
  readonly criteria: readonly string[];
  /** Who may verify, in order of preference. Empty: nobody must. */
  readonly verifiers: readonly AgentId[];
  /** The one command that counts as evidence, fixed by the sender; absent: any command that the doer shows. */
  readonly check?: string;
  /** Commits that are older than the handoff, empty or on no branch count as evidence too; absent: they do not. */
  readonly anyCommit?: true;
  /** Who gets it as a handoff of its own when it fails for good, is rejected or expires; absent: nobody. */
  readonly onFailed?: AgentId;
}

/**
 * Who has it. By `process`: a worker session that beats; its silence or death gives the handoff back.
 * By `hand`: a person or a program that came and went; only time can tell, and for documents not even that.
 */
export type Custody =
  | {
      readonly by: 'process';
      readonly holder: AgentId;
      readonly session: SessionId;
      /** The end of this attempt, where the worker gives it another one than the terms. */
      readonly untilAt?: number;
    }
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
  /** `failed`: the dependency that ended without being completed, or its newest retry; absent: all can still be. */
  | { readonly reason: 'dependency'; readonly failed?: HandoffId }
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

const AGENT: Shape<AgentId> = { type: 'agent' };
const ID: Shape<HandoffId> = { type: 'handoff-id' };
const COUNT: Shape<number> = { type: 'count' };
const INSTANT: Shape<number> = { type: 'instant' };
const MILLISECONDS: Shape<number> = { type: 'milliseconds' };
const DURATION = nullable(MILLISECONDS);
const LINE: Shape<string | null> = nullable(text());

const LINEAGE = object<Lineage>({
  root: nullable(ID),
  parent: nullable(ID),
  retryOf: nullable(ID),
  hops: COUNT,
  imported: optional(text()),
});

const TERMS = object<Terms>({
  retry: object<RetryPolicy>({
    retriesMax: COUNT,
    delayMs: MILLISECONDS,
    multiplier: { type: 'non-negative' },
    capMs: MILLISECONDS,
    retryOn: list(text()),
  }),
  attemptTimeoutMs: DURATION,
  draftMs: DURATION,
  offeredMs: DURATION,
  blockedMs: DURATION,
  dependsOn: list(ID),
  onDependencyFailure: optional(oneOf(ON_DEPENDENCY_FAILURE)),
  artifacts: optional(list<ArtifactId>({ type: 'handoff-id' })),
  deliverables: list(text()),
  criteria: list(text()),
  verifiers: list(AGENT),
  check: optional(text()),
  anyCommit: optional<true>({ type: 'json' } as never),
  onFailed: optional(AGENT),
});

const SESSION_MAX = 200;
const FILE_USER_MAX = 64;
const TOKEN_ID_MAX = 64;
/** Says in a column that is shared with the user of a program that this is a token. */
export const TOKEN_MARK = 'token:';

const CUSTODY = variants<Custody, 'by'>('by', {
  process: object<Omit<Extract<Custody, { by: 'process' }>, 'by'>>({
    holder: AGENT,
    session: text({ min: 1, max: SESSION_MAX }),
    untilAt: optional(INSTANT),
  }),
  hand: object<Omit<Extract<Custody, { by: 'hand' }>, 'by'>>(
    {
      holder: AGENT,
      untilAt: nullable(INSTANT),
      file: optional(
        text({
          min: 1,
          max: FILE_USER_MAX,
          rule: { says: 'not the user of a program', holds: (user) => !user.startsWith(TOKEN_MARK) },
        }),
      ),
      token: optional(text({ min: 1, max: TOKEN_ID_MAX })),
    },
    {
      rule: {
        says: 'file and token exclude each other',
        holds: ({ file, token }) => file === undefined || token === undefined,
      },
    },
  ),
});

export const BLOCKED_ON = variants<BlockedOn, 'reason'>('reason', {
  dependency: object<{ readonly failed?: HandoffId }>({ failed: optional(ID) }),
  place: object({}),
  question: object({ text: text() }),
  artifact: object({}),
});

/**
 * Each field once, in the order of an export line: rows of all stores, export and import, views and published schemas
 * follow from it. To add a field: name it in `Handoff`, here, in `blankHandoff` and in `copyOf`, and in the view if others
 * may see it.
 */
export const HANDOFF: RecordFields<Handoff> = {
  id: { shape: ID, columns: ['id'] },
  revision: { shape: COUNT, columns: ['revision'], changes: true },
  state: { shape: oneOf(STATES), columns: ['state'], changes: true },
  kind: { shape: oneOf(KINDS), columns: ['kind'], usual: 'queue' },
  from: { shape: AGENT, columns: ['sender'] },
  to: { shape: AGENT, columns: ['recipient'] },
  priority: { shape: oneOf(PRIORITIES), columns: ['priority'], usual: 'normal', revised: true },
  title: { shape: LINE, columns: ['title'], usual: null, revised: true },
  task: { shape: LINE, columns: ['task'], usual: null },
  lineage: { shape: LINEAGE, columns: ['lineage'] },
  terms: { shape: TERMS, columns: ['terms'], revised: true },
  createdAt: { shape: INSTANT, columns: ['created_at'] },
  since: { shape: INSTANT, columns: ['since'], changes: true },
  offeredAt: { shape: INSTANT, columns: ['offered_at'], changes: true },
  notBefore: { shape: INSTANT, columns: ['not_before'], changes: true, usual: 0 },
  attempt: { shape: COUNT, columns: ['attempt'], changes: true, usual: 0 },
  excused: { shape: COUNT, columns: ['excused'], changes: true, usual: 0 },
  fence: { shape: COUNT, columns: ['fence'], changes: true, usual: 0 },
  custody: { shape: nullable(CUSTODY), columns: ['session', 'holder', 'until_at', 'question'], changes: true },
  blockedOn: { shape: nullable(BLOCKED_ON), columns: ['blocked', 'question'], changes: true },
  claims: { shape: CLAIMS, columns: ['claims'], changes: true },
  assurance: { shape: nullable(oneOf(PROVEN_OTHERWISE)), columns: null, changes: true, usual: null },
  trail: { shape: text(), columns: ['trail'], changes: true },
};

/** To be filled by the code that makes or reads a record. All have the same fields in the same order, which keeps them fast. */
export function blankHandoff(): Mutable<Handoff> {
  return {
    id: UNSET,
    revision: 0,
    state: 'draft',
    kind: 'queue',
    from: UNSET,
    to: UNSET,
    priority: 'normal',
    title: null,
    task: null,
    lineage: NO_LINEAGE,
    terms: UNSET,
    createdAt: 0,
    since: 0,
    offeredAt: 0,
    notBefore: 0,
    attempt: 0,
    excused: 0,
    fence: 0,
    custody: null,
    blockedOn: null,
    claims: NO_CLAIMS,
    assurance: null,
    trail: '',
  };
}

const UNSET = '' as never;
const NO_CLAIMS: readonly Claim[] = Object.freeze([]);

export type Mutable<Thing> = { -readonly [Name in keyof Thing]: Thing[Name] };

/** Written out field by field: object spread is several times slower, and every move makes two copies. */
export function copyOf(handoff: Handoff): Mutable<Handoff> {
  return {
    id: handoff.id,
    revision: handoff.revision,
    state: handoff.state,
    kind: handoff.kind,
    from: handoff.from,
    to: handoff.to,
    priority: handoff.priority,
    title: handoff.title,
    task: handoff.task,
    lineage: handoff.lineage,
    terms: handoff.terms,
    createdAt: handoff.createdAt,
    since: handoff.since,
    offeredAt: handoff.offeredAt,
    notBefore: handoff.notBefore,
    attempt: handoff.attempt,
    excused: handoff.excused,
    fence: handoff.fence,
    custody: handoff.custody,
    blockedOn: handoff.blockedOn,
    claims: handoff.claims,
    assurance: handoff.assurance,
    trail: handoff.trail,
  };
}

/** The attempts that count against the retry policy. */
export function countedAttempts(handoff: Handoff): number {
  return handoff.attempt - handoff.excused;
}

/** What a blocked handoff waits for in vain; null: it is not blocked by that. */
export function failedDependencyOf({ blockedOn }: Pick<Handoff, 'blockedOn'>): HandoffId | null {
  return blockedOn?.reason === 'dependency' ? (blockedOn.failed ?? null) : null;
}
