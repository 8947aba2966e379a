import type { Clock } from '../../foundation/clock.ts';
import type { Policies } from '../store.ts';
import type { Tables } from './tables.ts';

export function openPolicies({ policies }: Tables, clock: Clock): Policies {
  return {
    current: async () => policies.at(-1) ?? null,
    async put(policy, expectedVersion, by) {
      if (policies.length !== expectedVersion) return null;
      const record = Object.freeze({ version: expectedVersion + 1, policy, by, at: clock.nowMs() });
      policies.push(record);
      return record;
    },
    history: async (max) => policies.toReversed().slice(0, max),
  };
}
