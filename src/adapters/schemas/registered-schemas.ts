/** Checks inputs and results by the schemas that workers have registered. */
import type { JsonObject } from '../../foundation/json.ts';
import { err, ok } from '../../foundation/result.ts';
import type { AgentSchemaPair, RegisteredSchemas } from '../../engine/schema-registry.ts';
import type { AgentId } from '../../domain/names.ts';
import type { CompiledSchema } from './open-schema-registry.ts';

export interface SchemaRegister {
  readonly registeredSchemas: ReadonlyMap<AgentId, AgentSchemaPair>;
  /** Answers why it was not done, or null. */
  register(agent: AgentId, pair: AgentSchemaPair, by: string): Promise<string | null>;
}

export function openRegisteredSchemas(policy: SchemaRegister): RegisteredSchemas {
  const compiled = new WeakMap<JsonObject, Promise<CompiledSchema | null>>();
  const compiledOf = (agent: AgentId, schema: JsonObject): Promise<CompiledSchema | null> => {
    const known = compiled.get(schema) ?? compile(agent, schema);
    compiled.set(schema, known);
    return known;
  };
  return {
    of: (agent) => policy.registeredSchemas.get(agent) ?? null,
    check: async (agent, what, value) => {
      const schema = policy.registeredSchemas.get(agent)?.[what];
      // One that cannot be used is no reason to refuse work: the worker itself checks too.
      const judge = schema === undefined ? null : await compiledOf(agent, schema);
      const judged = judge?.judge(value, what === 'input' ? 'input' : 'result') ?? ok(true);
      if (judged.ok || 'file' in judged.refusal) return ok(true);
      return err({ code: 'schema-violated', schema: nameOf(agent, what), ...judged.refusal });
    },
    register: async (agent, pair, by) => {
      const { linearSchema } = await import('./schema-compiler.ts');
      const usable: { -readonly [What in keyof AgentSchemaPair]: AgentSchemaPair[What] } = {};
      for (const what of ['input', 'output'] as const) {
        const given = pair[what];
        if (given === undefined) continue;
        const schema = linearSchema(given);
        if ((await compile(agent, schema)) === null) return `the ${what} schema cannot be used by others`;
        usable[what] = schema;
      }
      return policy.register(agent, usable, by);
    },
  };
}

/** Files have no such name: `schemas/` takes no `@`. */
function nameOf(agent: AgentId, what: 'input' | 'output'): string {
  return `@${agent}.${what}`;
}

async function compile(agent: AgentId, schema: JsonObject): Promise<CompiledSchema | null> {
  const { compileGiven } = await import('./schema-compiler.ts');
  const answer = compileGiven(agent, schema);
  return answer.ok ? answer.value : null;
}
