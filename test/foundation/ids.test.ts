import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, hexDigestOf } from '../../src/foundation/digest.ts';
import { newUuid } from '../../src/foundation/ids.ts';
import { jittered, systemRandom, type Random } from '../../src/foundation/random.ts';

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function fixed(byte: number, unit = 0): Random {
  return { bytes: (count) => new Uint8Array(count).fill(byte), unit: () => unit };
}

describe('newUuid', () => {
  it('Q3: is unique without a clock', () => {
    const made = new Set(Array.from({ length: 50_000 }, () => newUuid(0, systemRandom)));
    expect(made.size).toBe(50_000);
  });

  it('is a UUID of version 7, made of the given time and randomness only', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 48 - 1), fc.nat(255), (nowMs, byte) => {
        const id = newUuid(nowMs, fixed(byte));
        expect(id).toMatch(UUID_7);
        expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(nowMs);
        expect(newUuid(nowMs, fixed(byte))).toBe(id);
      }),
    );
  });

  it('sorts by time, whatever the randomness', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 47), fc.integer({ min: 1, max: 1_000_000 }), fc.nat(255), (at, later, byte) => {
        expect(newUuid(at, fixed(byte)) < newUuid(at + later, fixed(255 - byte))).toBe(true);
      }),
    );
  });
});

describe('randomness and digests', () => {
  it('jitters between half and one and a half', () => {
    expect([0, 0.5, 1].map((unit) => jittered(1_000, fixed(0, unit)))).toEqual([500, 1_000, 1_500]);
    expect(systemRandom.bytes(16).length).toBe(16);
    const units = Array.from({ length: 1_000 }, () => systemRandom.unit());
    expect(units.every((unit) => unit >= 0 && unit < 1)).toBe(true);
  });

  it('digests are SHA-256, short for chains and in hexadecimal for people', () => {
    expect(hexDigestOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(hexDigestOf(new TextEncoder().encode('abc'))).toBe(hexDigestOf('abc'));
    expect(digestOf('abc')).toBe(Buffer.from(hexDigestOf('abc'), 'hex').toString('base64url'));
  });
});
