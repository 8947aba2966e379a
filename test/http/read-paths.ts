/**
 * Every way to read, over HTTP, with the command and with the library, and who sees a secret handoff there. The tests
 * compare these tables with the routes, commands and methods that exist: whoever adds one decides here who sees what.
 */

/** A handoff from @sender to @doer that @judge verifies; its title, task, input and result hold this word. */
export const SECRET = 'sesame';

/** In the token's or the configuration's name. `reviewer` has the role of a verifier; `other` is no party of it. */
export const PRINCIPALS = ['operator', 'sender', 'doer', 'judge', 'reviewer', 'other'] as const;
export type Reader = (typeof PRINCIPALS)[number];

/** Who sees it. */
const PARTIES: readonly Reader[] = ['operator', 'sender', 'doer', 'judge', 'reviewer'];
const OPERATOR_ONLY: readonly Reader[] = ['operator'];
const OWN_INBOX: readonly Reader[] = ['operator', 'doer'];
/** It holds nothing of any handoff. */
const NOBODY: readonly Reader[] = [];

export interface Ids {
  /** The secret one, settled. */
  readonly id: string;
  /** The root of its chain, from @other to @sender. */
  readonly root: string;
}

export interface HttpPath {
  readonly seenBy: readonly Reader[];
  readonly ask: (ids: Ids) => string;
  /** What makes it seen; without: that the answer holds the secret. */
  readonly shows?: 'answered' | RegExp;
}

const answered = (path: string, seenBy: readonly Reader[]): HttpPath => ({
  seenBy,
  ask: () => path,
  shows: 'answered',
});

/** By the path of the route. Those that are not only asked for, like the stream of events, have a test of their own. */
export const HTTP_PATHS: Readonly<Record<string, HttpPath>> = {
  '/api/handoffs': { seenBy: PARTIES, ask: () => `/api/handoffs?text=${SECRET}` },
  '/api/handoffs/{id}': { seenBy: PARTIES, ask: ({ id }) => `/api/handoffs/${id}` },
  '/api/handoffs/{id}/facts': { seenBy: PARTIES, ask: ({ id }) => `/api/handoffs/${id}/facts`, shows: 'answered' },
  // It is completed here, so nobody may verify it any more; test/browser/review.test.ts has one that is delivered.
  '/api/handoffs/{id}/evidence': {
    seenBy: OPERATOR_ONLY,
    ask: ({ id }) => `/api/handoffs/${id}/evidence`,
    shows: 'answered',
  },
  '/api/handoffs/{id}/chain': { seenBy: PARTIES, ask: ({ id }) => `/api/handoffs/${id}/chain` },
  '/api/handoffs/{id}/wait': { seenBy: PARTIES, ask: ({ id }) => `/api/handoffs/${id}/wait?seconds=0` },
  '/api/status': { seenBy: NOBODY, ask: () => '/api/status' },
  '/api/ready/{agent}': { seenBy: PARTIES, ask: () => '/api/ready/doer' },
  // There is no schedule here; test/engine/schedules.test.ts has those, and who sees them.
  '/api/schedules': { seenBy: NOBODY, ask: () => '/api/schedules' },
  // What is not the caller's is left out; test/http/operator-actions.test.ts has pauses and who sees them.
  '/api/pauses': { seenBy: NOBODY, ask: () => '/api/pauses' },
  '/api/policy': answered('/api/policy', OPERATOR_ONLY),
  '/api/undelivered': answered('/api/undelivered', OPERATOR_ONLY),
  '/api/inbox/{agent}': answered('/api/inbox/doer', OWN_INBOX),
  '/api/events': { seenBy: PARTIES, ask: () => '/api/events' },
  '/api/workflows': answered('/api/workflows', OPERATOR_ONLY),
  '/api/workflows/{project}': answered('/api/workflows/default', OPERATOR_ONLY),
  '/api/report': answered('/api/report', OPERATOR_ONLY),
  '/api/artifacts': { seenBy: PARTIES, ask: () => '/api/artifacts', shows: /"artifact_id":"page-1"/ },
  '/api/artifacts/{id}': { seenBy: PARTIES, ask: () => '/api/artifacts/page-1' },
  '/api/attention': { seenBy: NOBODY, ask: () => '/api/attention' },
  '/api/totals': { seenBy: PARTIES, ask: () => `/api/totals?text=${SECRET}`, shows: /"all":[1-9]/ },
  '/api/attempts': { seenBy: ['operator', 'doer', 'reviewer'], ask: () => '/api/attempts' },
  '/api/sessions': answered('/api/sessions', OPERATOR_ONLY),
  '/api/agents': { seenBy: PARTIES, ask: () => '/api/agents', shows: /@doer/ },
  // No agent of the test runs in a session; test/agents has those that do.
  '/api/agents/{id}': answered('/api/agents/1', NOBODY),
  '/api/metrics-summary': answered('/api/metrics-summary', OPERATOR_ONLY),
  '/api/quarantine': answered('/api/quarantine', OPERATOR_ONLY),
  '/api/session': { seenBy: NOBODY, ask: () => '/api/session' },
  '/api/tokens': answered('/api/tokens', OPERATOR_ONLY),
  '/api/token-log': answered('/api/token-log', OPERATOR_ONLY),
  '/healthz': { seenBy: NOBODY, ask: () => '/healthz' },
  '/metrics': answered('/metrics', OPERATOR_ONLY),
  '/openapi.json': { seenBy: NOBODY, ask: () => '/openapi.json' },
};

