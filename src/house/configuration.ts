/** `baton.yaml`: read once at the door; every complaint says file, line and column. */
import { readFileSync } from 'node:fs';
import { isMap, isNode, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import type { AgentLimit, Limits } from '../domain/limits.ts';
import type { Terms } from '../domain/handoff.ts';
import { AGENT_NAME_RULE, readAgentId, type AgentId } from '../domain/names.ts';
import type { Event } from '../domain/notices.ts';
import type { Role } from '../domain/principal.ts';
import { DEFAULT_RETRY } from '../domain/retry.ts';
import type { AgentSchemas } from '../engine/surroundings.ts';
import { ConfigurationShape, type ConfigurationText } from './configuration-shape.ts';

export interface Configuration {
  readonly project: string | null;
  readonly identity: 'local' | 'strict';
  readonly limits: Limits;
  readonly leaseMs: number | null;
  readonly roles: ReadonlyMap<AgentId, readonly Role[]>;
  readonly schemas: ReadonlyMap<AgentId, AgentSchemas>;
  readonly verifiers: readonly AgentId[];
  readonly queueTerms: Partial<Terms>;
  readonly documentTerms: Partial<Terms>;
  readonly evidence: { readonly commands: 'allowed' | 'refused'; readonly timeoutMs: number };
  readonly notifications: Notifications;
  /** Whether `handoffs/` is kept, so that programs that only know files take part. */
  readonly queueFolder: boolean;
}

export interface Notifications {
  readonly desktop: boolean;
  readonly webhooks: readonly Webhook[];
  readonly allowHosts: readonly string[];
}

interface Webhook {
  readonly url: string;
  readonly events: readonly Event[] | null;
  readonly secretEnv: string | null;
}

class ConfigurationProblem extends Error {
  override readonly name = 'ConfigurationProblem';
}

const BYTES_MAX = 256 * 1024;
const EVIDENCE_TIMEOUT_MS = 120_000;

export function readConfiguration(path: string): Configuration {
  return parseConfiguration(readFileSync(path, 'utf8'), path);
}

function parseConfiguration(text: string, path: string): Configuration {
  if (Buffer.byteLength(text) > BYTES_MAX) throw new ConfigurationProblem(`${path}: larger than ${BYTES_MAX} bytes`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new ConfigurationProblem(`${path}:${line}:${col}: ${error.message.split('\n', 1)[0]}`);
  }
  refuseAgentNames(document, lines, path);
  const read = ConfigurationShape.safeParse(toPlain(document, path) ?? {});
  if (!read.success) {
    const complaints = read.error.issues.map((issue) => {
      const { line, col } = placeOf(document, lines, issue);
      return `${path}:${line}:${col}: ${[issue.path.join('.'), issue.message].filter(Boolean).join(': ')}`;
    });
    throw new ConfigurationProblem(complaints.join('\n'));
  }
  return configurationOf(read.data, (at) => {
    const { line, col } = placeOf(document, lines, { path: at });
    return new ConfigurationProblem(`${path}:${line}:${col}: ${at.join('.')}: ${AGENT_NAME_RULE}`);
  });
}

function configurationOf(
  text: ConfigurationText,
  badName: (at: readonly PropertyKey[]) => ConfigurationProblem,
): Configuration {
  const agentNamed = (name: string, at: readonly PropertyKey[]): AgentId => {
    const id = readAgentId(name);
    if (id === null) throw badName(at);
    return id;
  };
  const agents = Object.entries(text.agents ?? {}).map(
    ([name, agent]) => [agentNamed(name, ['agents', name]), agent ?? {}] as const,
  );
  const { notifications, evidence, retry, clocks } = text;
  return {
    project: text.project ?? null,
    identity: text.identity ?? 'local',
    leaseMs: text.lease_seconds === undefined ? null : text.lease_seconds * 1000,
    limits: {
      everyone: limitOf(text.limits),
      agents: new Map(
        agents.flatMap(([id, { limits }]) => (limits === undefined ? [] : [[id, limitOf(limits)] as const])),
      ),
    },
    roles: new Map(agents.flatMap(([id, { roles }]) => (roles === undefined ? [] : [[id, roles] as const]))),
    schemas: new Map(
      agents.flatMap(([id, { schemas }]) =>
        schemas === undefined ? [] : [[id, { input: schemas.input ?? null, output: schemas.output ?? null }] as const],
      ),
    ),
    verifiers: (text.verifiers ?? []).map((name, index) => agentNamed(name, ['verifiers', index])),
    queueTerms: { ...clockTerms(clocks?.queue), ...retryTerms(retry) },
    documentTerms: clockTerms(clocks?.documents),
    evidence: {
      commands: evidence?.commands === 'allow' ? 'allowed' : 'refused',
      timeoutMs: evidence?.timeout_seconds === undefined ? EVIDENCE_TIMEOUT_MS : evidence.timeout_seconds * 1000,
    },
    queueFolder: text.folders?.queue === 'on',
    notifications: {
      desktop: notifications?.desktop ?? false,
      allowHosts: notifications?.allow_hosts ?? [],
      webhooks: (notifications?.webhooks ?? []).map(({ url, events, secret_env: secretEnv }) => ({
        url,
        events: events ?? null,
        secretEnv: secretEnv ?? null,
      })),
    },
  };
}

/** What is not said is not there: the terms of the house fill it in. */
function clockTerms(clock: NonNullable<ConfigurationText['clocks']>['queue']): Partial<Terms> {
  const given = {
    draftMs: clock?.draft_seconds,
    offeredMs: clock?.offered_seconds,
    blockedMs: clock?.blocked_seconds,
    attemptTimeoutMs: clock?.attempt_seconds,
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, seconds]) =>
      seconds === undefined ? [] : [[name, seconds === null ? null : seconds * 1000]],
    ),
  );
}

