/**
 * Verifies commits that git signed with an SSH key (`gpg.format = ssh`), against the given keys only: git's configuration
 * and the files of the repository have no influence.
 *
 * The format is that of `PROTOCOL.sshsig` in OpenSSH.
 */
import { createHash } from 'node:crypto';
import { isSignedBy, SSH_KEY_KIND, sshFieldsIn, type SshKey } from './ssh-key.ts';

const MAGIC = Buffer.from('SSHSIG');
const VERSION = 1;
const NAMESPACE = 'git';
const HASHES: ReadonlySet<string> = new Set(['sha256', 'sha512']);
const HEADER = 'gpgsig';
const SIGNATURE_MAX = 10_000;

/** Which of these keys signed a commit, given as git stores it; null: none of them. */
export function signerOfCommit<Key extends SshKey>(commit: string, keys: readonly Key[]): Key | null {
  const { message, signature } = splitCommit(commit);
  const parts = signature === null ? null : readSignature(signature);
  if (parts === null) return null;
  const key = keys.find(({ text }) => text === `${SSH_KEY_KIND} ${parts.publicKey.toString('base64')}`);
  if (key === undefined) return null;
  const digest = createHash(parts.hash).update(message, 'utf8').digest();
  const signed = Buffer.concat([MAGIC, field(NAMESPACE), field(Buffer.alloc(0)), field(parts.hash), field(digest)]);
  return isSignedBy(key, signed, parts.raw) ? key : null;
}

interface Signature {
  readonly publicKey: Buffer;
  readonly hash: string;
  readonly raw: Buffer;
}

/** The signed message is the commit without its signature header. */
function splitCommit(commit: string): { readonly message: string; readonly signature: string | null } {
  const end = commit.indexOf('\n\n');
  const lines = commit.slice(0, Math.max(end, 0)).split('\n');
  const at = lines.findIndex((line) => line.startsWith(`${HEADER} `));
  if (at < 0) return { message: commit, signature: null };
  let after = at + 1;
  while (lines[after]?.startsWith(' ') === true) after += 1;
  const signature = lines
    .slice(at, after)
    .map((line, index) => (index === 0 ? line.slice(HEADER.length + 1) : line.slice(1)))
    .join('\n');
  const rest = [...lines.slice(0, at), ...lines.slice(after)].join('\n');
  return { message: `${rest}${commit.slice(end)}`, signature };
}

function readSignature(armored: string): Signature | null {
  const [, blob] =
    /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----\n?$/.exec(armored) ?? [];
  if (blob === undefined || blob.length > SIGNATURE_MAX) return null;
  const bytes = Buffer.from(blob.replaceAll('\n', ''), 'base64');
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC) || bytes.length < MAGIC.length + 4) return null;
  if (bytes.readUInt32BE(MAGIC.length) !== VERSION) return null;
  const [publicKey, namespace, reserved, hash, signature] = sshFieldsIn(bytes.subarray(MAGIC.length + 4));
  if (publicKey === undefined || reserved === undefined || signature === undefined) return null;
  if (namespace?.toString() !== NAMESPACE || hash === undefined || !HASHES.has(hash.toString())) return null;
  const [kind, raw] = sshFieldsIn(signature);
  return kind?.toString() === SSH_KEY_KIND && raw !== undefined ? { publicKey, hash: hash.toString(), raw } : null;
}

function field(value: Buffer | string): Buffer {
  const bytes = Buffer.from(value as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
