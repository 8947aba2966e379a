/** The schemas that workers registered for their agents. They are part of the stored policy: every process checks by them. */
import { canonicalJson } from '../foundation/canonical-json.ts';
import type { JsonObject } from '../foundation/json.ts';
import { readAgentId, type AgentId } from '../domain/names.ts';
import type { AgentSchemaPair } from '../engine/schema-registry.ts';
import type { PolicyRecord, Store } from '../stores/store.ts';
import { changePolicyExtras, storedIn } from './stored-policy.ts';

/** Every process reads all of them. */
const AGENTS_MAX = 1_000;
const SCHEMA_BYTES_MAX = 65_536;

export type SchemasByAgent = ReadonlyMap<AgentId, AgentSchemaPair>;

interface Stored {
  readonly registeredSchemas: Readonly<Record<string, AgentSchemaPair>>;
}

export function schemasIn(record: PolicyRecord | null): SchemasByAgent {
  const { registeredSchemas = {} } = storedIn<Stored>(record);
  return new Map(
    Object.entries(registeredSchemas).flatMap(([name, pair]) => {
      const agent = readAgentId(name);
      return agent === null ? [] : [[agent, pair] as const];
    }),
  );
}

/** Replaces the schemas of the agent; an empty pair removes them. Answers why it was not done, or null. */
export async function registerSchemas(
  store: Pick<Store, 'policy'>,
  agent: AgentId,
  pair: AgentSchemaPair,
  by: string,
): Promise<string | null> {
  const tooLarge = Object.values<JsonObject | undefined>({ ...pair }).find(
    (schema) => Buffer.byteLength(JSON.stringify(schema ?? null)) > SCHEMA_BYTES_MAX,
  );
  if (tooLarge !== undefined) return `a schema is larger than ${SCHEMA_BYTES_MAX} bytes`;
  const why = await changePolicyExtras<string | null>(store, by, (record) => {
    const { [agent]: before = {}, ...others } = storedIn<Stored>(record).registeredSchemas ?? {};
    if (canonicalJson(before) === canonicalJson(pair)) return { fields: null, answer: null };
    const isNothing = pair.input === undefined && pair.output === undefined;
    const registeredSchemas = isNothing ? others : { ...others, [agent]: pair };
    if (Object.keys(registeredSchemas).length > AGENTS_MAX) {
      return { fields: null, answer: `schemas of ${AGENTS_MAX} agents are registered` };
    }
    return { fields: { registeredSchemas } satisfies Stored, answer: null };
  });
  return why === 'contended' ? 'other processes are changing the stored policy at the same time' : why;
}
