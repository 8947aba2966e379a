/**
 * One method for each operation, and what it takes. Made from the table of operations: do not edit, run
 * BATON_WRITE_DOCS=1 npx vitest run test/docs
 */
import type { Json, JsonObject } from '../../foundation/json.ts';
import type { PauseView, PrunedHandoffs, ScheduleView, UndeliveredView } from '../shared/record-views.ts';
import type { FactView, HandoffView, StatusView, WholeView } from '../shared/views.ts';
import type {
  ArtifactEntry,
  ArtifactView,
  CallOptions,
  CleanedArtifacts,
  HandoffPage,
  IngestAnswer,
  SentHandoff,
  ShownHandoff,
} from './results.ts';

/** What `send` takes. */
export interface SendRequest extends CallOptions {
  /** The sender (default with a token: the agent that the token belongs to). */
  readonly from: string;
  /** The recipient. */
  readonly to: string;
  /** The input of the work (default: {}). */
  readonly input?: Json;
  /** The work in words; becomes the input { "text": … }. */
  readonly text?: string;
  /** The schema to check the input against: the name of a file in schemas/. */
  readonly schema?: string;
  /** Further information for the recipient. */
  readonly context?: JsonObject;
  /** A title for people, in one line. */
  readonly title?: string;
  /** The task that the handoff belongs to. */
  readonly task?: string;
  /** The priority (default: normal). */
  readonly priority?: 'urgent' | 'high' | 'normal' | 'low';
  /** A message of the queue (default) or a governed document. */
  readonly kind?: 'queue' | 'document';
  /** Create a draft, which is not offered until it is activated; documents are drafts by default. */
  readonly draft?: boolean;
  /** What the doer has to deliver with evidence. */
  readonly deliverables?: readonly string[];
  /** What a verifier has to check. */
  readonly criteria?: readonly string[];
  /** Who has to agree that the work is done, besides those that the workspace requires. */
  readonly verifiers?: readonly string[];
  /** The only command that counts as evidence; it has to pass. */
  readonly check?: string;
  /** Also accept commits as evidence that are older than the handoff, empty or on no branch. */
  readonly anyCommit?: boolean;
  /** Handoffs that must be completed before this one is offered. */
  readonly dependsOn?: readonly string[];
  /** When a dependency does not succeed: wait for a retry of it (default), fail too, or run anyway. */
  readonly onDependencyFailure?: 'wait' | 'fail' | 'run';
  /** Accept dependencies that do not exist yet or did not succeed. */
  readonly allowUnknown?: boolean;
  /** The handoff that this one follows from. */
  readonly parent?: string;
  /** At a limit, wait for capacity instead of being refused. */
  readonly waitForCapacity?: boolean;
  /** Time limit of each attempt, from its start. In milliseconds. */
  readonly timeoutMs?: number;
  /** The earliest time at which it can be accepted. */
  readonly notBefore?: Date | string;
  /** The agent that gets a new handoff (a dead letter) when this one fails for good, is rejected or expires. */
  readonly onFailed?: string;
  /** The retry policy (default: the one in baton.yaml). */
  readonly retry?: {
    /** How many retries after the first attempt. From 0 to 100. */
    readonly max?: number;
    /** The delay before the second attempt. In milliseconds. */
    readonly delayMs?: number;
    /** The factor by which the delay grows with each attempt. From 1 to 100. */
    readonly multiplier?: number;
  };
  /** An idempotency key: the same key with the same content returns the same handoff, for 7 days. */
  readonly requestId?: string;
}

/** What `claim` takes. */
export interface ClaimOptions extends CallOptions {
  /** How long to wait for an offer (default: 0). In milliseconds. */
  readonly waitMs?: number;
  /** How long the lease lasts without a renewal (default: 900 seconds), at most the time limit of the attempt (queue: 300). In milliseconds. */
  readonly leaseMs?: number;
}

