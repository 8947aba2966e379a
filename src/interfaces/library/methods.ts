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
  /** Who sends; with a token, the one that it belongs to. */
  readonly from: string;
  /** Who is to do it. */
  readonly to: string;
  /** What it needs (default: {}). */
  readonly input?: Json;
  /** What is wanted, in words: the input { "text": … }. */
  readonly text?: string;
  /** The name of a file in schemas/ that the input follows. */
  readonly schema?: string;
  /** What else the recipient has to know. */
  readonly context?: JsonObject;
  /** A line for people. */
  readonly title?: string;
  /** The task that it belongs to. */
  readonly task?: string;
  /** How urgent it is (default: normal). */
  readonly priority?: 'urgent' | 'high' | 'normal' | 'low';
  /** A message of the queue (default) or a governed document. */
  readonly kind?: 'queue' | 'document';
  /** Not offered before it is activated; documents are drafts by default. */
  readonly draft?: boolean;
  /** What has to be shown with evidence. */
  readonly deliverables?: readonly string[];
  /** What a verifier has to check. */
  readonly criteria?: readonly string[];
  /** Who has to agree that it is done, beside those that the workspace requires. */
  readonly verifiers?: readonly string[];
  /** The one command that counts as evidence; it has to pass. */
  readonly check?: string;
  /** Commits that are older, empty or on no branch count as evidence too. */
  readonly anyCommit?: boolean;
  /** Wait until these are completed. */
  readonly dependsOn?: readonly string[];
  /** When one of those does not succeed: wait for a retry of it (default), fail with it, or run all the same. */
  readonly onDependencyFailure?: 'wait' | 'fail' | 'run';
  /** Also wait for what does not exist yet or has not succeeded. */
  readonly allowUnknown?: boolean;
  /** The leg that this one follows from. */
  readonly parent?: string;
  /** Where a limit is reached, wait for a place instead of being refused. */
  readonly waitForCapacity?: boolean;
  /** For each attempt, from pick-up. In milliseconds. */
  readonly timeoutMs?: number;
  /** Not to be taken earlier. */
  readonly notBefore?: Date | string;
  /** Who gets it as a new handoff when it fails for good, is rejected or expires. */
  readonly onFailed?: string;
  /** What happens after a failed attempt (default: as baton.yaml says). */
  readonly retry?: {
    /** How many attempts after the first. From 0 to 100. */
    readonly max?: number;
    /** How long to wait before the second attempt. In milliseconds. */
    readonly delayMs?: number;
    /** By how much the wait grows with each attempt. From 1 to 100. */
    readonly multiplier?: number;
  };
  /** The same key and content again answers the same handoff, for 7 days. */
  readonly requestId?: string;
}

/** What `claim` takes. */
export interface ClaimOptions extends CallOptions {
  /** How long to wait for one to come (default: 0). In milliseconds. */
  readonly waitMs?: number;
  /** How long to keep it without a word (default: 900 seconds), at most as long as its attempt may take (queue: 300). In milliseconds. */
  readonly leaseMs?: number;
}

/** What `revise` takes. */
export interface ReviseOptions extends CallOptions {
  /** A line for people. */
  readonly title?: string;
  /** How urgent it is. */
  readonly priority?: 'urgent' | 'high' | 'normal' | 'low';
  /** What it needs, instead of all that it carried. */
  readonly input?: Json;
  /** Of a document: why it is wanted. */
  readonly purpose?: string;
  /** Of a document: what the recipient has to know. */
  readonly context?: string;
  /** What has to be shown with evidence, instead of those before. */
  readonly deliverables?: readonly string[];
  /** What a verifier has to check, instead of those before. */
  readonly criteria?: readonly string[];
  /** Who has to agree that it is done, beside those that the workspace requires. */
  readonly verifiers?: readonly string[];
}

/** What `accept` takes. */
export interface AcceptOptions extends CallOptions {
  /** A word for the sender. */
  readonly notes?: string;
  /** How long to keep it without a word (default: 900 seconds; documents: for ever), at most as long as its attempt may take. In milliseconds. */
  readonly leaseMs?: number;
}

/** What `reject` takes. */
export interface RejectOptions extends CallOptions {
  /** Why, as a category: skill_gap, unclear, capacity, … */
  readonly type: string;
  /** Why, in a sentence that the sender can act on. */
  readonly reason: string;
  /** The number of your acceptance, as claim or accept answered it; needed for what is held with a lease. From 1. */
  readonly fence?: number;
}

