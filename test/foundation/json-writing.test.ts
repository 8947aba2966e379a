import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JSON_BYTES_MAX, JSON_DEPTH_MAX, JSON_NODES_MAX, readJson, writeJson } from '../../src/foundation/json.ts';

function says(value: unknown): string | null {
  const written = writeJson(value);
  return written.ok ? null : written.refusal.says;
}

function deep(levels: number, inside: unknown): unknown {
  let value = inside;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('writing JSON', () => {
  it('writes what JSON.stringify writes, and what readJson takes again', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, noUnicodeString: false }), (value) => {
        const written = writeJson(value);
        const plain = JSON.stringify(value);
        expect(written.ok ? written.value : 'refused').toBe(readJson(plain).ok ? plain : 'refused');
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes exactly what readJson takes, also of the texts that only look dangerous', () => {
    const piece = fc.constantFrom('\\', 'u0000', '\u0000', '"', '\uD800', '\u{1F600}', '__proto__', 'constructor', 'a');
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, fc.array(text), (key, value, list) => {
        const object = Object.fromEntries([[key, [value, ...list]]]);
        expect(writeJson(object).ok).toBe(readJson(JSON.stringify(object)).ok);
      }),
      { numRuns: 2_000 },
    );
  });

  it('accepts a text that says backslash-u literally, and such words as values', () => {
    for (const text of ['\\u0000', '\\ud800', '"\\u0000"', 'constructor', 'prototype', '__proto__', '\\"}]']) {
      expect(says({ text, nested: [text] }), `${text} was refused`).toBeNull();
    }
  });

  it('refuses U+0000 and half a surrogate pair, in texts and in keys', () => {
    expect(says({ a: 'x\0' })).toBe('the character U+0000 in a text');
    expect(says({ 'x\0': 1 })).toBe('the character U+0000 in a text');
    expect(says(['\uD83D'])).toBe('half of a surrogate pair in a text');
    expect(says({ '\uDE00': 1 })).toBe('half of a surrogate pair in a text');
    expect(says('\u{1F600}\u0001')).toBeNull();
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses %s as a key', (key) => {
    const object: unknown = JSON.parse(`{"a":[{"${key}":1}]}`);
    expect(says(object)).toBe(`the key "${key}" is not allowed`);
  });

  it('refuses what is too deep, also so deep that nobody can walk it', () => {
    expect(says(deep(JSON_DEPTH_MAX, 1))).toBeNull();
    expect(says(deep(JSON_DEPTH_MAX + 1, 1))).toBe('nested deeper than 64');
    expect(says(deep(100_000, 1))).toMatch(/^not JSON: |deeper than/);
  });

  it('counts values as readJson does, also those without a comma between them', () => {
    const flat = Array.from({ length: JSON_NODES_MAX - 1 }, () => 1);
    expect(says(flat)).toBeNull();
    expect(says([...flat, 1])).toBe('more than 100000 values');
    expect(says(Array.from({ length: 60_000 }, () => [[]]))).toBe('more than 100000 values');
    expect(says(Array.from({ length: 49_000 }, () => ({ a: 1 })))).toBeNull();
  });

  it('counts bytes, not characters', () => {
    expect(says('x'.repeat(JSON_BYTES_MAX - 2))).toBeNull();
    expect(says('x'.repeat(JSON_BYTES_MAX - 1))).toBe('larger than 1048576 bytes');
    expect(says('é'.repeat(JSON_BYTES_MAX / 2))).toBe('larger than 1048576 bytes');
    expect(says('✓'.repeat(JSON_BYTES_MAX / 3))).toBe('larger than 1048576 bytes');
    expect(says('\u0001'.repeat(JSON_BYTES_MAX / 6 + 1))).toBe('larger than 1048576 bytes');
  });

  it('refuses cycles, BigInt and what is nothing, in one line', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = [cycle];
    const refused = [cycle, 1n, { a: 2n }, undefined, () => 1, Symbol('s')].map(says);
    expect(refused.map((each) => each?.split(':')[0])).toEqual(Array.from({ length: 6 }, () => 'not JSON'));
    expect(refused.filter((each) => each?.includes('\n'))).toEqual([]);
  });

  it('refuses what JSON would turn into null without a word', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(says(value)).toMatch(/^not JSON: /);
      expect(says({ a: [{ b: value }, null] })).toMatch(/^not JSON: /);
    }
    expect(says([undefined])).toMatch(/^not JSON: /);
    expect(says({ a: [null, () => 1] })).toMatch(/^not JSON: /);
    expect(says({ a: null, b: [null], c: 'null NaN' })).toBeNull();
  });

  it('leaves out a property without a value, as JavaScript does', () => {
    const written = writeJson({ a: 1, b: undefined, c: null });
    expect(written.ok && written.value).toBe('{"a":1,"c":null}');
  });

  it('answers also when somebody else throws while it writes', () => {
    const thrown = (problem: unknown): unknown => ({
      toJSON() {
        throw problem;
      },
    });
    expect(says(thrown(new Error('no\nway')))).toBe('not JSON: no');
    expect(says(thrown('just so'))).toBe('not JSON: just so');
    expect(says({ at: new Date(0) })).toBeNull();
  });
});
