/** Public keys with which agents sign their commits and moves. They are part of the stored policy. */
import { readSshKey } from '../foundation/ssh-key.ts';
import { readAgentId, type AgentId } from '../domain/names.ts';
import type { AgentKey, RegisteredKey } from '../engine/context.ts';
import type { PolicyRecord, Store } from '../stores/store.ts';
import { changePolicyExtras, storedIn } from './stored-policy.ts';

export interface KeyRecord extends RegisteredKey {
  readonly addedBy: string;
}

const KEYS_MAX = 1_000;

/** Keys that were stored before keys could be retired lack the field. */
type StoredKey = Omit<KeyRecord, 'fingerprint' | 'retiredAt'> & { readonly retiredAt?: number | null };

interface Stored {
  readonly keys: readonly StoredKey[];
}

export function keysIn(record: PolicyRecord | null): readonly KeyRecord[] {
  const { keys = [] } = storedIn<Stored>(record);
  return keys.flatMap(({ agent, text, addedAt, addedBy, revokedAt, retiredAt = null }) => {
    const [name, key] = [readAgentId(agent), readSshKey(text)];
    return name === null || key === null ? [] : [{ ...key, agent: name, addedAt, addedBy, revokedAt, retiredAt }];
  });
}

export function validKeys(record: PolicyRecord | null): readonly AgentKey[] {
  return keysIn(record).filter(isInUse);
}

function isInUse({ revokedAt, retiredAt }: KeyRecord): boolean {
  return revokedAt === null && retiredAt === null;
}

export type KeyProblem = 'not-a-key' | 'known-key' | 'no-such-key' | 'too-many' | 'contended';

/** A key belongs to one agent only: a signature with a shared key would prove neither agent. */
export function addKey(
  store: Pick<Store, 'policy' | 'nowMs'>,
  agent: AgentId,
  text: string,
  by: string,
): Promise<KeyRecord | KeyProblem> {
  const key = readSshKey(text);
  if (key === null) return Promise.resolve('not-a-key');
  return changeKeys(store, by, (keys) => {
    if (keys.some((each) => each.text === key.text)) return 'known-key';
    if (keys.length >= KEYS_MAX) return 'too-many';
    const added = { ...key, agent, addedAt: store.nowMs(), addedBy: by, revokedAt: null, retiredAt: null };
    return { keys: [...keys, added], changed: added };
  });
}

/** `retire`: the agent has replaced the key. `revoke`: the key may be stolen; a retired key can be revoked too. */
export function endKey(
  store: Pick<Store, 'policy' | 'nowMs'>,
  how: 'revoke' | 'retire',
  fingerprint: string,
  by: string,
): Promise<KeyRecord | KeyProblem> {
  return changeKeys(store, by, (keys) => {
    const found = keys.find((each) => each.fingerprint === fingerprint && each.revokedAt === null);
    if (found === undefined || (how === 'retire' && !isInUse(found))) return 'no-such-key';
    const changed = { ...found, [how === 'revoke' ? 'revokedAt' : 'retiredAt']: store.nowMs() };
    return { keys: keys.map((each) => (each === found ? changed : each)), changed };
  });
}

function changeKeys(
  store: Pick<Store, 'policy'>,
  by: string,
  change: (
    keys: readonly KeyRecord[],
  ) => KeyProblem | { readonly keys: readonly KeyRecord[]; readonly changed: KeyRecord },
): Promise<KeyRecord | KeyProblem> {
  return changePolicyExtras<KeyRecord | KeyProblem>(store, by, (record) => {
    const answer = change(keysIn(record));
    if (typeof answer === 'string') return { fields: null, answer };
    const keys = answer.keys.map(({ fingerprint: _, ...key }): StoredKey => key);
    return { fields: { keys } satisfies Stored, answer: answer.changed };
  });
}