/** What `release` takes. */
export interface ReleaseOptions extends CallOptions {
  /** The number of your acceptance, as claim or accept answered it; needed for what is held with a lease. From 1. */
  readonly fence?: number;
}

/** What `renew` takes. */
export interface RenewOptions extends CallOptions {
  /** The number of your acceptance, as claim or accept answered it; needed for what is held with a lease. From 1. */
  readonly fence?: number;
  /** For how long, from now on (default: 900 seconds). In milliseconds. */
  readonly leaseMs?: number;
}

/** What `progress` takes. */
export interface ProgressOptions extends CallOptions {
  /** The number of your acceptance, as claim or accept answered it; needed for what is held with a lease. From 1. */
  readonly fence?: number;
  /** How much of it is done, from 0 to 1. From 0 to 1. */
  readonly fraction?: number;
  /** How far it is, in words. */
  readonly says?: string;
}

/** What `deliver` takes. */
export interface DeliverOptions extends CallOptions {
  /** The number of your acceptance, as claim or accept answered it; needed for what is held with a lease. From 1. */
  readonly fence?: number;
  /** The result. */
  readonly result?: Json;
  /** What is shown for the deliverables; kind is one of file, commit, command, shadow, url, note. */
  readonly evidence?: readonly (string | {
    /** Which of the deliverables. */
    readonly deliverable: string;
    /** What it is. */
    readonly kind: 'file' | 'commit' | 'command' | 'shadow' | 'url' | 'note';
    /** The path, the commit, the command, the address or the words. */
    readonly value: string;
  })[];
}

/** What `fail` takes. */
export interface FailOptions extends CallOptions {
  /** The number of your acceptance, as claim or accept answered it; needed for what is held with a lease. From 1. */
  readonly fence?: number;
  /** What kind of failure, such as PROCESSING_ERROR. */
  readonly code: string;
  /** What went wrong. */
  readonly message: string;
}

/** What `block` takes. */
export interface BlockOptions extends CallOptions {
  /** The number of your acceptance, as claim or accept answered it; needed for what is held with a lease. From 1. */
  readonly fence?: number;
  /** What has to be answered. */
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
    /** The criterion, or the beginning of one where that is the only one. */
    readonly criterion: string;
    /** How you know. */
    readonly says?: string;
  })[];
  /** It is not done, and why; without rework the handoff is rejected. */
  readonly refuse?: string;
  /** With refuse: the doer gets it back. */
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
  /** Somebody else than the first time. */
  readonly to?: string;
  /** The corrected input; without it, the same once more. */
  readonly input?: Json;
  /** For each attempt, from pick-up. In milliseconds. */
  readonly timeoutMs?: number;
  /** Where a limit is reached, wait for a place instead of being refused. */
  readonly waitForCapacity?: boolean;
  /** The same key and content again answers the same handoff, for 7 days. */
  readonly requestId?: string;
}

/** What `reassign` takes. */
export interface ReassignOptions extends CallOptions {
  /** Who is to do it instead. */
  readonly to?: string;
  /** How urgent it is from now on. */
  readonly priority?: 'urgent' | 'high' | 'normal' | 'low';
  /** Why. */
  readonly reason?: string;
}

/** What `erase` takes. */
export interface EraseOptions extends CallOptions {
  /** Why; it stays in the trail. */
  readonly reason?: string;
}

/** What `list` takes. */
export interface ListOptions extends CallOptions {
  /** Sent by or to this one. */
  readonly agent?: string;
  /** Sent by this one. */
  readonly from?: string;
  /** Sent to this one. */
  readonly to?: string;
  /** In this state; "open" is every one that is not final. */
  readonly state?: readonly ('draft' | 'offered' | 'blocked' | 'accepted' | 'delivered' | 'completed' | 'failed' | 'rejected' | 'expired' | 'cancelled' | 'open')[];
  /** Of this task. */
  readonly task?: string;
  /** Only messages of the queue, or only documents. */
  readonly kind?: 'queue' | 'document';
  /** Of this priority. */
  readonly priority?: readonly ('urgent' | 'high' | 'normal' | 'low')[];
  /** Made at this instant or later. */
  readonly createdSince?: Date | string;
  /** Made before this instant. */
  readonly createdBefore?: Date | string;
  /** With all these words, in any order, in title, task or input; or an id; @NAME stands for an agent. */
  readonly text?: string;
  /** Which come first (default: newest). */
  readonly sort?: 'newest' | 'oldest';
  /** How many. From 1 to 1000. @default 50 */
  readonly limit?: number;
  /** Go on where the last page ended. */
  readonly after?: string;
}

