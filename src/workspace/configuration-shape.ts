/** What may stand in `baton.yaml`. The published JSON Schema is made from this. */
import * as z from 'zod';
import { ASSURANCES } from '../domain/assurance.ts';
import { EVENTS } from '../domain/notices.ts';
import { WEEK_SECONDS } from '../domain/record-values.ts';
import { RETRIES_MAX } from '../domain/retry-policy.ts';
import { webhookName } from './configuration-values.ts';
import { SECRET_POLICIES } from '../engine/secrets/guard-store.ts';
import { secondsShape } from '../formats/seconds-shape.ts';
import { readTaskPattern, TASK_PATTERN_RULE } from '../formats/task/names.ts';
import { SuccessionShape, WakeShape } from './succession-settings.ts';
import { ShadowShape } from './shadow-settings.ts';
import { optionalFields } from './optional-fields.ts';

/** As `id` prints it. */
const UserNumber = z.int().min(0).max(4_294_967_295);
/** YAML 1.1 readers turn these words into booleans. */
const OnOrOff = z.preprocess(
  (given) => (given === true ? 'on' : given === false ? 'off' : given),
  z.enum(['on', 'off']),
);

const LimitCount = z.int().min(0).max(1_000_000).nullable();
const LimitShape = optionalFields({ outgoing: LimitCount, incoming: LimitCount }).describe(
  'How many handoffs may be open at once; null or absent is no limit.',
);

const AgentName = z.string().min(1).max(65);
const SchemaName = z.string().min(1).max(128);

const AgentShape = optionalFields({
  limits: LimitShape,
  roles: z
    .array(z.enum(['verifier', 'chief']))
    .describe('verifier: may verify what it neither sent nor did. chief: is told of rejections for want of a skill.'),
  schemas: optionalFields({ input: SchemaName, output: SchemaName }).describe(
    'Names of files in schemas/ that its input and its answer follow.',
  ),
  phase: z
    .number()
    .min(0)
    .max(1_000)
    .describe('Its place in the order of phases; its artifacts lie in artifacts/phase-NN-agent/.'),
  agent_type: z.string().min(1).max(200).describe('Such as orchestrator or specialist.'),
  command: z
    .array(z.string().min(1).max(4_000))
    .min(1)
    .max(100)
    .describe('What baton serve runs on everything offered to it, as baton work does: program and arguments.'),
  concurrency: z.int().min(1).max(1_000).describe('How many of these commands at a time; default 1.'),
});

const Seconds = secondsShape(1, WEEK_SECONDS);
const SecondsOrNever = Seconds.nullable();

const ClockShape = optionalFields({
  draft_seconds: SecondsOrNever,
  offered_seconds: SecondsOrNever,
  blocked_seconds: SecondsOrNever,
  attempt_seconds: SecondsOrNever,
});

const RetryShape = optionalFields({
  max_retries: z.int().min(0).max(RETRIES_MAX),
  delay_seconds: secondsShape(0, WEEK_SECONDS),
  multiplier: z.number().min(1).max(100),
  cap_seconds: secondsShape(0, WEEK_SECONDS),
  retry_on: z.array(z.string().min(1).max(128)).max(100),
});

const WebhookShape = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'letters, digits, dots, dashes and underscores, at most 64')
    .optional()
    .describe('What deliveries that wait call this target; default: made from url and events.'),
  url: z.url({ protocol: /^https?$/ }).max(2_000),
  events: z.array(z.enum(EVENTS)).min(1).optional().describe('Which events; absent is all of them.'),
  secret_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of a variable: letters, digits and underscores')
    .optional()
    .describe(
      'The environment variable that holds the secret which signs each delivery. The database has its name, never its value; ' +
        'a process in which it is not set leaves the delivery to another process.',
    ),
});

const NotificationShape = optionalFields({
  desktop: z.boolean(),
  webhooks: z
    .array(WebhookShape)
    .max(50)
    .refine(
      (hooks) => new Set(hooks.map(webhookName)).size === hooks.length,
      'two webhooks have the same name (or the same url and events): give each a name of its own',
    ),
  allow_hosts: z
    .array(
      z
        .string()
        .min(1)
        .max(300)
        .regex(/^[A-Za-z0-9.:/[\]-]+$/, 'a host, an address or a range like 10.0.0.0/8'),
    )
    .max(100)
    .describe('Hosts of private networks that webhooks may reach; by default none.'),
});

