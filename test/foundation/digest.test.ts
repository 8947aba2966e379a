import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestOf, hexDigestOf } from '../../src/foundation/digest.ts';
import { sha256 } from '../../src/foundation/sha256.ts';

function byNode(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

it('SHA-256 in JavaScript is that of node:crypto, for every length around the edges of blocks', () => {
  for (let length = 0; length <= 300; length += 1) {
    const text = 'a'.repeat(length);
    expect(sha256(text).toString('hex'), `${length} bytes`).toBe(byNode(text).toString('hex'));
  }
});

it('SHA-256 in JavaScript is that of node:crypto, for every text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 150 }), (text) => {
      expect(sha256(text).toString('hex')).toBe(byNode(text).toString('hex'));
    }),
  );
});

it('a digest is the same, whoever makes it', () => {
  // More than what a process hashes in JavaScript, in short texts and long ones.
  for (const length of [10, 10_000, 100, 500, 1000, 400, 2000, 300, 10]) {
    const text = 'ä'.repeat(length);
    expect(digestOf(text)).toBe(byNode(text).toString('base64url'));
    expect(hexDigestOf(text)).toBe(byNode(text).toString('hex'));
    expect(hexDigestOf(Buffer.from(text))).toBe(byNode(text).toString('hex'));
  }
});
