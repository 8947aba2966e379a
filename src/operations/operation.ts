/**
 * An operation is something that a principal can ask for, defined once: the command line, HTTP, the library and MCP are
 * derived from it. To add one, define it in this folder and name it in `index.ts`.
 */
import { err, type Result } from '../foundation/result.ts';
import type { JsonObject } from '../foundation/json.ts';
import type { Fact } from '../domain/facts.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { ArtifactCard } from '../domain/artifacts.ts';
import type { AgentId, ArtifactId } from '../domain/names.ts';
import { principalText, type Principal } from '../domain/principal.ts';
import type { Report } from '../domain/project-report.ts';
import type { ProjectTrail } from '../domain/project-trail.ts';
import type { Workflow } from '../domain/workflow.ts';
import type { Cleaned } from '../engine/artifacts/clean.ts';
import type { WholeArtifact } from '../engine/artifacts/read.ts';
import type { ArtifactRefusal } from '../engine/artifacts/refusals.ts';
import type { BlockAnswer } from '../engine/handoffs/ingest-text.ts';
import type { Op } from '../domain/rights.ts';
import type { SendRefusal } from '../engine/handoffs/send.ts';
import type { AmbiguousId } from '../engine/handoffs/short-id.ts';
import type { Context } from '../engine/context.ts';
import type { Status } from '../engine/handoffs/status.ts';
import { explainRemoved } from '../engine/retention/explain-removed.ts';
import type { Pruned } from '../engine/retention/prune.ts';
import type { PauseRefusal } from '../engine/pauses.ts';
import type { KnownSchedule, ScheduleRefusal } from '../engine/schedules.ts';
import type { WaitRefusal } from '../engine/handoffs/wait.ts';
import type { Claimed, DroppedEffect, Page, PauseRecord, StoredHandoff } from '../stores/store.ts';
import { ID, type AnyField, type Fields, type InputOf } from './field.ts';
import { readInput, type Issue, type Spelling } from './reading.ts';
import { withFullIds } from './short-ids.ts';

/** What operations answer; each interface has one view for each of these. */
export interface Results {
  /** A handoff after a change. */
  readonly handoff: Handoff;
  /** A new handoff. */
  readonly created: Handoff;
  /** A handoff with its input, just taken; null: nothing was offered. */
  readonly claimed: Claimed | null;
  /** A part of a list, with the newest fact from before it was made. */
  readonly page: Page & { readonly cursor: string };
  readonly shown: StoredHandoff & { readonly facts: readonly Fact[] };
  readonly facts: readonly Fact[];
  /** Oldest first. */
  readonly chain: readonly Handoff[];
  readonly settled: StoredHandoff;
  readonly status: Status;
  /** What an agent was told, each with its key. */
  readonly inbox: {
    readonly entries: readonly (JsonObject & { readonly key: string })[];
    /** What is open for it: offered, held or blocked, oldest first. */
    readonly waiting: readonly Handoff[];
  };
  /** What became of each block, in the order of the text. */
  readonly ingested: readonly BlockAnswer[];
  readonly workflows: readonly Workflow[];
  readonly report: Report;
  readonly schedule: KnownSchedule;
  readonly schedules: readonly KnownSchedule[];
  readonly pause: PauseRecord;
  readonly pauses: readonly PauseRecord[];
  readonly undelivered: readonly DroppedEffect[];
  /** The key of what is tried again. */
  readonly resent: string;
  readonly artifacts: readonly ArtifactCard[];
  readonly artifact: WholeArtifact;
  readonly registered: ArtifactCard;
  readonly pruned: Pruned;
  readonly cleaned: {
    readonly applied: boolean;
    readonly deprecated: readonly ArtifactId[];
    readonly changes: readonly Cleaned[];
  };
}
export type ResultName = keyof Results;

/** The refusals of the engine, and those with a text from the operation itself. */
export type OperationRefusal =
  | SendRefusal
  | WaitRefusal
  | ArtifactRefusal
  | ScheduleRefusal
  | PauseRefusal
  | { readonly code: 'not-undelivered'; readonly key: string }
  | AmbiguousId
  | TextRefusal;

export interface TextRefusal {
  readonly code: 'bad-request' | 'not-yours' | 'token-refused' | 'no-workspace' | 'no-such-project';
  readonly says: string;
}

/** What an interface passes to an operation besides the input. */
export interface RunOptions {
  /** Aborted when the caller has disconnected: the operation starts nothing further. */
  readonly signal?: AbortSignal;
  /** Whether the caller's token is still valid; for operations that wait. */
  readonly isTokenValid?: () => Promise<boolean>;
  /** The project of the workspace. */
  readonly project?: string;
  /** For an interface that keeps the projects in memory and reads only new facts. */
  readonly readProjects?: () => Promise<readonly ProjectTrail[]>;
}

