/** Everything that the engine needs from outside, passed in, so that a simulation can replace it. */
import type { JsonText } from '../foundation/json.ts';
import type { Clock, Timers } from '../foundation/clock.ts';
import type { ProcessIdentity, ProcessJudge } from '../foundation/process-identity.ts';
import type { Random } from '../foundation/random.ts';
import type { SshKey } from '../foundation/ssh-key.ts';
import type { Effect } from '../domain/decision.ts';
import type { Assurance } from '../domain/assurance.ts';
import type { Party } from '../domain/body.ts';
import type { ChainBudget } from '../domain/chain-budget.ts';
import type { Check } from '../domain/evidence.ts';
import type { Fact } from '../domain/facts.ts';
import type { Handoff, Kind, Terms } from '../domain/handoff.ts';
import type { AgentId, HandoffId, SessionId, TaskId } from '../domain/names.ts';
import type { Principal, Role } from '../domain/principal.ts';
import type { Refusal } from '../domain/refusals.ts';
import type { ArtifactFolder, HandoffArchive } from '../folders/folder.ts';
import type { EffectSender } from './effects.ts';
import type { HealthCheck as Finding } from './health-checks.ts';
import type { SecretPolicy } from './secrets/guard-store.ts';
import type { EvidenceChecker } from './evidence-checker.ts';
import type { HeartbeatFault } from './heartbeat-fault.ts';
import type { RegisteredSchemas, SchemaRegistry } from './schema-registry.ts';
import type { Claimed, RunningGroup, Store } from '../stores/store.ts';

export interface Context {
  readonly store: Store;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly liveness: Liveness;
  readonly heartbeat: Heartbeat;
  /** How long a worker session may be silent. */
  readonly leaseMs: number;
  readonly rules: WorkspaceRules;
  readonly report: (event: EngineEvent) => void;
}

/** What the workspace configures. */
export interface WorkspaceRules {
  /** The effects of a fact, written with it in one transaction; pure, like the decision it belongs to. */
  notificationsFor(handoff: Handoff, fact: Fact): readonly Effect[];
  /** The roles of an agent besides those of its token. */
  rolesOf(agent: AgentId): readonly Role[];
  /** The schemas that an agent's input and result follow when the request names none. */
  schemasOf(agent: AgentId): AgentSchemas;
  /** The phase and type of an agent; absent where they are not configured. */
  partyOf(agent: AgentId): Party;
  /** Who verifies documents, in order of preference. */
  readonly verifiers: readonly AgentId[];
  /** Terms that differ from the defaults. */
  readonly terms: Partial<Record<Kind, Partial<Terms>>>;
  /** What happens to texts that look like secrets. */
  readonly secrets: SecretPolicy;
  /** Null where there are no schemas. */
  readonly schemas: SchemaRegistry | null;
  /** The schemas that workers have registered; null where none can be registered. */
  readonly registered: RegisteredSchemas | null;
  /** What happens to a file that names a missing schema. */
  readonly missingSchema: 'warn' | 'refuse';
  readonly evidence: EvidenceChecker;
  readonly effectSenders: readonly EffectSender[];
  /** The queue folder, for programs that only use files; null where there is none. */
  readonly queue: QueueMirror | null;
  /** The files below `artifacts/` and `context/`; null where there is no workspace. */
  readonly artifacts: ArtifactFolder | null;
  /** Where removed handoffs go; null where there is no workspace. */
  readonly archive: HandoffArchive | null;
  /** The duty holder removes finished handoffs that are older. Null: never. */
  readonly retentionMs: number | null;
  /** The agents that are notified when a recipient lacks a skill, or when a chain keeps failing. */
  readonly chiefs: readonly AgentId[];
  /** The files in `tasks/`; null where they are not kept. */
  readonly tasks: TaskKeeper | null;
  /** The documents in a repository; null where there are none. */
  readonly documents: DocumentMirror | null;
  /** Public keys with which agents sign, without those that were revoked or retired. */
  keys(): readonly AgentKey[];
  /** What one chain may use before nothing is added to it. */
  readonly chainBudget: ChainBudget;
  /** The assurance that a completion needs for a report to be green. */
  readonly requiredAssurance: Assurance;
  /** The version of the stored policy in force; 0: none is stored. Facts that depend on the policy name it. */
  readonly policyVersion: number;
  /** The agents in whose name files of the queue folder may act. */
  fileRights(): FileRights;
  /** Loads a newer stored policy, for processes that run for long. */
  refresh(): Promise<void>;
}

export interface AgentKey extends SshKey {
  readonly agent: AgentId;
}

export interface RegisteredKey extends AgentKey {
  readonly addedAt: number;
  /** Null: not revoked. A revoked key may be stolen, so it proves nothing, whatever the date. */
  readonly revokedAt: number | null;
  /** Null: in use. Moves that were signed before stay proven. */
  readonly retiredAt: number | null;
}