function retryTerms(retry: ConfigurationText['retry']): Partial<Terms> {
  if (retry === undefined) return {};
  return {
    retry: {
      retriesMax: retry.max_retries ?? DEFAULT_RETRY.retriesMax,
      delayMs: retry.delay_seconds === undefined ? DEFAULT_RETRY.delayMs : retry.delay_seconds * 1000,
      multiplier: retry.multiplier ?? DEFAULT_RETRY.multiplier,
      capMs: retry.cap_seconds === undefined ? DEFAULT_RETRY.capMs : retry.cap_seconds * 1000,
      retryOn: retry.retry_on ?? DEFAULT_RETRY.retryOn,
    },
  };
}

/** Looks at the text itself: as properties of an object, two spellings of one agent or `__proto__` would get lost. */
function refuseAgentNames(document: Document, lines: LineCounter, path: string): void {
  const agents = document.has('agents') ? document.get('agents', true) : null;
  const seen = new Set<AgentId>();
  for (const { key } of isMap(agents) ? agents.items : []) {
    const name = String(isScalar(key) ? key.value : key);
    const id = readAgentId(name);
    if (id !== null && !seen.has(id)) {
      seen.add(id);
      continue;
    }
    const { line, col } = lines.linePos((isNode(key) && key.range?.[0]) || 0);
    const says = id === null ? AGENT_NAME_RULE : `@${id} stands here twice`;
    throw new ConfigurationProblem(`${path}:${line}:${col}: agents.${name}: ${says}`);
  }
}

function limitOf(limit: ConfigurationText['limits']): AgentLimit {
  return { outgoingMax: limit?.outgoing ?? null, incomingMax: limit?.incoming ?? null };
}

function toPlain(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 }) as unknown;
  } catch (error) {
    throw new ConfigurationProblem(`${path}:1:1: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface Placed {
  readonly path: readonly PropertyKey[];
  readonly code?: string;
  readonly keys?: readonly string[];
}

/** Where the value stands, or the nearest thing around it; an unknown key where it stands itself. */
function placeOf(document: Document, lines: LineCounter, issue: Placed): { line: number; col: number } {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys?.[0] ?? ''] : [...issue.path];
  for (let depth = path.length; depth > 0; depth -= 1) {
    const place = path.slice(0, depth);
    const isKey = issue.code === 'unrecognized_keys' && depth === path.length;
    const node = isKey ? keyAt(document, place) : document.getIn(place, true);
    const range = isNode(node) ? node.range : null;
    if (range?.[0] !== undefined) return lines.linePos(range[0]);
  }
  return { line: 1, col: 1 };
}

function keyAt(document: Document, path: readonly PropertyKey[]): unknown {
  const around = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  return isMap(around) ? around.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))?.key : null;
}
