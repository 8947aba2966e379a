/**
 * The record that decisions use: everything that a move may depend on, and nothing that is only carried.
 *
 * What is only carried (input, context, result) is stored beside it as text that no decision parses. Instants are
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

/** Where a handoff came from and where its file is. */
export const KINDS = ['queue', 'document'] as const;
export type Kind = (typeof KINDS)[number];

export interface Handoff {
  readonly id: HandoffId;
  /** Counts from 1 without gaps; each revision has exactly one fact. */
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
  /** Decides its place in the queue. A released handoff keeps its place. */
  readonly offeredAt: number;
  /** The earliest time at which it can be accepted. Zero: at once. */
  readonly notBefore: number;
  /** The number of acceptances so far. Never decreases. */
  readonly attempt: number;
  /** Acceptances that do not count against the retries: released, or lost to a foreign worker. */
  readonly excused: number;
  /** The number of the newest acceptance. Grows with each one and is never reset. */
  readonly fence: number;
  readonly custody: Custody | null;
  readonly blockedOn: BlockedOn | null;
  /** The evidence for the deliverables, as of the last delivery. */
  readonly claims: readonly Claim[];
  /** How far the completion is proven. Null: not completed, or `unverified`, as nearly all are (`assuranceOf`). */
  readonly assurance: Exclude<Assurance, 'unverified'> | null;
  /** Head of the hash chain over this handoff's facts. */
  readonly trail: string;
}

/** The chain of a handoff. `hops` counts its legs, so that a loop between agents ends. */
export interface Lineage {
  readonly root: HandoffId | null;
  readonly parent: HandoffId | null;
  readonly retryOf: HandoffId | null;
  readonly hops: number;
  /** The export that it was imported from; absent: made here. An imported completion is never more than `reported`. */
  readonly imported?: string;
}

export const NO_LINEAGE: Lineage = Object.freeze({ root: null, parent: null, retryOf: null, hops: 0 });

/** The terms of the handoff. They never change once it is on offer. */
export interface Terms {
  readonly retry: RetryPolicy;
  readonly attemptTimeoutMs: number | null;
  /** How long a state may last; null: no limit. */
  readonly draftMs: number | null;
  readonly offeredMs: number | null;
  readonly blockedMs: number | null;
  readonly dependsOn: readonly HandoffId[];
  /** What happens when a dependency ends without being completed; absent: `wait`. */
  readonly onDependencyFailure?: OnDependencyFailure;
  /** Artifacts that must be registered before work begins; absent: none. */
  readonly artifacts?: readonly ArtifactId[];
  readonly deliverables: readonly string[];
  readonly criteria: readonly string[];
  /** Who may verify, in order of preference. Empty: no verification is needed. */
  readonly verifiers: readonly AgentId[];
  /** The only command that counts as evidence, set by the sender; absent: any command. */
  readonly check?: string;
  /** Accepts commits that are older than the handoff, empty or on no branch as evidence. */
  readonly anyCommit?: true;
  /** Gets a dead letter when the handoff fails for good, is rejected or expires; absent: no dead letter. */
  readonly onFailed?: AgentId;
}

/**
 * Who holds the handoff. `process`: a worker session with heartbeats; when they stop, the handoff is released. `hand`: a
 * person or a program without a session; the lease ends by time, and for documents never.
 */
export type Custody =
  | {
      readonly by: 'process';
      readonly holder: AgentId;
      readonly session: SessionId;
      /** The end of this attempt, if the worker set another one than the terms. */
      readonly untilAt?: number;
    }
  | {
      readonly by: 'hand';
      readonly holder: AgentId;
      readonly untilAt: number | null;
      /** The user of a foreign program that has taken the file in the queue folder. */
      readonly file?: string;
      /** The id of the token with which it was accepted or last renewed. The lease ends with the token. */
      readonly token?: string;
    };

export type BlockedOn =
  /** `failed`: the dependency that ended without being completed, or its newest retry; absent: none has failed. */
  | { readonly reason: 'dependency'; readonly failed?: HandoffId }
  | { readonly reason: 'artifact' }
  | { readonly reason: 'place' }
  | { readonly reason: 'question'; readonly text: string };