/** What `ready` takes. */
export interface ReadyOptions extends CallOptions {
  /** How many are looked at. From 1 to 1000. @default 100 */
  readonly limit?: number;
}

/** What `show` takes. */
export interface ShowOptions extends CallOptions {
  /** Wait this long for it to be settled; then it is shown as it is. In milliseconds. */
  readonly waitMs?: number;
}

/** What `wait` takes. */
export interface WaitRequest extends CallOptions {
  /** Give up after this long (default: never; over HTTP 30 seconds). In milliseconds. */
  readonly timeoutMs?: number;
}

/** What `inbox` takes. */
export interface InboxOptions extends CallOptions {
  /** Take what is shown as read. */
  readonly clear?: boolean;
  /** How many. From 1 to 10000. @default 100 */
  readonly limit?: number;
}

/** What `ingest` takes. */
export interface IngestOptions extends CallOptions {
  /** Markdown, YAML, JSON, or a transcript of JSON lines. */
  readonly text: string;
  /** The file that it was read from: together with its text, a block is taken once. */
  readonly file?: string;
  /** Or the session that wrote it, with its turn: then only blocks are read. */
  readonly session?: string;
  /** The turn of that session. */
  readonly turn?: string;
  /** For blocks that name none (default: that of baton.yaml). */
  readonly project?: string;
  /** Only say what would be taken. */
  readonly preview?: boolean;
  /** Take only blocks that are written exactly as specified. */
  readonly strict?: boolean;
  /** The number of your acceptance, as claim or accept answered it; needed for what is held with a lease. From 1. */
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
  /** At this distance, such as 15m, 2h or 1d; the first after as long. In milliseconds. */
  readonly everyMs?: number;
  /** At these times: minute, hour, day, month and day of the week, such as "0 9 * * 1-5". */
  readonly cron?: string;
  /** The time zone of --cron (default: that of this machine). */
  readonly zone?: string;
  /** What was due while nobody was there: one handoff for all of it (default), none, or all. */
  readonly missed?: 'once' | 'skip' | 'all';
}

/** What `schedules` takes. */
export interface SchedulesOptions extends CallOptions {
  /** How many are looked at. From 1 to 1000. @default 100 */
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
  /** The schema that the content follows, instead of the one that the file names. */
  readonly schema?: string;
  /** Deprecate these when the new one is active. */
  readonly supersedes?: readonly string[];
}

/** What `cleanArtifacts` takes. */
export interface CleanArtifactsOptions extends CallOptions {
  /** Do it; without, nothing is changed. */
  readonly apply?: boolean;
  /** Say that these should no longer be used; needs apply. */
  readonly deprecate?: readonly string[];
  /** Archive what has been deprecated for this long (default: 30). From 0 to 36500. */
  readonly deprecatedDays?: number;
  /** Delete what has been archived for this long (default: 90). From 0 to 36500. */
  readonly archivedDays?: number;
}

/** What `prune` takes. */
export interface PruneOptions extends CallOptions {
  /** What has been finished for at least this long, such as 90d (default: retention.days of baton.yaml). In milliseconds. */
  readonly olderThanMs?: number;
  /** Say what would go, and change nothing. */
  readonly dryRun?: boolean;
}

