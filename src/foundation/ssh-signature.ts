/**
 * Commits signed by git with an SSH key (`gpg.format = ssh`), checked here against keys that are given: neither git's
 * configuration nor a file of the repository has a say. Only Ed25519: every SSH client makes such keys.
 *
 * The format is that of `PROTOCOL.sshsig` in OpenSSH.
 */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';

const KIND = 'ssh-ed25519';
const KEY_BYTES = 32;
const MAGIC = Buffer.from('SSHSIG');
const VERSION = 1;
const NAMESPACE = 'git';
const HASHES: ReadonlySet<string> = new Set(['sha256', 'sha512']);
const HEADER = 'gpgsig';
const SIGNATURE_MAX = 10_000;

export interface SshKey {
  /** `ssh-ed25519 AAAA…`, without the remark. */
  readonly text: string;
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
}

/** Null: not the public half of an Ed25519 key, as it stands in an `id_ed25519.pub`. */
export function readSshKey(text: string): SshKey | null {
  const [kind, blob] = text.trim().split(/\s+/);
  if (kind !== KIND || blob === undefined || !/^[A-Za-z0-9+/]+=*$/.test(blob)) return null;
  const bytes = Buffer.from(blob, 'base64');
  if (rawKeyIn(bytes) === null) return null;
  return { text: `${KIND} ${bytes.toString('base64')}`, fingerprint: fingerprintOf(bytes) };
}

/** Which of these keys has signed a commit, given as git stores it; null: none of them. */
export function signerOfCommit<Key extends SshKey>(commit: string, keys: readonly Key[]): Key | null {
  const { message, signature } = splitCommit(commit);
  const parts = signature === null ? null : readSignature(signature);
  if (parts === null) return null;
  const key = keys.find(({ text }) => text === `${KIND} ${parts.publicKey.toString('base64')}`);
  const raw = key === undefined ? null : rawKeyIn(parts.publicKey);
  if (key === undefined || raw === null) return null;
  const digest = createHash(parts.hash).update(message, 'utf8').digest();
  const signed = Buffer.concat([MAGIC, field(NAMESPACE), field(Buffer.alloc(0)), field(parts.hash), field(digest)]);
  return verify(null, signed, publicKeyOf(raw), parts.raw) ? key : null;
}

interface Signature {
  readonly publicKey: Buffer;
  readonly hash: string;
  readonly raw: Buffer;
}

/** What was signed is the commit without the header that holds the signature. */
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
  const [publicKey, namespace, reserved, hash, signature] = fieldsIn(bytes.subarray(MAGIC.length + 4));
  if (publicKey === undefined || reserved === undefined || signature === undefined) return null;
  if (namespace?.toString() !== NAMESPACE || hash === undefined || !HASHES.has(hash.toString())) return null;
  const [kind, raw] = fieldsIn(signature);
  return kind?.toString() === KIND && raw !== undefined ? { publicKey, hash: hash.toString(), raw } : null;
}

function rawKeyIn(blob: Buffer): Buffer | null {
  const [kind, raw, ...more] = fieldsIn(blob);
  return kind?.toString() === KIND && raw?.length === KEY_BYTES && more.length === 0 ? raw : null;
}

function publicKeyOf(raw: Buffer): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' });
}

function fingerprintOf(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** Each with its length before it. What does not fit ends the list. */
function fieldsIn(bytes: Buffer): readonly Buffer[] {
  const fields: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    if (at + 4 + length > bytes.length) return fields;
    fields.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}

function field(value: Buffer | string): Buffer {
  const bytes = Buffer.from(value as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