/** `agent`: the only agent in whose name files act. Null: none. */
type FileRights = { readonly anybody: true } | { readonly anybody: false; readonly agent: AgentId | null };

/** Keeps the files in `tasks/` in step with the documents that were made for them. */
export interface TaskKeeper {
  /** Whether a document needs a task that has a file. */
  readonly isRequired: boolean;
  has(task: string): Promise<boolean>;
  /** After a change of a document. Never fails: what could not be written is written later. */
  reconcile(handoff: Handoff): Promise<void>;
  /** `reconcile` for the sender of effects. Returns why it has to wait, or null. */
  keep(task: string): Promise<string | null>;
  /** A new file with the next free number. */
  create(task: { readonly title: string; readonly owner: AgentId | null }): Promise<TaskId>;
}

/** Reconciles the documents of `_handoffs/` with the database. */
export interface DocumentMirror {
  /** The name of a new document: by sender, recipient, task and day, and not yet taken. */
  idFor(parts: Pick<Handoff, 'from' | 'to' | 'task'>, taken: ReadonlySet<HandoffId>): Promise<HandoffId>;
  /** Writes the state of the record into its file. Never fails: what could not be written is written later. */
  reconcile(id: HandoffId): Promise<void>;
  /** Imports commits that no pass has seen yet: of one document, or of all. Never fails. */
  catchUp(id?: HandoffId): Promise<void>;
  /**
   * Reconciles everything. `vouched`: an operator vouches for new files that are not committed. `asked`: a user requested
   * the pass; otherwise a file that equals its commit is changed only after a move.
   */
  sync(
    depth: SyncDepth,
    how?: PassOptions & { readonly vouched?: boolean; readonly asked?: boolean },
  ): Promise<SyncResult>;
  watch(changed: () => void): { close(): void };
  /** Imports documents that were settled before this database saw them, as settled. Nobody is notified. */
  adoptSettled(signal?: AbortSignal): Promise<{ readonly adopted: number }>;
  /** Writes `_index.yaml`. True: it was wrong before. */
  writeIndex(): Promise<boolean>;
  /** Documents with commits that are not imported yet: the one, or all. */
  unsynced(id?: HandoffId): Promise<readonly HandoffId[]>;
}

/** Reconciles the queue folder with the database. */
export interface QueueMirror {
  /** Puts the file of one handoff into the folder of its state. Never fails: what could not be moved is moved later. */
  reconcile(id: HandoffId, changed?: Changed): Promise<void>;
  /** Writes the file of a handoff that was just sent, without reading it again. */
  appear(sent: Claimed): Promise<void>;
  /** Called between the durable acceptance and the start of work. False: a foreign worker has moved the file first. */
  winRename(principal: Principal, handoff: Handoff, body?: JsonText): Promise<boolean>;
  /** Reconciles everything. */
  sync(depth: SyncDepth, how?: PassOptions): Promise<SyncResult>;
  /** Imports finished files that this database does not know, for users who have lost their database. */
  adoptFinished(signal?: AbortSignal): Promise<{ readonly adopted: number }>;
  /** For `baton doctor`; changes nothing. */
  examine(signal: AbortSignal): Promise<readonly Finding[]>;
  /** Calls back when files may have changed. */
  watch(changed: () => void): { close(): void };
}

/** What a change has written, so that nothing is read again. */
export interface Changed {
  readonly handoff: Handoff;
  /** The outcome that was written with the change. */
  readonly outcome: JsonText | undefined;
}

/**
 * `changes` follows facts and hints; `quick` also lists the folders of open work; `full` also asks what is open and has no
 * file; `thorough` reads every file of open work.
 */
export type SyncDepth = 'changes' | 'quick' | 'full' | 'thorough';

interface PassOptions {
  /** Aborted: no further file is begun, and the rest is left to the next pass. */
  readonly signal?: AbortSignal;
}

export interface SyncResult {
  /** How many handoffs were reconciled because something about them was new or inconsistent. */
  readonly reconciled: number;
}

export interface AgentSchemas {
  readonly input: string | null;
  readonly output: string | null;
}

export const NO_RULES: WorkspaceRules = {
  notificationsFor: () => [],
  rolesOf: () => [],
  schemasOf: () => ({ input: null, output: null }),
  partyOf: () => ({}),
  verifiers: [],
  terms: {},
  secrets: 'warn',
  schemas: null,
  registered: null,
  missingSchema: 'warn',
  evidence: {
    where: null,
    collect: async (asked) => ({ claims: [], checks: asked.map(({ deliverable }) => unchecked(deliverable)) }),
    check: async (claims) => claims.map(({ deliverable }) => unchecked(deliverable)),
    show: async () => [],
  },
  effectSenders: [],
  queue: null,
  artifacts: null,
  archive: null,
  retentionMs: null,
  chiefs: [],
  tasks: null,
  documents: null,
  keys: () => [],
  chainBudget: {},
  requiredAssurance: 'reported',
  policyVersion: 0,
  fileRights: () => ({ anybody: true }),
  refresh: async () => undefined,
};

