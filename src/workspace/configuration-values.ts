/** The meaning of a valid configuration text: defaults, milliseconds, names of agents. */
import { defined } from '../foundation/defined.ts';
import { digestOf } from '../foundation/digest.ts';
import type { Assurance } from '../domain/assurance.ts';
import type { ChainBudget } from '../domain/chain-budget.ts';
import type { AgentLimit, Limits } from '../domain/limits.ts';
import type { Terms } from '../domain/handoff.ts';
import { AGENT_NAME_RULE, readAgentId, type AgentId } from '../domain/names.ts';
import type { Event } from '../domain/notices.ts';
import type { Role } from '../domain/principal.ts';
import { DEFAULT_RETRY } from '../domain/retry-policy.ts';
import type { Party } from '../domain/body.ts';
import { toMilliseconds } from '../formats/seconds.ts';
import { DEFAULT_TASK_PATTERN, readTaskPattern, type TaskPattern } from '../formats/task/names.ts';
import type { SecretPolicy } from '../engine/secrets/guard-store.ts';
import { DEFAULT_SERVER_LIMITS, type ServerLimits } from './server-limits.ts';
import type { AgentSchemas } from '../engine/context.ts';
import type { AgentText } from './configuration-settings.ts';
import type { ConfigurationText } from './configuration-shape.ts';
import type { CommandPolicy } from '../engine/evidence-checker.ts';
import type { SuccessionText } from './succession-settings.ts';
import type { ShadowText } from './shadow-settings.ts';

export interface Configuration {
  readonly project: string | null;
  readonly identity: 'local' | 'strict';
  readonly limits: Limits;
  readonly leaseMs: number | null;
  /** All agents that are named, with the command that serves them; null: none. */
  readonly agents: ReadonlyMap<AgentId, AgentCommand | null>;
  readonly roles: ReadonlyMap<AgentId, readonly Role[]>;
  readonly schemas: ReadonlyMap<AgentId, AgentSchemas>;
  readonly parties: ReadonlyMap<AgentId, Party>;
  readonly verifiers: readonly AgentId[];
  readonly chainBudget: ChainBudget;
  /** How far a completion has to be proven for a report to be green. */
  readonly requiredAssurance: Assurance;
  readonly queueTerms: Partial<Terms>;
  readonly documentTerms: Partial<Terms>;
  readonly evidence: { readonly commands: CommandPolicy; readonly timeoutMs: number };
  readonly secrets: SecretPolicy;
  readonly notifications: Notifications;
  /** Null: the defaults. */
  readonly server: ServerLimits | null;
  /** As it is written, like `succession`. */
  readonly shadow: ShadowText | null;
  readonly succession: SuccessionText | null;
  readonly wake: { readonly hooks: 'on' | 'off'; readonly typing: 'on' | 'off' };
  /** Whether `handoffs/` is kept. */
  readonly queueFolder: boolean;
  /** Under strict identity, the agent in whose name files of the queue folder act; null: none. */
  readonly queueAs: AgentId | null;
  /** For a file that names an absent schema. */
  readonly missingSchema: 'warn' | 'refuse';
  /** Users and groups whose files in the queue folder are read besides our own. */
  readonly queueTrusted: { readonly users: readonly number[]; readonly groups: readonly number[] };
  /** When finished files go to the archive; null: never. */
  readonly queueKeep: { readonly ageMs: number | null; readonly files: number | null };
  /** When finished handoffs leave the database (null: never), and the folder for them (null: the default). */
  readonly retention: { readonly ageMs: number | null; readonly archive: string | null };
  /** Null: files in `tasks/` are left alone. */
  readonly tasks: { readonly pattern: TaskPattern; readonly required: boolean } | null;
  readonly checkIgnore: readonly string[];
  /** Whether `_handoffs/` is kept. */
  readonly documentFolder: boolean;
}

interface AgentCommand {
  readonly command: readonly string[];
  readonly concurrency: number;
}

export interface Notifications {
  readonly desktop: boolean;
  readonly webhooks: readonly Webhook[];
  readonly allowHosts: readonly string[];
}

