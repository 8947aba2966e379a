/**
 * What holds for this process: the policy that is stored in the database, with the local settings of its own `baton.yaml`.
 * A database without a policy gets that of the first file, so that a single user never has to run `baton apply` first.
 */
import type { JsonText } from '../foundation/json.ts';
import { StoreFault, type PolicyRecord, type Store } from '../stores/store.ts';
import type { AgentSchemaPair } from '../engine/schema-registry.ts';
import type { AgentId } from '../domain/names.ts';
import { validKeys } from './agent-keys.ts';
import { registerSchemas, schemasIn } from './registered-schemas.ts';
import { isWithoutSettings, storedIn } from './stored-policy.ts';
import { differencesBetween, effectiveConfiguration, settingsOf, type Difference } from './configuration-settings.ts';
import type { ConfigurationText } from './configuration-shape.ts';
import { configurationOf, type Configuration } from './configuration-values.ts';

export type WorkspacePolicy = Awaited<ReturnType<typeof openPolicy>>;

/** The author of the first version. */
const FIRST_BY = 'system';

/** `file` is null where there is no `baton.yaml`. */
export async function openPolicy(store: Pick<Store, 'policy'>, file: ConfigurationText | null) {
  const policies = store.policy;
  const found = await policies.current();
  const isFirst = file !== null && (found === null || isWithoutSettings(found));
  let stored = isFirst ? await storeFirst(policies, file, found) : found;
  let configuration = configurationFrom(file, stored);
  let registeredSchemas = schemasIn(stored);
  const refresh = async (): Promise<boolean> => {
    const newest = await policies.current();
    if (newest === null || newest.version === stored?.version) return false;
    configuration = configurationFrom(file, newest);
    registeredSchemas = schemasIn(newest);
    stored = newest;
    return true;
  };
  const differences = (): readonly Difference[] =>
    file === null || stored === null ? [] : differencesBetween(policyIn(stored), file);
  return {
    /** What `baton.yaml` says; null where there is none. */
    file,
    /** Replaced when the stored policy changes. */
    get configuration() {
      return configuration;
    },
    /** 0: none is stored. */
    get version() {
      return stored?.version ?? 0;
    },
    /** Public keys of agents, without those that were revoked. */
    get keys() {
      return validKeys(stored);
    },
    /** From what is stored to what the file says. Empty where there is no file. */
    get differences() {
      return differences();
    },
    /** The differences in one line, with what to do; null where there are none. */
    get says() {
      const keys = differences().map(({ key }) => key);
      return stored === null || keys.length === 0 ? null : differencesText(stored.version, keys);
    },
    /** Schemas that workers registered for their agents. */
    get registeredSchemas() {
      return registeredSchemas;
    },
    /** Registers schemas for an agent; answers why it was not done, or null. */
    register: async (agent: AgentId, pair: AgentSchemaPair, by: string) => {
      const why = await registerSchemas(store, agent, pair, by);
      if (why === null) await refresh();
      return why;
    },
    /** Takes over a newer version; true: there was one. */
    refresh,
  };
}

const KEYS_NAMED_MAX = 10;

function differencesText(version: number, keys: readonly string[]): string {
  const more = keys.length > KEYS_NAMED_MAX ? ` and ${keys.length - KEYS_NAMED_MAX} more` : '';
  const named = `${keys.slice(0, KEYS_NAMED_MAX).join(', ')}${more}`;
  return (
    `baton.yaml differs from the stored policy (version ${version}) in ${named}; the stored policy holds. ` +
    'To store what baton.yaml says, run: baton apply'
  );
}

/** Null: it could not be written, and the file alone holds; reading works on a full disk, too. */
async function storeFirst(
  policies: Store['policy'],
  file: ConfigurationText,
  before: PolicyRecord | null,
): Promise<PolicyRecord | null> {
  try {
    const written = await policies.put(policyTextOf(file, before), before?.version ?? 0, FIRST_BY);
    return written ?? (await policies.current());
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    // It may have been written after all.
    return policies.current();
  }
}

function configurationFrom(file: ConfigurationText | null, stored: PolicyRecord | null): Configuration {
  if (stored === null) return configurationOf(file ?? {});
  try {
    return configurationOf(effectiveConfiguration(file ?? {}, policyIn(stored)));
  } catch (error) {
    throw new Error(`version ${stored.version} of the stored policy cannot be read; store another one: baton apply`, {
      cause: error,
    });
  }
}

export function policyIn({ policy }: PolicyRecord): ConfigurationText {
  return JSON.parse(policy) as ConfigurationText;
}

/** The settings of a file that are stored. Keys and registered schemas are in no file, and are kept. */
export function policyTextOf(file: ConfigurationText, before: PolicyRecord | null): JsonText {
  const { keys, registeredSchemas } = storedIn<Record<string, unknown>>(before);
  return JSON.stringify({ ...settingsOf(file, 'shared'), keys, registeredSchemas }) as JsonText;
}