function unchecked(deliverable: string): Check {
  return { deliverable, verdict: 'false', says: 'there is no workspace here in which evidence could be checked' };
}

/** Judges and ends other processes of this machine. */
export interface Liveness extends ProcessJudge {
  /** Whether the process exists and is stopped (Ctrl-Z, SIGSTOP). False where that is unknown. */
  isStopped(process: ProcessIdentity): boolean;
  /** Ends a command with all its children, and resolves when none is left. */
  endGroup(group: RunningGroup): Promise<void>;
}

/** Sends heartbeats for a session, however busy the event loop is. */
export interface Heartbeat {
  /** Resolves with the first heartbeat; throws a `HeartbeatFault` when heartbeats are impossible. */
  start(session: SessionId, listener: HeartbeatListener): Promise<{ stop(): Promise<void> }>;
}

/** Each is called at most once. */
export interface HeartbeatListener {
  /** Another process has ended the session. */
  lost(): void;
  /** No more heartbeats are sent. The session stays ours until its lease ends. */
  failed(fault: HeartbeatFault): void;
}

export interface FailedAttempt {
  readonly attempt: number;
  readonly code: string;
  readonly message: string;
  /** Null: there is no further attempt. */
  readonly againInMs: number | null;
}

/** Events for logs and terminals, never for decisions. */
export type EngineEvent =
  | { readonly kind: 'attempt-started'; readonly id: HandoffId; readonly attempt: number }
  | {
      readonly kind: 'attempt-settled';
      readonly id: HandoffId;
      readonly state: string;
      readonly failed?: FailedAttempt;
      /** Released until later; the attempt does not count. */
      readonly postponed?: { readonly reason: string; readonly inMs: number };
    }
  | { readonly kind: 'result-refused'; readonly id: HandoffId; readonly refusal: Refusal }
  | { readonly kind: 'session-lost'; readonly session: SessionId }
  | { readonly kind: 'handoff-recovered'; readonly id: HandoffId; readonly says: string }
  | { readonly kind: 'clock-jumped'; readonly byMs: number }
  /** An open transaction hides new facts from all followers of the feed. */
  | { readonly kind: 'feed-held'; readonly says: string; readonly todo: string }
  | { readonly kind: 'feed-free' }
  | { readonly kind: 'effect-postponed'; readonly key: string; readonly effect: string; readonly says: string }
  | { readonly kind: 'pruned'; readonly handoffs: number; readonly archives: readonly string[] }
  | { readonly kind: 'effect-dropped'; readonly key: string; readonly effect: string; readonly says: string }
  | { readonly kind: 'file-adopted'; readonly id: HandoffId; readonly place: string }
  /** The file was accepted although something about it is wrong. */
  | { readonly kind: 'file-warning'; readonly id: HandoffId; readonly place: string; readonly says: string }
  | { readonly kind: 'file-quarantined'; readonly name: string; readonly place: string; readonly says: string }
  /** Nobody but a person can put it right; the file stays as it is. */
  | { readonly kind: 'task-left'; readonly task: string; readonly says: string }
  /** An edit of a document was accepted. */
  | { readonly kind: 'document-adopted'; readonly id: HandoffId; readonly by: string; readonly says: string }
  /** An edit of a document was refused, and the file was restored. */
  | { readonly kind: 'document-refused'; readonly id: HandoffId; readonly says: string }
  /** Nobody but a person can put it right; the file stays as it is. */
  | { readonly kind: 'document-left'; readonly name: string; readonly says: string }
  /** The document was accepted, although an agent has more open now than its limit allows. */
  | { readonly kind: 'document-over-limit'; readonly id: HandoffId; readonly says: string }
  | { readonly kind: 'documents-paused'; readonly says: string }
  /** Only a report: a due date that was only hoped for ends nothing. */
  | { readonly kind: 'document-late'; readonly id: HandoffId; readonly says: string }
  /** From now on this process follows that version of the policy. */
  | { readonly kind: 'policy-changed'; readonly version: number }
  /** Nothing can be written; `says` tells why, and what cannot be seen. */
  | { readonly kind: 'store-read-only'; readonly says: string }
  /** The database makes this process wait; `says` names who holds its lock and what to do. */
  | { readonly kind: 'store-waiting'; readonly says: string }
  /** Never with the secret itself. */
  | {
      readonly kind: 'secret-found';
      readonly id: string;
      readonly rule: string;
      readonly field: string;
      readonly did: 'warned' | 'redacted' | 'refused';
    }
  /** Senders that use another program are not checked by it. */
  | { readonly kind: 'schema-not-registered'; readonly agent: string; readonly says: string }
  | { readonly kind: 'fault'; readonly doing: string; readonly error: unknown };
