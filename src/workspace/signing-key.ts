/**
 * The private key with which the agent of this process signs its moves: a file that only its owner can read, named in
 * BATON_KEY_FILE. Nothing of it goes into the database.
 */
import { messageOf } from '../foundation/error-message.ts';
import { readFileSync, statSync } from 'node:fs';
import { err, ok, type Result } from '../foundation/result.ts';
import { readSshPrivateKey } from '../foundation/ssh-key.ts';
import type { Principal } from '../domain/principal.ts';
import type { WorkspaceRules } from '../engine/context.ts';

export interface KeyRefusal {
  readonly code: 'key-refused';
  readonly says: string;
}

const FOR_OTHERS = 0o077;
const FILE_BYTES_MAX = 64 * 1024;

/** The principal with its signer. A principal that is no agent, or a process without a key, signs nothing. */
export function withSigner(
  { keys }: Pick<WorkspaceRules, 'keys'>,
  principal: Principal,
  path: string | undefined = process.env['BATON_KEY_FILE'],
): Result<Principal, KeyRefusal> {
  if (path === undefined || path === '' || principal.kind !== 'agent') return ok(principal);
  const text = readKeyFile(path);
  if (!text.ok) return text;
  const key = readSshPrivateKey(text.value);
  if (key === 'encrypted') return refused(path, 'has a passphrase; make one without: ssh-keygen -t ed25519 -N ""');
  if (key === 'not-a-key') return refused(path, 'is not an Ed25519 key; make one with: ssh-keygen -t ed25519');
  const { agent } = principal;
  const owner = keys().find(({ fingerprint }) => fingerprint === key.fingerprint)?.agent;
  if (owner === agent) return ok({ ...principal, signer: { agent, fingerprint: key.fingerprint, sign: key.sign } });
  const whose = owner === undefined ? 'is not registered, or was ended' : `is one of @${owner}`;
  return refused(path, `${whose} (${key.fingerprint}); an operator registers it with: baton key add @${agent} KEY`);
}

/** Read once: a process signs as long as it runs, even if the file goes away. */
function readKeyFile(path: string): Result<string, KeyRefusal> {
  try {
    const { mode, size } = statSync(path);
    const isOpen = process.platform !== 'win32' && (mode & FOR_OTHERS) !== 0;
    if (isOpen) return refused(path, `can be read by others; run: chmod 600 ${JSON.stringify(path)}`);
    if (size > FILE_BYTES_MAX) return refused(path, 'is too large for a key');
    return ok(readFileSync(path, 'utf8'));
  } catch (error) {
    return refused(path, `cannot be read (${messageOf(error)})`);
  }
}

function refused(path: string, says: string): { readonly ok: false; readonly refusal: KeyRefusal } {
  return err({ code: 'key-refused', says: `the key in BATON_KEY_FILE (${path}) ${says}` });
}
