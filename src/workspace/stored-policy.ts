/**
 * The stored policy as it is in the database: the settings of a `baton.yaml`, and beside them what is in no file. Each
 * change is a version with author and time, and every process that uses the database follows it.
 */
import type { JsonText } from '../foundation/json.ts';
import type { PolicyRecord, Store } from '../stores/store.ts';

/** How often the write is retried when another process stores a version between our read and our write. */
const ROUNDS_MAX = 16;

interface Stored {
  /** The record holds keys or schemas but no settings: the next `baton.yaml` still becomes the first policy. */
  readonly withoutSettings?: true;
}

export function storedIn<Fields extends object>(record: PolicyRecord | null): Partial<Fields> {
  return record === null ? {} : (JSON.parse(record.policy) as Partial<Fields>);
}

export function isWithoutSettings(record: PolicyRecord): boolean {
  return storedIn<Stored>(record).withoutSettings === true;
}

/**
 * Changes the fields of the policy that are in no `baton.yaml` (keys, registered schemas), and returns the answer of `change`.
 * `change` runs again when another process has stored a version meanwhile; without fields nothing is stored.
 */
export async function changePolicyExtras<Answer>(
  { policy }: Pick<Store, 'policy'>,
  by: string,
  change: (record: PolicyRecord | null) => { readonly fields: object | null; readonly answer: Answer },
): Promise<Answer | 'contended'> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const record = await policy.current();
    const { fields, answer } = change(record);
    if (fields === null) return answer;
    const before: Stored = record === null ? { withoutSettings: true } : storedIn(record);
    const text = JSON.stringify({ ...before, ...fields }) as JsonText;
    if ((await policy.put(text, record?.version ?? 0, by)) !== null) return answer;
  }
  return 'contended';
}