/** What `revise` takes. */
export interface ReviseOptions extends CallOptions {
  /** A title for people, in one line. */
  readonly title?: string;
  /** The priority. */
  readonly priority?: 'urgent' | 'high' | 'normal' | 'low';
  /** The new input; it replaces all of the old one. */
  readonly input?: Json;
  /** For documents: why the work is wanted. */
  readonly purpose?: string;
  /** For documents: what the recipient has to know. */
  readonly context?: string;
  /** What the doer has to deliver with evidence; replaces the old list. */
  readonly deliverables?: readonly string[];
  /** What a verifier has to check; replaces the old list. */
  readonly criteria?: readonly string[];
  /** Who has to agree that the work is done, besides those that the workspace requires. */
  readonly verifiers?: readonly string[];
}

/** What `accept` takes. */
export interface AcceptOptions extends CallOptions {
  /** A note for the sender. */
  readonly notes?: string;
  /** How long the lease lasts without a renewal (default: 900 seconds; documents: no limit), at most the time limit of the attempt. In milliseconds. */
  readonly leaseMs?: number;
}

/** What `reject` takes. */
export interface RejectOptions extends CallOptions {
  /** The category: skill_gap, unclear, capacity, … */
  readonly type: string;
  /** The reason, in a sentence that the sender can act on. */
  readonly reason: string;
  /** The fence that claim or accept returned; required while the handoff is held with a lease. From 1. */
  readonly fence?: number;
}

/** What `release` takes. */
export interface ReleaseOptions extends CallOptions {
  /** The fence that claim or accept returned; required while the handoff is held with a lease. From 1. */
  readonly fence?: number;
}

/** What `renew` takes. */
export interface RenewOptions extends CallOptions {
  /** The fence that claim or accept returned; required while the handoff is held with a lease. From 1. */
  readonly fence?: number;
  /** The new length of the lease, from now on (default: 900 seconds). In milliseconds. */
  readonly leaseMs?: number;
}

/** What `progress` takes. */
export interface ProgressOptions extends CallOptions {
  /** The fence that claim or accept returned; required while the handoff is held with a lease. From 1. */
  readonly fence?: number;
  /** How much of the work is done, from 0 to 1. From 0 to 1. */
  readonly fraction?: number;
  /** The progress in words. */
  readonly says?: string;
}

/** What `deliver` takes. */
export interface DeliverOptions extends CallOptions {
  /** The fence that claim or accept returned; required while the handoff is held with a lease. From 1. */
  readonly fence?: number;
  /** The result. */
  readonly result?: Json;
  /** The evidence for the deliverables; kind is one of file, commit, command, shadow, url, note. */
  readonly evidence?: readonly (string | {
    /** The deliverable. */
    readonly deliverable: string;
    /** The kind of evidence. */
    readonly kind: 'file' | 'commit' | 'command' | 'shadow' | 'url' | 'note';
    /** The path, commit, command, URL or text. */
    readonly value: string;
  })[];
}

/** What `fail` takes. */
export interface FailOptions extends CallOptions {
  /** The fence that claim or accept returned; required while the handoff is held with a lease. From 1. */
  readonly fence?: number;
  /** The kind of failure, such as PROCESSING_ERROR. */
  readonly code: string;
  /** What went wrong. */
  readonly message: string;
}

/** What `block` takes. */
export interface BlockOptions extends CallOptions {
  /** The fence that claim or accept returned; required while the handoff is held with a lease. From 1. */
  readonly fence?: number;
  /** The question to answer. */
  readonly question: string;
}

/** What `unblock` takes. */
export interface UnblockOptions extends CallOptions {
  /** The answer to its question. */
  readonly answer?: string;
}

