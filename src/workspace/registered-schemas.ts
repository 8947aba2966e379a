/**
 * The schemas that workers registered for their agents. They are part of the stored policy: every process that uses the
 * database checks by them, and each change is a version with author and time.
 */
import { canonicalJson } from '../foundation/canonical-json.ts';
import type { JsonObject, JsonText } from '../foundation/json.ts';
import { readAgentId, type AgentId } from '../domain/names.ts';
import type { AgentSchemaPair } from '../engine/schema-registry.ts';
import type { PolicyRecord, Store } from '../stores/store.ts';

/** Every process reads all of them. */
const AGENTS_MAX = 1_000;
const SCHEMA_BYTES_MAX = 65_536;
/** How often another process may store a version between our read and our write. */
const ROUNDS_MAX = 16;

export type SchemasByAgent = ReadonlyMap<AgentId, AgentSchemaPair>;

interface Stored {
  readonly registeredSchemas?: Readonly<Record<string, AgentSchemaPair>>;
  /** A registration came before any policy: the next `baton.yaml` still becomes the first policy. */
  readonly withoutSettings?: true;
}

export function schemasIn(record: PolicyRecord | null): SchemasByAgent {
  const { registeredSchemas = {} } = storedIn(record);
  return new Map(
    Object.entries(registeredSchemas).flatMap(([name, pair]) => {
      const agent = readAgentId(name);
      return agent === null ? [] : [[agent, pair] as const];
    }),
  );
}

export function isWithoutSettings(record: PolicyRecord): boolean {
  return storedIn(record).withoutSettings === true;
}

/** Replaces the schemas of the agent; an empty pair removes them. Answers why it was not done, or null. */
export async function registerSchemas(
  { policy }: Pick<Store, 'policy'>,
  agent: AgentId,
  pair: AgentSchemaPair,
  by: string,
): Promise<string | null> {
  const tooLarge = Object.values<JsonObject | undefined>({ ...pair }).find(
    (schema) => Buffer.byteLength(JSON.stringify(schema ?? null)) > SCHEMA_BYTES_MAX,
  );
  if (tooLarge !== undefined) return `a schema is larger than ${SCHEMA_BYTES_MAX} bytes`;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const record = await policy.current();
    const { [agent]: before = {}, ...others } = storedIn(record).registeredSchemas ?? {};
    if (canonicalJson(before) === canonicalJson(pair)) return null;
    const isNothing = pair.input === undefined && pair.output === undefined;
    const registeredSchemas = isNothing ? others : { ...others, [agent]: pair };
    if (Object.keys(registeredSchemas).length > AGENTS_MAX) return `schemas of ${AGENTS_MAX} agents are registered`;
    const stored: Stored = record === null ? { withoutSettings: true } : storedIn(record);
    const text = JSON.stringify({ ...stored, registeredSchemas }) as JsonText;
    if ((await policy.put(text, record?.version ?? 0, by)) !== null) return null;
  }
  return 'other processes are changing the stored policy at the same time';
}

function storedIn(record: PolicyRecord | null): Stored {
  return record === null ? {} : (JSON.parse(record.policy) as Stored);
}
