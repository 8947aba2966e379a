/**
 * Ed25519 keys in OpenSSH format. Other kinds of keys are not read.
 */
import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

export const SSH_KEY_KIND = 'ssh-ed25519';
const KEY_BYTES = 32;
const PRIVATE_MAGIC = Buffer.from('openssh-key-v1\0');
/** Two equal numbers at the beginning of the private part. */
const CHECK_BYTES = 8;

export interface SshKey {
  /** `ssh-ed25519 AAAA…`, without the comment. */
  readonly text: string;
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
}

export interface SshPrivateKey extends SshKey {
  /** In base64. */
  sign(text: string): string;
}

/** Null: not a public Ed25519 key, as in an `id_ed25519.pub`. */
export function readSshKey(text: string): SshKey | null {
  const [kind, blob] = text.trim().split(/\s+/);
  if (kind !== SSH_KEY_KIND || blob === undefined || !/^[A-Za-z0-9+/]+=*$/.test(blob)) return null;
  const bytes = Buffer.from(blob, 'base64');
  return rawKeyIn(bytes) === null ? null : keyOf(bytes);
}

/** `encrypted`: the key has a passphrase. `not-a-key`: not an Ed25519 key, as `ssh-keygen -t ed25519` writes it. */
export function readSshPrivateKey(text: string): SshPrivateKey | 'encrypted' | 'not-a-key' {
  const [, armored] =
    /^-----BEGIN OPENSSH PRIVATE KEY-----\n([A-Za-z0-9+/=\n]+)\n-----END OPENSSH PRIVATE KEY-----\n*$/.exec(
      text.replaceAll('\r\n', '\n'),
    ) ?? [];
  const bytes = Buffer.from(armored?.replaceAll('\n', '') ?? '', 'base64');
  if (!bytes.subarray(0, PRIVATE_MAGIC.length).equals(PRIVATE_MAGIC)) return 'not-a-key';
  const fields = sshFieldsIn(bytes.subarray(PRIVATE_MAGIC.length));
  const [cipher] = fields;
  if (cipher !== undefined && cipher.toString() !== 'none') return 'encrypted';
  // The number of keys follows the cipher, the key derivation and its options.
  const after = PRIVATE_MAGIC.length + fields.slice(0, 3).reduce((sum, { length }) => sum + 4 + length, 0);
  if (bytes.length < after + 4 || bytes.readUInt32BE(after) !== 1) return 'not-a-key';
  const [blob, secret] = sshFieldsIn(bytes.subarray(after + 4));
  const raw = blob === undefined ? null : rawKeyIn(blob);
  const [kind, , pair] = secret === undefined ? [] : sshFieldsIn(secret.subarray(CHECK_BYTES));
  if (blob === undefined || raw === null || kind?.toString() !== SSH_KEY_KIND) return 'not-a-key';
  if (pair?.length !== 2 * KEY_BYTES || !pair.subarray(KEY_BYTES).equals(raw)) return 'not-a-key';
  const d = pair.subarray(0, KEY_BYTES).toString('base64url');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url'), d };
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  return { ...keyOf(blob), sign: (message) => sign(null, Buffer.from(message), key).toString('base64') };
}

/** Whether the owner of this key signed exactly these bytes. */
export function isSignedBy({ text }: SshKey, message: Buffer, signature: Buffer): boolean {
  const raw = rawKeyIn(Buffer.from(text.split(' ')[1] ?? '', 'base64'));
  return raw !== null && verify(null, message, publicKeyOf(raw), signature);
}

function keyOf(blob: Buffer): SshKey {
  const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '');
  return { text: `${SSH_KEY_KIND} ${blob.toString('base64')}`, fingerprint: `SHA256:${digest}` };
}

function rawKeyIn(blob: Buffer): Buffer | null {
  const [kind, raw, ...more] = sshFieldsIn(blob);
  return kind?.toString() === SSH_KEY_KIND && raw?.length === KEY_BYTES && more.length === 0 ? raw : null;
}

function publicKeyOf(raw: Buffer): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' });
}

/** Reads fields that are prefixed with their length, up to the first that does not fit. */
export function sshFieldsIn(bytes: Buffer): readonly Buffer[] {
  const fields: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    if (at + 4 + length > bytes.length) return fields;
    fields.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return fields;
}