export interface Webhook {
  /** Its name in the outbox. */
  readonly name: string;
  readonly url: string;
  readonly events: readonly Event[] | null;
  readonly secretEnv: string | null;
}

const DAY_MS = 24 * 60 * 60_000;
const EVIDENCE_TIMEOUT_MS = 120_000;

export function configurationOf(
  text: ConfigurationText,
  badName: (at: readonly PropertyKey[]) => Error = (at) => new Error(`${at.join('.')}: ${AGENT_NAME_RULE}`),
): Configuration {
  const agentNamed = (name: string, at: readonly PropertyKey[]): AgentId => {
    const id = readAgentId(name);
    if (id === null) throw badName(at);
    return id;
  };
  const agents = Object.entries(text.agents ?? {}).map(
    ([name, agent]) => [agentNamed(name, ['agents', name]), agent ?? {}] as const,
  );
  /** One setting by agent, without agents that do not set it. */
  const settingsByAgent = <Setting>(of: (agent: AgentText) => Setting | undefined): ReadonlyMap<AgentId, Setting> => {
    const said = agents.map(([id, agent]) => [id, of(agent)] as const);
    return new Map(said.filter((each): each is readonly [AgentId, Setting] => each[1] !== undefined));
  };
  const { notifications, evidence, retry, clocks } = text;
  return {
    project: text.project ?? null,
    identity: text.identity ?? 'local',
    leaseMs: msOf(text.lease_seconds) ?? null,
    limits: {
      everyone: limitOf(text.limits),
      agents: settingsByAgent(({ limits }) => limits && limitOf(limits)),
    },
    agents: new Map(
      agents.map(([id, { command, concurrency }]) => [
        id,
        command === undefined ? null : { command, concurrency: concurrency ?? 1 },
      ]),
    ),
    roles: settingsByAgent(({ roles }) => roles),
    schemas: settingsByAgent(
      ({ schemas }) => schemas && { input: schemas.input ?? null, output: schemas.output ?? null },
    ),
    parties: settingsByAgent(({ phase, agent_type: agentType }) =>
      phase === undefined && agentType === undefined ? undefined : defined({ phase, agentType }),
    ),
    verifiers: (text.verifiers ?? []).map((name, index) => agentNamed(name, ['verifiers', index])),
    chainBudget: chainBudgetOf(text.chains),
    requiredAssurance: text.report?.assurance ?? ((text.verifiers ?? []).length > 0 ? 'verified' : 'unverified'),
    queueTerms: { ...clockTerms(clocks?.queue), ...retryTerms(retry) },
    documentTerms: clockTerms(clocks?.documents),
    evidence: {
      commands: commandPolicyOf(evidence?.commands),
      timeoutMs: msOf(evidence?.timeout_seconds) ?? EVIDENCE_TIMEOUT_MS,
    },
    shadow: text.shadow ?? null,
    succession: text.succession ?? null,
    wake: { hooks: text.wake?.hooks ?? 'on', typing: text.wake?.typing ?? 'off' },
    secrets: text.secrets ?? 'warn',
    server: text.server === undefined ? null : serverLimitsOf(text.server),
    queueFolder: text.folders?.queue === 'on',
    queueAs: text.folders?.queue_as === undefined ? null : agentNamed(text.folders.queue_as, ['folders', 'queue_as']),
    missingSchema: text.folders?.queue_missing_schema ?? 'warn',
    queueTrusted: { users: text.folders?.queue_users ?? [], groups: text.folders?.queue_groups ?? [] },
    queueKeep: {
      ageMs: text.folders?.queue_keep_days === undefined ? null : text.folders.queue_keep_days * DAY_MS,
      files: text.folders?.queue_keep_files ?? null,
    },
    retention: {
      ageMs: text.retention?.days === undefined ? null : text.retention.days * DAY_MS,
      archive: text.retention?.archive ?? null,
    },
    tasks: taskRulesOf(text.tasks, text.folders?.documents === 'on'),
    checkIgnore: (text.check?.ignore ?? []).map((path) => path.replace(/^\.\/|\/+$/g, '')),
    documentFolder: text.folders?.documents === 'on',
    notifications: {
      desktop: notifications?.desktop ?? false,
      allowHosts: notifications?.allow_hosts ?? [],
      webhooks: (notifications?.webhooks ?? []).map(({ name, url, events, secret_env: secretEnv }) => ({
        name: webhookName({ name, url, events }),
        url,
        events: events ?? null,
        secretEnv: secretEnv ?? null,
      })),
    },
  };
}

