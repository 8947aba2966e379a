import type { JsonObject } from '../../foundation/json.ts';
import type { PolicyRecord } from '../../stores/store.ts';
import { policyIn } from '../../workspace/policy.ts';

/** A version of the stored policy, in the format of `baton.yaml`. */
export function policyView(record: PolicyRecord): JsonObject {
  const storedAt = new Date(record.at).toISOString();
  return { version: record.version, storedAt, by: record.by, policy: policyIn(record) as JsonObject };
}