/** What `verify` takes. */
export interface VerifyOptions extends CallOptions {
  /** For the record. */
  readonly notes?: string;
  /** Criteria that are met, and how you know. */
  readonly criteria?: readonly (string | {
    /** The criterion, or a prefix that only one criterion has. */
    readonly criterion: string;
    /** How you know. */
    readonly says?: string;
  })[];
  /** Refuse the work, for this reason; without rework the handoff is rejected. */
  readonly refuse?: string;
  /** With refuse: send the work back to its doer. */
  readonly rework?: boolean;
}

/** What `rework` takes. */
export interface ReworkOptions extends CallOptions {
  /** What is not done. */
  readonly reason: string;
}

/** What `cancel` takes. */
export interface CancelOptions extends CallOptions {
  /** Why. */
  readonly reason?: string;
}

/** What `retry` takes. */
export interface RetryOptions extends CallOptions {
  /** Another recipient (default: the same one). */
  readonly to?: string;
  /** The corrected input (default: the same input). */
  readonly input?: Json;
  /** Time limit of each attempt, from its start. In milliseconds. */
  readonly timeoutMs?: number;
  /** At a limit, wait for capacity instead of being refused. */
  readonly waitForCapacity?: boolean;
  /** An idempotency key: the same key with the same content returns the same handoff, for 7 days. */
  readonly requestId?: string;
}

/** What `reassign` takes. */
export interface ReassignOptions extends CallOptions {
  /** The new recipient. */
  readonly to?: string;
  /** The new priority. */
  readonly priority?: 'urgent' | 'high' | 'normal' | 'low';
  /** Why. */
  readonly reason?: string;
}

/** What `erase` takes. */
export interface EraseOptions extends CallOptions {
  /** The reason; it stays in the trail. */
  readonly reason?: string;
}

/** What `list` takes. */
export interface ListOptions extends CallOptions {
  /** Sent by or to this agent. */
  readonly agent?: string;
  /** Sent by this agent. */
  readonly from?: string;
  /** Sent to this agent. */
  readonly to?: string;
  /** In this state; "open" stands for all states that are not final. */
  readonly state?: readonly ('draft' | 'offered' | 'blocked' | 'accepted' | 'delivered' | 'completed' | 'failed' | 'rejected' | 'expired' | 'cancelled' | 'open')[];
  /** Part of this task. */
  readonly task?: string;
  /** Only messages of the queue, or only documents. */
  readonly kind?: 'queue' | 'document';
  /** With this priority. */
  readonly priority?: readonly ('urgent' | 'high' | 'normal' | 'low')[];
  /** Created at this time or later. */
  readonly createdSince?: Date | string;
  /** Created before this time. */
  readonly createdBefore?: Date | string;
  /** Words that all occur in the title, task or input, in any order; or an id; or @NAME for an agent. */
  readonly text?: string;
  /** The order (default: newest). */
  readonly sort?: 'newest' | 'oldest';
  /** How many. From 1 to 1000. @default 50 */
  readonly limit?: number;
  /** Continue after the last page: its `next`. */
  readonly after?: string;
}

/** What `ready` takes. */
export interface ReadyOptions extends CallOptions {
  /** How many to read. From 1 to 1000. @default 100 */
  readonly limit?: number;
}

/** What `show` takes. */
export interface ShowOptions extends CallOptions {
  /** How long to wait until the handoff is settled; then it is shown in its current state. In milliseconds. */
  readonly waitMs?: number;
}

/** What `wait` takes. */
export interface WaitRequest extends CallOptions {
  /** Give up after this long (default: never; over HTTP 30 seconds). In milliseconds. */
  readonly timeoutMs?: number;
}

/** What `inbox` takes. */
export interface InboxOptions extends CallOptions {
  /** Mark what is shown as read. */
  readonly clear?: boolean;
  /** How many. From 1 to 10000. @default 100 */
  readonly limit?: number;
}