/** Why an attempt did not succeed. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Where the input or the result did not follow its schema. */
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
/** Marks a token in a column that otherwise holds the user of a program. */
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
 * Each field once, in the order of an export line. Rows of all stores, export, import, views and published schemas follow
 * from it. To add a field, add it to `Handoff`, here, in `blankHandoff` and in `copyOf`, to the sender's fields if `send`
 * takes it, and to the view if others may see it.
 */
export const HANDOFF: RecordFields<Handoff> = {
  id: { shape: ID, columns: ['id'] },
  revision: { shape: COUNT, columns: ['revision'], mutable: true },
  state: { shape: oneOf(STATES), columns: ['state'], mutable: true },
  kind: { shape: oneOf(KINDS), columns: ['kind'], defaultValue: 'queue' },
  from: { shape: AGENT, columns: ['sender'] },
  to: { shape: AGENT, columns: ['recipient'] },
  priority: { shape: oneOf(PRIORITIES), columns: ['priority'], defaultValue: 'normal', revised: true },
  title: { shape: LINE, columns: ['title'], defaultValue: null, revised: true },
  task: { shape: LINE, columns: ['task'], defaultValue: null },
  lineage: { shape: LINEAGE, columns: ['lineage'] },
  terms: { shape: TERMS, columns: ['terms'], revised: true },
  createdAt: { shape: INSTANT, columns: ['created_at'] },
  since: { shape: INSTANT, columns: ['since'], mutable: true },
  offeredAt: { shape: INSTANT, columns: ['offered_at'], mutable: true },
  notBefore: { shape: INSTANT, columns: ['not_before'], mutable: true, defaultValue: 0 },
  attempt: { shape: COUNT, columns: ['attempt'], mutable: true, defaultValue: 0 },
  excused: { shape: COUNT, columns: ['excused'], mutable: true, defaultValue: 0 },
  fence: { shape: COUNT, columns: ['fence'], mutable: true, defaultValue: 0 },
  custody: { shape: nullable(CUSTODY), columns: ['session', 'holder', 'until_at', 'question'], mutable: true },
  blockedOn: { shape: nullable(BLOCKED_ON), columns: ['blocked', 'question'], mutable: true },
  claims: { shape: CLAIMS, columns: ['claims'], mutable: true },
  assurance: { shape: nullable(oneOf(PROVEN_OTHERWISE)), columns: null, mutable: true, defaultValue: null },
  trail: { shape: text(), columns: ['trail'], mutable: true },
};

/** Texts of the sender. They are scanned for secrets, and erasing removes them. */
export const SENDER_TEXTS = ['title', 'task'] as const satisfies readonly (keyof Handoff)[];
/** What a request gives under the same name, the record keeps unchanged, and a retry repeats. */
export const SENDER_FIELDS = ['priority', ...SENDER_TEXTS] as const satisfies readonly (keyof Handoff)[];
export type SenderFields = Pick<Handoff, (typeof SENDER_FIELDS)[number]>;
/** The sender's fields in a request: all are optional, none is null. */
export type GivenFields = { readonly [Name in keyof SenderFields]?: NonNullable<SenderFields[Name]> };

/** Fills what is not given with the default of the field. */
export function senderFieldsOf(given: Partial<SenderFields>): SenderFields {
  const fields: Record<string, unknown> = {};
  for (const name of SENDER_FIELDS) fields[name] = given[name] ?? HANDOFF[name].defaultValue;
  return fields as unknown as SenderFields;
}

/** To be filled by code that makes or reads a record. All records have the same fields in the same order, which is faster. */
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

/** The failed dependency that blocks the handoff; null: none. */
export function failedDependencyOf({ blockedOn }: Pick<Handoff, 'blockedOn'>): HandoffId | null {
  return blockedOn?.reason === 'dependency' ? (blockedOn.failed ?? null) : null;
}