/** A webhook without a name gets one from its url and events, so that it has the same name in every process. */
export function webhookName({ name, url, events }: WebhookText): string {
  return name ?? `webhook-${digestOf(`${url} ${events?.join(' ') ?? ''}`).slice(0, 12)}`;
}

interface WebhookText {
  readonly name?: string | undefined;
  readonly url: string;
  readonly events?: readonly Event[] | undefined;
}

function serverLimitsOf(text: NonNullable<ConfigurationText['server']>): ServerLimits {
  const usual = DEFAULT_SERVER_LIMITS;
  return {
    connections: text.connections ?? usual.connections,
    connectionsPerAddress: text.connections_per_address ?? usual.connectionsPerAddress,
    waitsPerToken: text.waits_per_token ?? usual.waitsPerToken,
    waitsPerAddress: text.waits_per_address ?? usual.waitsPerAddress,
    streamsPerToken: text.streams_per_token ?? usual.streamsPerToken,
    streamsPerAddress: text.streams_per_address ?? usual.streamsPerAddress,
    requestsPerSecond: text.requests_per_second ?? usual.requestsPerSecond,
  };
}

function taskRulesOf(tasks: ConfigurationText['tasks'], byDefault: boolean): Configuration['tasks'] {
  const isKept = tasks?.keep === undefined ? byDefault : tasks.keep === 'on';
  if (!isKept) return null;
  return { pattern: readTaskPattern(tasks?.pattern ?? '') ?? DEFAULT_TASK_PATTERN, required: tasks?.required ?? false };
}

/** Only the clocks that are set; the defaults fill in the others. */
function clockTerms(clock: NonNullable<ConfigurationText['clocks']>['queue']): Partial<Terms> {
  return defined({
    draftMs: msOf(clock?.draft_seconds),
    offeredMs: msOf(clock?.offered_seconds),
    blockedMs: msOf(clock?.blocked_seconds),
    attemptTimeoutMs: msOf(clock?.attempt_seconds),
  });
}

/** A duration that is not set, or never ends, stays what it is. */
function msOf<Unset extends null | undefined>(seconds: number | Unset): number | Unset {
  return typeof seconds === 'number' ? toMilliseconds(seconds) : seconds;
}

function retryTerms(retry: ConfigurationText['retry']): Partial<Terms> {
  if (retry === undefined) return {};
  return {
    retry: {
      retriesMax: retry.max_retries ?? DEFAULT_RETRY.retriesMax,
      delayMs: msOf(retry.delay_seconds) ?? DEFAULT_RETRY.delayMs,
      multiplier: retry.multiplier ?? DEFAULT_RETRY.multiplier,
      capMs: msOf(retry.cap_seconds) ?? DEFAULT_RETRY.capMs,
      retryOn: retry.retry_on ?? DEFAULT_RETRY.retryOn,
    },
  };
}

function limitOf(limit: ConfigurationText['limits']): AgentLimit {
  return { outgoingMax: limit?.outgoing ?? null, incomingMax: limit?.incoming ?? null };
}

function commandPolicyOf(word: 'allow' | 'refuse' | 'sandbox' | undefined): CommandPolicy {
  if (word === 'allow') return 'allowed';
  if (word === 'refuse') return 'refused';
  return word === 'sandbox' ? 'sandbox' : 'sandbox-if-possible';
}

function chainBudgetOf({ cost_usd: cost, ...counts }: NonNullable<ConfigurationText['chains']> = {}): ChainBudget {
  return defined({ ...counts, cost });
}