/** What `ingest` takes. */
export interface IngestOptions extends CallOptions {
  /** Markdown, YAML, JSON, or a transcript of JSON lines. */
  readonly text: string;
  /** The file that the text was read from; a block with the same text from the same file is taken once. */
  readonly file?: string;
  /** Instead of file: the session that wrote the text, with its turn; then only blocks are read. */
  readonly session?: string;
  /** The turn of that session. */
  readonly turn?: string;
  /** The project of blocks that name none (default: the one in baton.yaml). */
  readonly project?: string;
  /** Show what would be taken; change nothing. */
  readonly preview?: boolean;
  /** Take only blocks that follow the specification exactly. */
  readonly strict?: boolean;
  /** The fence that claim or accept returned; required while the handoff is held with a lease. From 1. */
  readonly fence?: number;
}

/** What `report` takes. */
export interface ReportOptions extends CallOptions {
  /** Only this one. */
  readonly project?: string;
}

/** What `addSchedule` takes. */
export interface AddScheduleOptions
  extends Omit<SendRequest, 'dependsOn' | 'onDependencyFailure' | 'allowUnknown' | 'parent' | 'waitForCapacity' | 'notBefore' | 'requestId'> {
  /** The interval, such as 15m, 2h or 1d; the first occurrence is one interval from now. In milliseconds. */
  readonly everyMs?: number;
  /** The times as a cron expression: minute, hour, day, month and day of the week, such as "0 9 * * 1-5". */
  readonly cron?: string;
  /** The time zone of the cron expression (default: that of this machine). */
  readonly zone?: string;
  /** What to send for occurrences that were missed while no process ran: one handoff (default), none, or all. */
  readonly missed?: 'once' | 'skip' | 'all';
}

/** What `schedules` takes. */
export interface SchedulesOptions extends CallOptions {
  /** How many to read. From 1 to 1000. @default 100 */
  readonly limit?: number;
}

/** What `pause` takes. */
export interface PauseOptions extends CallOptions {
  /** Why. */
  readonly reason?: string;
}

/** What `pauses` takes. */
export interface PausesOptions extends CallOptions {
  /** How many. From 1 to 1000. @default 100 */
  readonly limit?: number;
}

/** What `undelivered` takes. */
export interface UndeliveredOptions extends CallOptions {
  /** How many. From 1 to 1000. @default 100 */
  readonly limit?: number;
}

/** What `findArtifacts` takes. */
export interface FindArtifactsOptions extends CallOptions {
  /** Only of this type. */
  readonly type?: string;
  /** Only of this phase. From 0 to 1000. */
  readonly phase?: number;
  /** Only made by this agent. */
  readonly agent?: string;
  /** Only of this status (default: not archived, not deleted). */
  readonly status?: 'created' | 'active' | 'deprecated' | 'archived' | 'deleted';
}

/** What `registerArtifact` takes. */
export interface RegisterArtifactOptions extends CallOptions {
  /** The schema to check the content against, instead of the one that the file names. */
  readonly schema?: string;
  /** Deprecate these artifacts when the new one is active. */
  readonly supersedes?: readonly string[];
}

/** What `cleanArtifacts` takes. */
export interface CleanArtifactsOptions extends CallOptions {
  /** Make the changes; without it, nothing is changed. */
  readonly apply?: boolean;
  /** Mark these as no longer to be used; needs apply. */
  readonly deprecate?: readonly string[];
  /** Archive artifacts that have been deprecated for this long (default: 30). From 0 to 36500. */
  readonly deprecatedDays?: number;
  /** Delete artifacts that have been archived for this long (default: 90). From 0 to 36500. */
  readonly archivedDays?: number;
}

/** What `prune` takes. */
export interface PruneOptions extends CallOptions {
  /** Only handoffs that finished at least this long ago, such as 90d (default: retention.days in baton.yaml). In milliseconds. */
  readonly olderThanMs?: number;
  /** Show what would be removed; change nothing. */
  readonly dryRun?: boolean;
}