export interface Methods {
  /**
   * Offer work to an agent. When it is answered, the handoff survives a power cut. The same request id with the same content answers the same handoff.
   *
   * The command: `baton send --from @me --to @react --input '{"x":1}' --wait`
   */
  send(options: SendRequest): Promise<SentHandoff>;
  /**
   * Take the next handoff that is offered to you; the answer has its input and its fence. Whoever leaves while it waits takes nothing.
   *
   * The command: `baton claim @react --wait 60`
   */
  claim(agent: string, options?: ClaimOptions): Promise<WholeView | null>;
  /**
   * Change what a draft asks for, until it is activated. What is not named stays as it is. The trail keeps what stood there before, and the clock of the draft runs on. For another recipient there is `reassign`.
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
   * Take this handoff by hand; the answer has its fence.
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
   * Give a handoff back; the attempt does not count.
   *
   * The command: `baton release hoff-0190… --fence 1 --as @dev`
   */
  release(id: string, options?: ReleaseOptions): Promise<HandoffView>;
  /**
   * Keep a handoff for longer.
   *
   * The command: `baton renew hoff-0190… --fence 1 --as @dev`
   */
  renew(id: string, options?: RenewOptions): Promise<HandoffView>;
  /**
   * Tell how far a handoff is.
   *
   * The command: `baton progress hoff-0190… --fence 1 --fraction 0.5 --says 'tests pass' --as @dev`
   */
  progress(id: string, options?: ProgressOptions): Promise<HandoffView>;
  /**
   * Say that a handoff is done, with the result and evidence. Evidence is checked before anything is written.
   *
   * The command: `baton deliver hoff-0190… --fence 1 --evidence 'login page=file:src/login.tsx' --as @dev`
   */
  deliver(id: string, options?: DeliverOptions): Promise<HandoffView>;
  /**
   * Say that an attempt failed. The retry policy of the handoff decides whether there is another attempt.
   *
   * The command: `baton fail hoff-0190… --fence 1 --code PROCESSING_ERROR --message 'no disk' --as @dev`
   */
  fail(id: string, options: FailOptions): Promise<HandoffView>;
  /**
   * Stop a handoff until somebody has answered a question.
   *
   * The command: `baton block hoff-0190… --fence 1 --question 'which colour?' --as @dev`
   */
  block(id: string, options: BlockOptions): Promise<HandoffView>;
  /**
   * Let a blocked handoff go on, with an answer.
   *
   * The command: `baton unblock hoff-0190… --answer 'blue' --as @me`
   */
  unblock(id: string, options?: UnblockOptions): Promise<HandoffView>;
  /**
   * Agree that delivered work is done, or refuse it. Its evidence is checked a second time first.
   *
   * The command: `baton verify hoff-0190… --as @qa --check 'works on a phone=tried it'`
   */
  verify(id: string, options?: VerifyOptions): Promise<HandoffView>;
  /**
   * Send delivered work back to its doer.
   *
   * The command: `baton rework hoff-0190… --as @qa --reason 'does not work on a phone'`
   */
  rework(id: string, options: ReworkOptions): Promise<HandoffView>;
  /**
   * Say that a handoff is no longer wanted.
   *
   * The command: `baton cancel hoff-0190… --as @me`
   */
  cancel(id: string, options?: CancelOptions): Promise<HandoffView>;
  /**
   * Make a new handoff out of one that did not succeed.
   *
   * The command: `baton retry hoff-0190… --input fixed.json`
   */
  retry(id: string, options?: RetryOptions): Promise<SentHandoff>;
  /**
   * Give the same work to somebody else, or another priority. What was agreed never changes, so the handoff is cancelled and a new one takes its place in the chain, both or neither.
   *
   * The command: `baton reassign hoff-0190… --to @react --priority high --as @me`
   */
  reassign(id: string, options?: ReassignOptions): Promise<SentHandoff>;
  /**
   * Erase what a finished handoff told, and keep its trail. Title, input, context, result, evidence and the details of its facts are gone for good. Who did what when stays, with its hashes; a fact says who erased it, and seals what is left. Archives, exports, backups and git are not reached.
   *
   * The command: `baton erase hoff-0190… --reason 'holds personal data'`
   */
  erase(id: string, options?: EraseOptions): Promise<HandoffView>;
  /**
   * What is going on: what needs a person, who is at work, what waits for whom.
   *
   * The command: `baton status`
   */
  status(options?: CallOptions): Promise<StatusView>;
  /**
   * List handoffs, newest first. `next` of an answer goes on as `after`; `cursor` is where to begin with the events to miss nothing of the list.
   *
   * The command: `baton list --state open --agent @react`
   */
  list(options?: ListOptions): Promise<HandoffPage>;
  /**
   * What an agent can take now, in the order in which claim takes it.
   *
   * The command: `baton ready @react`
   */
  ready(agent: string, options?: ReadyOptions): Promise<HandoffPage>;
  /**
   * One handoff with what it carries and everything that happened to it.
   *
   * The command: `baton show hoff-0190…`
   */
  show(id: string, options?: ShowOptions): Promise<ShownHandoff>;
  /**
   * Everything that happened to a handoff, in order.
   *
   * The command: `baton facts hoff-0190… --json`
   */
  facts(id: string, options?: CallOptions): Promise<readonly FactView[]>;
  /**
   * The chain that a handoff belongs to, as far as you may read its legs, oldest first.
   *
   * The command: `baton trace hoff-0190… --svg chain.svg`
   */
  trace(id: string, options?: CallOptions): Promise<readonly HandoffView[]>;
  /**
   * Wait until a handoff is settled, and show it with its result.
   *
   * The command: `baton wait hoff-0190… --timeout 60`
   */
  wait(id: string, options?: WaitRequest): Promise<WholeView>;
  /**
   * What an agent has been told and has not put away, and the work that waits for it, oldest first.
   *
   * The command: `baton inbox @react --clear`
   */
  inbox(agent: string, options?: InboxOptions): Promise<readonly JsonObject[]>;
  /**
   * Read handoff blocks, and handoffs in other forms, and do what they say. A block that was read before changes nothing. Each block has its own answer; one that is refused holds up no other. A file without a block is read in whatever form it has.
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
   * A report on projects for people and pipelines.
   *
   * The command: `baton report --ci --format junit -o baton.xml`
   */
  report(options?: ReportOptions): Promise<JsonObject>;
  /**
   * Send the same work again and again. Each occurrence is sent exactly once, by whichever process has the duty: baton serve or any worker. Occurrences that are more than a minute late count as missed. The same schedule again changes nothing.
   *
   * The command: `baton schedule add nightly --cron '0 2 * * *' --zone UTC --from @me --to @react --text 'Check the links'`
   */
  addSchedule(name: string, options: AddScheduleOptions): Promise<ScheduleView>;
  /**
   * Schedules: what is sent when, when next, and what came of the last time. You see those that send in your name or to you.
   *
   * The command: `baton schedule list`
   */
  schedules(options?: SchedulesOptions): Promise<readonly ScheduleView[]>;
  /**
   * Take a schedule away; what it has sent stays.
   *
   * The command: `baton schedule remove nightly`
   */
  removeSchedule(name: string, options?: CallOptions): Promise<ScheduleView>;
  /**
   * Give an agent no new work until it is resumed. Claims and workers of the agent wait, on every machine; what it holds goes on. A program that takes files out of the queue folder by itself is not held back.
   *
   * The command: `baton pause @react --reason 'The API key is used up' --as operator`
   */
  pause(agent: string, options?: PauseOptions): Promise<PauseView>;
  /**
   * Give an agent that was paused work again.
   *
   * The command: `baton resume @react --as operator`
   */
  resume(agent: string, options?: CallOptions): Promise<PauseView>;
  /**
   * Who is paused and who was, by whom and why. Those that last come first, then the newest. You see your own.
   *
   * The command: `baton pauses`
   */
  pauses(options?: PausesOptions): Promise<readonly PauseView[]>;
  /**
   * Notifications that were given up, newest first, with the reason. A webhook is tried for three days, with growing pauses, unless its receiver says that it never takes it.
   *
   * The command: `baton undelivered --as operator`
   */
  undelivered(options?: UndeliveredOptions): Promise<readonly UndeliveredView[]>;
  /**
   * Try to deliver a notification again that was given up. Whichever process has the duty delivers it within a second or two.
   *
   * The command: `baton resend hoff-0190…:3:webhook:chat --as operator`
   */
  resend(key: string, options?: CallOptions): Promise<{ readonly key: string }>;
  /**
   * List artifacts by type, phase, agent or status. You see what came out of handoffs that you may read, what was handed on to you by name, and files that belong to no handoff.
   *
   * The command: `baton artifact find --type react-components --phase 13`
   */
  findArtifacts(options?: FindArtifactsOptions): Promise<readonly ArtifactEntry[]>;
  /**
   * One artifact: its file, what it requires, what requires it, and what has changed since it was registered. You see what came out of handoffs that you may read, what was handed on to you by name, and files that belong to no handoff.
   *
   * The command: `baton artifact show artifact-profile --json`
   */
  showArtifact(id: string, options?: CallOptions): Promise<ArtifactView>;
  /**
   * Bring a file below artifacts/ into the registry. Active is what passes, in this order: its schema, what it requires, its generated files, its validation.
What does not is kept as created, with the reason; register it again when that is mended.
   *
   * The command: `baton artifact register artifacts/phase-13-react/artifact-profile.json`
   */
  registerArtifact(path: string, options?: RegisterArtifactOptions): Promise<ArtifactEntry>;
  /**
   * Show what is old enough to go; with apply, let it go. Age alone ends nothing that is in use: only what was superseded or deprecated grows old. What something in use
requires, and a file that has changed since it was registered, is never deleted.
   *
   * The command: `baton artifact clean --apply`
   */
  cleanArtifacts(options?: CleanArtifactsOptions): Promise<CleanedArtifacts>;
  /**
   * Move finished handoffs to an archive and remove them from the database. Each archive is a file in the form of an export, with checksums: `audit --offline` checks it and `import` brings it back. It is on the disk before anything is removed, so a prune can be stopped, killed and repeated at any moment. A chain goes as a whole; what something open depends on stays, and documents stay. A tenth of the time is used, so that workers are not slowed down.
   *
   * The command: `baton prune --older-than 90d --dry-run`
   */
  prune(options?: PruneOptions): Promise<PrunedHandoffs>;
}
