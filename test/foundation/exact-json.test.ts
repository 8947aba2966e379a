import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact, printExact, roundIntegers } from '../../src/foundation/exact-json.ts';
import { KEEPING_INTEGERS, readJson, writeJson } from '../../src/foundation/json.ts';

describe('whole numbers of 64 bits', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
    '18446744073709551615',
    '{"id":9007199254740993,"text":"9007199254740993","list":[1,1.5,-9007199254740993]}',
    '{"\\"9007199254740993":"\\\\\\"9007199254740993","n":9007199254740993}',
  ])('%s comes back digit by digit', (text) => {
    expect(printExact(parseExact(text))).toBe(text);
    const read = readJson(text, KEEPING_INTEGERS);
    expect(read.ok && read.value.text).toBe(text);
    expect(writeJson(parseExact(text))).toEqual({ ok: true, value: text });
  });

  it('come back wherever they are in the text', () => {
    for (let before = 0; before < 40; before += 1) {
      const text = `["${'x'.repeat(before)}",9007199254740993]`;
      expect(printExact(parseExact(text))).toBe(text);
    }
  });

  it.each(['18446744073709551616', '-9223372036854775809', '123456789012345678901234567890'])(
    '%s has more than that, and is refused',
    (text) => {
      expect(readJson(text, KEEPING_INTEGERS)).toMatchObject({ ok: false });
      expect(writeJson(BigInt(text))).toMatchObject({ ok: false });
    },
  );

  it('are refused where nobody keeps them, and a bigint that a number can hold always', () => {
    expect(readJson('9007199254740993')).toMatchObject({ ok: false });
    expect(writeJson({ n: 5n })).toMatchObject({ ok: false });
  });

  it('are rounded for whoever only knows numbers', () => {
    expect(roundIntegers({ n: [9_007_199_254_740_993n], m: 1 })).toEqual({ n: [9_007_199_254_740_992], m: 1 });
  });

  it('change nothing else: every text is parsed and printed as JSON does it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseExact(text)).toEqual(JSON.parse(text));
        expect(printExact(JSON.parse(text), 2)).toBe(JSON.stringify(JSON.parse(text), null, 2));
      }),
    );
  });

  it('are found among any other values', () => {
    const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }).filter((n) => String(Number(n)) !== String(n));
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        long,
        fc.string().filter((text) => !text.includes('\0')),
        fc.array(tie('tree')),
        fc.dictionary(
          fc.string().filter((key) => !key.includes('\0') && key !== '__proto__'),
          tie('tree'),
          {
            noNullPrototype: true,
          },
        ),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(parseExact(printExact(value, 2) ?? '')).toEqual(value);
      }),
    );
  });
});