export interface Methods {
  /**
   * Offer work to an agent. Once it returns, the handoff survives a power cut. The same request id with the same content returns the same handoff.
   *
   * The command: `baton send --from @me --to @react --input '{"x":1}' --wait`
   */
  send(options: SendRequest): Promise<SentHandoff>;
  /**
   * Accept the next handoff that is offered to an agent; the answer has its input and fence. A caller that disconnects while it waits claims nothing.
   *
   * The command: `baton claim @react --wait 60`
   */
  claim(agent: string, options?: ClaimOptions): Promise<WholeView | null>;
  /**
   * Change a draft before it is activated. Fields that you do not name stay as they are. The trail keeps the old values, and the deadline of the draft stays the same. To change the recipient, use `reassign`.
   *
   * The command: `baton revise hoff-0190… --title 'Login page' --deliverable 'login page' --as @me`
   */
  revise(id: string, options?: ReviseOptions): Promise<HandoffView>;
  /**
   * Offer a draft to its recipient.
   *
   * The command: `baton activate hoff-0190… --as @me`
   */
  activate(id: string, options?: CallOptions): Promise<HandoffView>;
  /**
   * Accept a handoff; the answer has the fence.
   *
   * The command: `baton accept hoff-0190… --as @dev --notes 'by tomorrow'`
   */
  accept(id: string, options?: AcceptOptions): Promise<HandoffView>;
  /**
   * Decline a handoff, with a reason.
   *
   * The command: `baton reject hoff-0190… --as @dev --type unclear --reason 'which login page?'`
   */
  reject(id: string, options: RejectOptions): Promise<HandoffView>;
  /**
   * Give a handoff back, so that it is offered again; the attempt does not count.
   *
   * The command: `baton release hoff-0190… --fence 1 --as @dev`
   */
  release(id: string, options?: ReleaseOptions): Promise<HandoffView>;
  /**
   * Extend the lease of a handoff.
   *
   * The command: `baton renew hoff-0190… --fence 1 --as @dev`
   */
  renew(id: string, options?: RenewOptions): Promise<HandoffView>;
  /**
   * Report the progress of a handoff.
   *
   * The command: `baton progress hoff-0190… --fence 1 --fraction 0.5 --says 'tests pass' --as @dev`
   */
  progress(id: string, options?: ProgressOptions): Promise<HandoffView>;
  /**
   * Deliver the work, with its result and evidence. Evidence is checked before anything is written.
   *
   * The command: `baton deliver hoff-0190… --fence 1 --evidence 'login page=file:src/login.tsx' --as @dev`
   */
  deliver(id: string, options?: DeliverOptions): Promise<HandoffView>;
  /**
   * Report that an attempt failed. The retry policy of the handoff decides whether another attempt follows.
   *
   * The command: `baton fail hoff-0190… --fence 1 --code PROCESSING_ERROR --message 'no disk' --as @dev`
   */
  fail(id: string, options: FailOptions): Promise<HandoffView>;
  /**
   * Ask a question; the handoff is blocked until it is answered.
   *
   * The command: `baton block hoff-0190… --fence 1 --question 'which colour?' --as @dev`
   */
  block(id: string, options: BlockOptions): Promise<HandoffView>;
  /**
   * Answer the question of a blocked handoff, so that it continues.
   *
   * The command: `baton unblock hoff-0190… --answer 'blue' --as @me`
   */
  unblock(id: string, options?: UnblockOptions): Promise<HandoffView>;
  /**
   * Verify delivered work: agree that it is done, or refuse it. The evidence is checked again first.
   *
   * The command: `baton verify hoff-0190… --as @qa --check 'works on a phone=tried it'`
   */
  verify(id: string, options?: VerifyOptions): Promise<HandoffView>;
  /**
   * Send delivered work back to its doer for changes.
   *
   * The command: `baton rework hoff-0190… --as @qa --reason 'does not work on a phone'`
   */
  rework(id: string, options: ReworkOptions): Promise<HandoffView>;
  /**
   * Cancel a handoff.
   *
   * The command: `baton cancel hoff-0190… --as @me`
   */
  cancel(id: string, options?: CancelOptions): Promise<HandoffView>;
  /**
   * Send a handoff that did not succeed again, as a new handoff.
   *
   * The command: `baton retry hoff-0190… --input fixed.json`
   */
  retry(id: string, options?: RetryOptions): Promise<SentHandoff>;
  /**
   * Give the work to another agent, or change its priority. The terms of a handoff never change, so this cancels the handoff and puts a new one in its place in the chain, in one transaction.
   *
   * The command: `baton reassign hoff-0190… --to @react --priority high --as @me`
   */
  reassign(id: string, options?: ReassignOptions): Promise<SentHandoff>;
  /**
   * Erase the content of a finished handoff, and keep its trail. Title, input, context, result, evidence and the details of facts are removed for good. Who did what and when stays, with its hashes; a new fact records who erased the content, and seals the rest. Archives, exports, backups and git are not changed.
   *
   * The command: `baton erase hoff-0190… --reason 'holds personal data'`
   */
  erase(id: string, options?: EraseOptions): Promise<HandoffView>;
  /**
   * Show what needs a person, which agents are working, and what is waiting.
   *
   * The command: `baton status`
   */
  status(options?: CallOptions): Promise<StatusView>;
  /**
   * List handoffs, newest first. Pass `next` of a page as `after` to get the following page. An event stream that starts at `cursor` misses nothing of the list.
   *
   * The command: `baton list --state open --agent @react`
   */
  list(options?: ListOptions): Promise<HandoffPage>;
  /**
   * List what an agent can claim now, in claim order.
   *
   * The command: `baton ready @react`
   */
  ready(agent: string, options?: ReadyOptions): Promise<HandoffPage>;
  /**
   * Show a handoff with its input, result and facts.
   *
   * The command: `baton show hoff-0190…`
   */
  show(id: string, options?: ShowOptions): Promise<ShownHandoff>;
  /**
   * List the facts of a handoff, in order.
   *
   * The command: `baton facts hoff-0190… --json`
   */
  facts(id: string, options?: CallOptions): Promise<readonly FactView[]>;
  /**
   * Show the chain of a handoff, oldest leg first; legs that you may not read are left out.
   *
   * The command: `baton trace hoff-0190… --svg chain.svg`
   */
  trace(id: string, options?: CallOptions): Promise<readonly HandoffView[]>;
  /**
   * Wait until a handoff is settled, and show its result.
   *
   * The command: `baton wait hoff-0190… --timeout 60`
   */
  wait(id: string, options?: WaitRequest): Promise<WholeView>;
  /**
   * List the notifications of an agent and the work that waits for it, oldest first.
   *
   * The command: `baton inbox @react --clear`
   */
  inbox(agent: string, options?: InboxOptions): Promise<readonly JsonObject[]>;
  /**
   * Read handoff blocks and other handoff formats from text, and apply them. A block that was read before changes nothing. Each block has its own result; a refused block does not stop the others. A file without a block is read in any other known format.
   *
   * The command: `baton ingest 'summaries/*.md'`
   */
  ingest(options: IngestOptions): Promise<readonly IngestAnswer[]>;
  /**
   * Projects by phase: progress, time, open legs, order of tasks.
   *
   * The command: `baton workflow shop`
   */
  workflow(project?: string, options?: CallOptions): Promise<readonly JsonObject[]>;
  /**
   * Report on projects, for people and CI.
   *
   * The command: `baton report --ci --format junit -o baton.xml`
   */
  report(options?: ReportOptions): Promise<JsonObject>;
  /**
   * Send the same work on a schedule. Each occurrence is sent exactly once, by the process that has the duty: baton serve or any worker. Occurrences that are more than a minute late count as missed. Adding the same schedule again changes nothing.
   *
   * The command: `baton schedule add nightly --cron '0 2 * * *' --zone UTC --from @me --to @react --text 'Check the links'`
   */
  addSchedule(name: string, options: AddScheduleOptions): Promise<ScheduleView>;
  /**
   * List schedules with their next and their last occurrence. You see the schedules that send in your name or to you.
   *
   * The command: `baton schedule list`
   */
  schedules(options?: SchedulesOptions): Promise<readonly ScheduleView[]>;
  /**
   * Remove a schedule; the handoffs that it has sent stay.
   *
   * The command: `baton schedule remove nightly`
   */
  removeSchedule(name: string, options?: CallOptions): Promise<ScheduleView>;
  /**
   * Pause an agent: it gets no new work until it is resumed. Claims and workers of the agent wait, on every machine; work that it holds continues. A program that takes files from the queue folder on its own is not paused.
   *
   * The command: `baton pause @react --reason 'The API key is used up' --as operator`
   */
  pause(agent: string, options?: PauseOptions): Promise<PauseView>;
  /**
   * Resume a paused agent.
   *
   * The command: `baton resume @react --as operator`
   */
  resume(agent: string, options?: CallOptions): Promise<PauseView>;
  /**
   * List current and past pauses, with their author and reason. Current pauses come first, then the newest. Agents see only their own.
   *
   * The command: `baton pauses`
   */
  pauses(options?: PausesOptions): Promise<readonly PauseView[]>;
  /**
   * List notifications that could not be delivered, newest first, with the reason. A webhook is retried for three days with growing pauses, unless its receiver answers that it will never accept it.
   *
   * The command: `baton undelivered --as operator`
   */
  undelivered(options?: UndeliveredOptions): Promise<readonly UndeliveredView[]>;
  /**
   * Retry the delivery of an undelivered notification. The process that has the duty delivers it within a second or two.
   *
   * The command: `baton resend hoff-0190…:3:webhook:chat --as operator`
   */
  resend(key: string, options?: CallOptions): Promise<{ readonly key: string }>;
  /**
   * List artifacts by type, phase, agent or status. You see artifacts of handoffs that you may read, artifacts that were handed to you by name, and artifacts that belong to no handoff.
   *
   * The command: `baton artifact find --type react-components --phase 13`
   */
  findArtifacts(options?: FindArtifactsOptions): Promise<readonly ArtifactEntry[]>;
  /**
   * Show an artifact: its file, its dependencies, its dependents, and changes since its registration. You see artifacts of handoffs that you may read, artifacts that were handed to you by name, and artifacts that belong to no handoff.
   *
   * The command: `baton artifact show artifact-profile --json`
   */
  showArtifact(id: string, options?: CallOptions): Promise<ArtifactView>;
  /**
   * Register a file below artifacts/. Checks, in this order: the schema, the required artifacts, the generated files, the validation. An artifact
that passes is active. Any other stays `created`, with the reason; correct it and register it again.
   *
   * The command: `baton artifact register artifacts/phase-13-react/artifact-profile.json`
   */
  registerArtifact(path: string, options?: RegisterArtifactOptions): Promise<ArtifactEntry>;
  /**
   * Show artifacts that are old enough to archive or delete; with apply, do it. Only superseded and deprecated artifacts are archived, and only archived ones are deleted. A dependency of an artifact
in use is never deleted, and neither is a file that has changed since its registration.
   *
   * The command: `baton artifact clean --apply`
   */
  cleanArtifacts(options?: CleanArtifactsOptions): Promise<CleanedArtifacts>;
  /**
   * Archive finished handoffs and remove them from the database. Each archive is an export file with checksums: `audit --offline` checks it and `import` restores it. The archive is on disk before anything is removed, so a prune can be stopped, killed and repeated at any time. A chain is removed as a whole. Documents stay, and so do handoffs that an open handoff depends on. Pruning uses a tenth of the time, so that it does not slow down workers.
   *
   * The command: `baton prune --older-than 90d --dry-run`
   */
  prune(options?: PruneOptions): Promise<PrunedHandoffs>;
}
