/** `baton.yaml`: read once at the door; every complaint says file, line and column. */
import { readFileSync } from 'node:fs';
import { isMap, isNode, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import * as z from 'zod';
import type { AgentLimit, Limits } from '../domain/limits.ts';
import { AGENT_NAME_RULE, readAgentId, type AgentId } from '../domain/names.ts';

export interface Configuration {
  readonly project: string | null;
  readonly limits: Limits;
  readonly leaseMs: number | null;
}

export class ConfigurationProblem extends Error {
  override readonly name = 'ConfigurationProblem';
}

const BYTES_MAX = 256 * 1024;
const LimitCount = z.int().min(0).max(1_000_000).nullable().optional();
const LimitShape = z.strictObject({ outgoing: LimitCount, incoming: LimitCount });
const AgentShape = z.strictObject({ limits: LimitShape.optional() });
const Shape = z.strictObject({
  project: z.string().min(1).max(200).optional(),
  agents: z.record(z.string(), AgentShape.nullable()).optional(),
  limits: LimitShape.optional(),
  lease_seconds: z.number().min(1).max(3600).optional(),
});

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
  const read = Shape.safeParse(toPlain(document, path) ?? {});
  if (!read.success) {
    const complaints = read.error.issues.map((issue) => {
      const { line, col } = placeOf(document, lines, issue);
      return `${path}:${line}:${col}: ${[issue.path.join('.'), issue.message].filter(Boolean).join(': ')}`;
    });
    throw new ConfigurationProblem(complaints.join('\n'));
  }
  const { project, agents, limits, lease_seconds: leaseSeconds } = read.data;
  return {
    project: project ?? null,
    leaseMs: leaseSeconds === undefined ? null : leaseSeconds * 1000,
    limits: {
      everyone: limitOf(limits),
      agents: new Map(
        Object.entries(agents ?? {}).flatMap(([name, agent]): [AgentId, AgentLimit][] => {
          const id = readAgentId(name);
          if (id === null) {
            const { line, col } = placeOf(document, lines, { path: ['agents', name] });
            throw new ConfigurationProblem(`${path}:${line}:${col}: agents.${name}: ${AGENT_NAME_RULE}`);
          }
          return agent?.limits === undefined ? [] : [[id, limitOf(agent.limits)]];
        }),
      ),
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

function limitOf(limit: z.infer<typeof LimitShape> | undefined): AgentLimit {
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