export interface Operation<F extends Fields = Fields, Name extends ResultName = ResultName> {
  /** `reject`: the command, the method of the library, the end of the HTTP path. */
  readonly name: string;
  /** What it does, without a period. */
  readonly summary: string;
  /** More, in sentences. */
  readonly about?: string;
  /** What stands after `baton` in an example. */
  readonly example: string;
  /** The right that it needs, from the table in `domain/rights.ts`; or it is for the operator only. */
  readonly permission: Op | 'operator';
  /** The scope that a token needs. */
  readonly scope: 'read' | 'write';
  /** Whether this input makes it write, although the operation needs only the right to read. */
  writes?(input: InputOf<F>): boolean;
  readonly input: F;
  /** The field that comes first and without a name: the argument of a command and of a method, a part of the path. */
  readonly subject?: string | undefined;
  /** The HTTP route. @default POST /api/handoffs/{id}/NAME */
  readonly route?: {
    readonly method: 'get' | 'post';
    readonly path: string;
    /** Fields that HTTP takes in another way, such as the method. */
    readonly without?: readonly string[];
  };
  /** The field that says how long it waits, for interfaces that hold a connection meanwhile. */
  readonly waits?: string;
  /** It may take long, and stops when the signal is aborted. */
  readonly canBeStopped?: true;
  readonly result: Name;
  /** Checks that need several fields; `nameOf` spells a field as the caller does. */
  check?(input: InputOf<F>, nameOf: (key: string) => string): string | null;
  /** The agent that a local caller acts as when it names none. @default the operator */
  defaultCaller?(input: InputOf<F>): AgentId;
  /** What it does, in words, when a caller without a token must name `as` itself instead of acting as the operator. */
  readonly explicitAs?: string;
  run(
    ctx: Context,
    principal: Principal,
    input: InputOf<F>,
    options: RunOptions,
  ): Promise<Result<Results[Name], OperationRefusal>>;
}

/** With the names that types are made from. */
export type Defined<F extends Fields, R extends ResultName, Subject> = Operation<F, R> & { readonly subject: Subject };

/** `scope`: by default what only needs the right to read takes a token that may read. */
type Description<F extends Fields, R extends ResultName> = Omit<Operation<F, R>, 'scope'> &
  Partial<Pick<Operation, 'scope'>>;

export function defineOperation<
  const F extends Fields,
  const R extends ResultName,
  const Subject extends (keyof F & string) | undefined = undefined,
>(operation: Description<F, R> & { readonly subject?: Subject }): Defined<F, R, Subject> {
  return { scope: operation.permission === 'read' ? 'read' : 'write', ...operation } as Defined<F, R, Subject>;
}

type WithId<F extends Fields> = { readonly id: typeof ID } & F;

/** A change of one handoff, which it answers; by default under the right of its own name. */
export function defineMove<const F extends Fields = Record<never, never>>(
  move: Omit<Description<WithId<F>, 'handoff'>, 'subject' | 'result' | 'input' | 'permission'> & {
    readonly permission?: Op;
    readonly input?: F;
  },
): Defined<WithId<F>, 'handoff', 'id'> {
  const named = { permission: move.permission ?? (move.name as Op), subject: 'id', result: 'handoff' } as const;
  return defineOperation({ ...move, ...named, input: { id: ID, ...move.input } as WithId<F> });
}

/** Reads what was given to an operation, in the spelling of an interface. */
export function readFor<F extends Fields>(
  operation: Operation<F>,
  given: unknown,
  spelling: Spelling,
  caller: AgentId | null = null,
): Result<InputOf<F>, readonly Issue[]> {
  const read = readInput(operation.input, given, spelling, caller);
  if (!read.ok || operation.check === undefined) return read;
  const nameOf = (key: string): string => spelling.nameOf(key, operation.input[key] as AnyField);
  const says = operation.check(read.value, nameOf);
  return says === null ? read : err([{ field: '', says, isMissing: true }]);
}

/** Runs an operation for a principal that may ask for it. */
export async function runFor<F extends Fields, Name extends ResultName>(
  operation: Operation<F, Name>,
  ctx: Context,
  principal: Principal,
  input: InputOf<F>,
  options: RunOptions,
): Promise<Result<Results[Name], OperationRefusal>> {
  const refusal = refusalFor(operation, principal);
  if (refusal !== null) return err(refusal);
  const whole = await withFullIds(operation.input, input, ctx, principal);
  const answer = whole.ok ? await operation.run(ctx, principal, whole.value, options) : whole;
  return answer.ok ? answer : err(await explainRemoved(ctx, principal, answer.refusal));
}

/** Null: this principal may ask for it. Whether it may change the handoff is decided with the change. */
export function refusalFor({ permission }: Pick<Operation, 'permission'>, principal: Principal): TextRefusal | null {
  if (permission !== 'operator' || principal.kind === 'operator') return null;
  return { code: 'not-yours', says: `this is the operator's business, and not ${principalText(principal)}'s` };
}
