/**
 * What holds for this process: the policy that is stored in the database, together with the local settings of its own
 * `baton.yaml`. A database without a policy gets the one at hand, so that whoever works alone never has to think of it.
 */
import type { JsonText } from '../foundation/json.ts';
import { StoreFault, type PolicyRecord, type Store } from '../stores/store.ts';
import type { AgentKey } from '../engine/context.ts';
import { goodKeys, withKeys, type KeyRecord } from './agent-keys.ts';
import { differencesBetween, inForce, settingsOf, type Difference } from './configuration-settings.ts';
import type { ConfigurationText } from './configuration-shape.ts';
import { configurationOf, type Configuration } from './configuration-values.ts';

export interface WorkspacePolicy {
  /** What `baton.yaml` says; null where there is none. */
  readonly file: ConfigurationText | null;
  /** As it is now; another one after the stored policy has changed. */
  readonly configuration: Configuration;
  /** 0: none is stored. */
  readonly version: number;
  /** Public keys of agents, without those that were revoked. */
  readonly keys: readonly AgentKey[];
  /** From what is stored to what the file says. Empty where there is no file. */
  readonly differences: readonly Difference[];
  /** The differences in one line, with what to do; null where there are none. */
  readonly says: string | null;
  /** Takes over a version that was stored meanwhile. True: there was one. */
  refresh(): Promise<boolean>;
}

/** Who stores the first version without having been asked. */
const FIRST_BY = 'system';

/** `file` is null where there is no `baton.yaml`. */
export async function openPolicy(
  { policy: policies }: Pick<Store, 'policy'>,
  file: ConfigurationText | null,
): Promise<WorkspacePolicy> {
  let stored = (await policies.current()) ?? (file === null ? null : await storeFirst(policies, file));
  let configuration = configurationFrom(file, stored);
  const differences = (): readonly Difference[] =>
    file === null || stored === null ? [] : differencesBetween(policyIn(stored), file);
  return {
    file,
    get configuration() {
      return configuration;
    },
    get version() {
      return stored?.version ?? 0;
    },
    get keys() {
      return goodKeys(stored);
    },
    get differences() {
      return differences();
    },
    get says() {
      const keys = differences().map(({ key }) => key);
      return stored === null || keys.length === 0 ? null : wordsFor(stored.version, keys);
    },
    refresh: async () => {
      const newest = await policies.current();
      if (newest === null || newest.version === stored?.version) return false;
      configuration = configurationFrom(file, newest);
      stored = newest;
      return true;
    },
  };
}

const KEYS_SAID_MAX = 10;

function wordsFor(version: number, keys: readonly string[]): string {
  const more = keys.length > KEYS_SAID_MAX ? ` and ${keys.length - KEYS_SAID_MAX} more` : '';
  const named = `${keys.slice(0, KEYS_SAID_MAX).join(', ')}${more}`;
  return (
    `baton.yaml differs from the stored policy (version ${version}) in ${named}; the stored policy holds. ` +
    'To store what baton.yaml says, run: baton apply'
  );
}

/** Null: it could not be written, and the file alone holds. Whoever only looks at a full disk should still see. */
async function storeFirst(policies: Store['policy'], file: ConfigurationText): Promise<PolicyRecord | null> {
  try {
    const written = await policies.put(policyTextOf(file), 0, FIRST_BY);
    return written ?? (await policies.current());
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    // Where it is not known whether it was written, looking tells.
    return policies.current();
  }
}

function configurationFrom(file: ConfigurationText | null, stored: PolicyRecord | null): Configuration {
  if (stored === null) return configurationOf(file ?? {});
  try {
    return configurationOf(inForce(file ?? {}, policyIn(stored)));
  } catch (error) {
    throw new Error(`version ${stored.version} of the stored policy cannot be read; store another one: baton apply`, {
      cause: error,
    });
  }
}

export function policyIn({ policy }: PolicyRecord): ConfigurationText {
  return JSON.parse(policy) as ConfigurationText;
}

/** What of a file is stored; keys are no part of any file, and stay. */
export function policyTextOf(file: ConfigurationText, keys: readonly KeyRecord[] = []): JsonText {
  return withKeys(settingsOf(file, 'shared'), keys);
}
