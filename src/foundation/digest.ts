import { createHash, hash } from 'node:crypto';
import { sha256 } from './sha256.ts';

/**
 * The first short texts of a process are hashed in JavaScript. To load `node:crypto` and to make its first digest takes 4 ms
 * of processor time on Node 20 and 7 ms on Node 24, of the 40 that `baton send` takes beside Node itself. Cold JavaScript
 * takes 1 ms for 800 bytes, so beyond this many bytes `node:crypto` is the cheaper way.
 */
let bytesLeft = 2048;

function takesFromBudget(text: string): boolean {
  // A text has at least as many bytes as characters. Counting them took a tenth of the digest of a fact.
  if (text.length > bytesLeft) return false;
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesLeft) return false;
  bytesLeft -= bytes;
  return true;
}

/** SHA-256 as 43 characters of base64url. */
export function digestOf(text: string): string {
  return takesFromBudget(text) ? sha256(text).toString('base64url') : hash('sha256', text, 'base64url');
}

/** SHA-256 in hexadecimal, as `sha256sum` prints it, for files and evidence. */
export function hexDigestOf(bytes: Uint8Array | string): string {
  if (typeof bytes === 'string' && takesFromBudget(bytes)) return sha256(bytes).toString('hex');
  return createHash('sha256').update(bytes).digest('hex');
}
