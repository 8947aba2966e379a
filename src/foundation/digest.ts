import { createHash, hash } from 'node:crypto';

/** SHA-256 in the shortest text that is safe everywhere: 43 characters of base64url. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** SHA-256 as people compare it, for files and evidence. */
export function hexDigestOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