export interface CommandPath {
  readonly seenBy: readonly Reader[];
  readonly args?: (ids: Ids, scratch: string) => readonly string[];
  readonly options?: (scratch: string) => Readonly<Record<string, unknown>>;
  readonly shows?: 'answered' | RegExp;
}

/** `writes`: it shows nothing but what it changed. `local`: it shows what the user of this machine may read anyway. */
export const COMMANDS: Readonly<Record<string, CommandPath | 'writes' | 'local'>> = {
  init: 'writes',
  apply: 'writes',
  send: 'writes',
  create: 'writes',
  work: 'writes',
  claim: 'writes',
  wait: { seenBy: PARTIES, args: ({ id }) => [id], options: () => ({ timeout: '0' }) },
  demo: 'local',
  activate: 'writes',
  accept: 'writes',
  reject: 'writes',
  release: 'writes',
  renew: 'writes',
  progress: 'writes',
  deliver: 'writes',
  fail: 'writes',
  block: 'writes',
  unblock: 'writes',
  verify: 'writes',
  rework: 'writes',
  cancel: 'writes',
  retry: 'writes',
  reassign: 'writes',
  revise: 'writes',
  erase: 'writes',
  prune: 'writes',
  list: { seenBy: PARTIES },
  show: { seenBy: PARTIES, args: ({ id }) => [id] },
  facts: { seenBy: PARTIES, args: ({ id }) => [id], shows: 'answered' },
  trace: { seenBy: PARTIES, args: ({ id }) => [id] },
  status: { seenBy: NOBODY },
  ready: { seenBy: PARTIES, args: () => ['doer'] },
  tail: { seenBy: PARTIES, shows: /"by":"@doer"/ },
  'schedule add': 'writes',
  'schedule list': { seenBy: NOBODY },
  'schedule remove': 'writes',
  pause: 'writes',
  resume: 'writes',
  pauses: { seenBy: NOBODY },
  undelivered: { seenBy: OPERATOR_ONLY, shows: 'answered' },
  resend: 'writes',
  inbox: { seenBy: OWN_INBOX, args: () => ['doer'], shows: 'answered' },
  ingest: 'writes',
  hook: 'writes',
  workflow: { seenBy: OPERATOR_ONLY, shows: 'answered' },
  report: { seenBy: OPERATOR_ONLY, options: (scratch) => ({ output: scratch }), shows: 'answered' },
  'artifact register': 'writes',
  'artifact show': { seenBy: PARTIES, args: () => ['page-1'] },
  'artifact find': { seenBy: PARTIES, shows: /page-1/ },
  'artifact clean': 'writes',
  'agent start': 'writes',
  'agent stop': 'writes',
  'agent handoff': 'writes',
  'agent list': { seenBy: NOBODY },
  'agent show': { seenBy: NOBODY, args: () => ['1'] },
  setup: 'local',
  mcp: 'writes',
  check: 'local',
  index: 'writes',
  'task new': 'writes',
  migrate: 'local',
  sync: 'writes',
  doctor: 'local',
  'conformance queue': 'local',
  backup: { seenBy: OPERATOR_ONLY, args: (_, scratch) => [scratch], shows: 'answered' },
  export: { seenBy: OPERATOR_ONLY, args: (_, scratch) => [scratch], shows: 'answered' },
  import: 'writes',
  audit: { seenBy: OPERATOR_ONLY, shows: 'answered' },
  'key add': 'writes',
  'key list': { seenBy: OPERATOR_ONLY, shows: 'answered' },
  'key revoke': 'writes',
  'key retire': 'writes',
  'token new': 'writes',
  'token list': { seenBy: OPERATOR_ONLY, shows: 'answered' },
  'token revoke': 'writes',
  'token log': { seenBy: OPERATOR_ONLY, shows: 'answered' },
  'token recover': 'writes',
  'shadow test': 'writes',
  'shadow preflight': 'local',
  'shadow build-image': 'local',
  'shadow create': 'local',
  'shadow add-source': 'local',
  'shadow sync-source': 'local',
  'shadow exec': 'local',
  'shadow diff': 'local',
  'shadow extract': 'local',
  'shadow inject': 'local',
  'shadow list': 'local',
  'shadow status': 'local',
  'shadow destroy': 'local',
  serve: 'writes',
};

/** Who sees it with which method of the library; null: it shows nothing but what it changed. */
export const METHODS: Readonly<Record<string, readonly Reader[] | null>> = {
  send: null,
  sendMany: null,
  sendWithChildren: null,
  work: null,
  claim: null,
  activate: null,
  accept: null,
  reject: null,
  release: null,
  renew: null,
  progress: null,
  deliver: null,
  fail: null,
  block: null,
  unblock: null,
  verify: null,
  rework: null,
  cancel: null,
  retry: null,
  reassign: null,
  revise: null,
  erase: null,
  prune: null,
  ingest: null,
  addSchedule: null,
  removeSchedule: null,
  pause: null,
  resume: null,
  resend: null,
  registerArtifact: null,
  cleanArtifacts: null,
  close: null,
  wait: PARTIES,
  load: PARTIES,
  find: PARTIES,
  list: PARTIES,
  show: PARTIES,
  trace: PARTIES,
  facts: PARTIES,
  feed: PARTIES,
  status: NOBODY,
  ready: PARTIES,
  schedules: NOBODY,
  pauses: NOBODY,
  undelivered: OPERATOR_ONLY,
  inbox: OWN_INBOX,
  artifact: PARTIES,
  showArtifact: PARTIES,
  workflow: OPERATOR_ONLY,
  report: OPERATOR_ONLY,
  findArtifacts: PARTIES,
};