const ServerShape = optionalFields({
  connections: z.int().min(8).max(100_000).describe('Open connections in all; default 1024.'),
  connections_per_address: z.int().min(1).max(100_000).describe('From one address; default 512.'),
  waits_per_token: z.int().min(1).max(100_000).describe('Waiting requests of one token; default 64.'),
  waits_per_address: z.int().min(1).max(100_000).describe('From one address; default 256.'),
  streams_per_token: z.int().min(1).max(100_000).describe('Event streams of one token; default 64.'),
  streams_per_address: z.int().min(1).max(100_000).describe('From one address; default 256.'),
  requests_per_second: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe('Of one token, with bursts of five seconds; default 200.'),
}).describe('Limits of baton serve. /healthz and operators are answered beyond those on connections and addresses.');

export const ConfigurationShape = optionalFields({
  project: z.string().min(1).max(200),
  me: AgentName.describe('Who sends here when nothing else is said: the default of --from.'),
  database: z
    .string()
    .min(1)
    .max(2_000)
    .describe(
      'postgres://… or the path of a SQLite file, from this folder; ${NAME} is a variable of the environment. Default: .baton/.',
    ),
  identity: z
    .enum(['local', 'strict'])
    .describe('strict: whoever moves a handoff needs a token in BATON_TOKEN. local: --as is believed.'),
  agents: z.record(z.string(), AgentShape.nullable()),
  limits: LimitShape.describe('For agents without limits of their own; counts documents only.'),
  verifiers: z.array(AgentName).max(50).describe('Who verifies documents, in order of preference.'),
  lease_seconds: secondsShape(1, 3600).describe('A worker that has been silent for this long has lost what it holds.'),
  retry: RetryShape,
  clocks: optionalFields({ queue: ClockShape, documents: ClockShape }),
  chains: optionalFields({
    hops: z.int().min(0).max(16).describe('Legs between the root and the newest; never more than 16.'),
    handoffs: z.int().min(1).max(1_000_000),
    attempts: z.int().min(1).max(1_000_000),
    minutes: z.number().min(0.1).max(10_000_000).describe('Minutes in which agents held them.'),
    cost_usd: z.number().min(0.01).max(10_000_000).describe('As agents report it.'),
  }).describe('What one chain of handoffs may use before nothing is added to it; absent is no limit.'),
  evidence: optionalFields({ commands: z.enum(['sandbox', 'allow', 'refuse']), timeout_seconds: Seconds }).describe(
    'Where commands given as evidence are run: in a sandbox (the default where podman or docker is installed), on this host, or not at all.',
  ),
  report: optionalFields({ assurance: z.enum(ASSURANCES) }).describe(
    'assurance: how far a completion has to be proven for `baton report --ci` to be green; default verified, or unverified where there are no verifiers.',
  ),
  secrets: z
    .enum(SECRET_POLICIES)
    .describe('What happens with a text that looks like a key, a token or a password; default warn.'),
  notifications: NotificationShape,
  server: ServerShape,
  shadow: ShadowShape,
  succession: SuccessionShape,
  wake: WakeShape,
  folders: optionalFields({
    queue: OnOrOff,
    documents: OnOrOff,
    queue_as: AgentName,
    queue_missing_schema: z.enum(['warn', 'refuse']),
    queue_users: z.array(UserNumber).max(100),
    queue_groups: z.array(UserNumber).max(100),
    queue_keep_days: z.number().positive().max(36_500),
    queue_keep_files: z.int().min(0).max(10_000_000),
  }).describe(
    'queue: on keeps handoffs/, where programs that only know files take part. documents: on keeps _handoffs/, where documents are markdown in a repository. queue_as: under identity: strict, the one agent in whose name files of the queue folder act. ' +
      'queue_missing_schema: what becomes of a file that names a schema which is not there (warn, or refuse; default warn). queue_users, queue_groups: numbers of other users and groups whose files are read, such as those of containers. queue_keep_days, queue_keep_files: finished files that are older, or more than so many in one folder, are moved to handoffs/archive/ (default: never).',
  ),
  retention: optionalFields({
    days: z.number().positive().max(36_500),
    archive: z.string().min(1).max(1_000),
  }).describe(
    'days: finished handoffs that are older are moved to an archive by baton serve or a worker (default: never). archive: the folder for it (default: .baton/archive).',
  ),
  tasks: optionalFields({
    keep: OnOrOff,
    pattern: z
      .string()
      .max(64)
      .refine((text) => readTaskPattern(text) !== null, TASK_PATTERN_RULE),
    required: z.boolean(),
  }).describe(
    'The files in tasks/. keep: their status follows the documents (as folders.documents says, unless said here). ' +
      'pattern: their names, such as BPRD-YYYY-NNNN. required: a document whose task has no file is refused.',
  ),
  check: optionalFields({ ignore: z.array(z.string().min(1).max(500)).max(200) }).describe(
    'ignore: folders and files of the workspace that baton check leaves alone.',
  ),
});

export type ConfigurationText = z.infer<typeof ConfigurationShape>;
