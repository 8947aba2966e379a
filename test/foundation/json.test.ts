import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JSON_BYTES_MAX, JSON_DEPTH_MAX, JSON_NODES_MAX, readJson } from '../../src/foundation/json.ts';

/** As `line:column says`, or the value. */
function answer(text: string): unknown {
  const read = readJson(text);
  return read.ok ? read.value.value : `${read.refusal.line}:${read.refusal.column} ${read.refusal.says}`;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function nested(depth: number, inside = ''): string {
  return '['.repeat(depth) + inside + ']'.repeat(depth);
}

const UNKNOWN_ESCAPE = 'a backslash with an unknown letter after it';
const CONTROL = 'a control character (or line end) inside a text';

describe('reading hostile JSON', () => {
  it.each([
    ['', '1:1 the text ends where a value should stand'],
    ['{"a":', '1:6 the text ends where a value should stand'],
    ['{"a":1', '1:7 the text ends where "," or "}" should stand'],
    ['{"a"', '1:5 the text ends where ":" should stand'],
    ['{', '1:2 the text ends where a key in double quotes should stand'],
    ['[1,\n 2', '2:3 the text ends where "," or "]" should stand'],
    ['{"a":1}{"a":1}', '1:8 more text after the end of the JSON value'],
    ['{"a":1}\r\n{"a":1}', '2:1 more text after the end of the JSON value'],
    ['null null', '1:6 more text after the end of the JSON value'],
    ['{"a":1,}', '1:8 "}" where a key in double quotes should stand'],
    ['[1,]', '1:4 "]" where a value should stand'],
    ['[1 2]', '1:4 "2" where "," or "]" should stand'],
    ["{'a':1}", '1:2 "\'" where a key in double quotes should stand'],
    ['{a:1}', '1:2 "a" where a key in double quotes should stand'],
    ['{"a" 1}', '1:6 "1" where ":" should stand'],
    ['// c\n1', '1:1 "/" where a value should stand'],
    ['01', '1:2 more text after the end of the JSON value'],
    ['[-]', '1:2 "-" where a value should stand'],
    ['1.', '1:2 more text after the end of the JSON value'],
    ['+1', '1:1 "+" where a value should stand'],
    ['truE', '1:1 "t" where a value should stand'],
    ['\u00A01', '1:1 "\u00A0" where a value should stand'],
  ])('tells where %j goes wrong', (text, says) => {
    expect(answer(text)).toBe(says);
    expect(parses(text)).toBe(false);
  });

  it.each(['NaN', 'Infinity', '-Infinity', 'undefined'])('refuses %s of other languages by name', (word) => {
    expect(answer(`{"a":1,\n "b": ${word}}`)).toBe('2:7 NaN, Infinity and undefined are not JSON');
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'refuses the key %s, also when it is spelt with escapes',
    (key) => {
      const says = `the key "${key}" is not allowed`;
      expect(answer(`{"${key}":{"admin":1}}`)).toBe(`1:2 ${says}`);
      expect(answer(`{"a":\n  [{"b":1, "${key}":1}]}`)).toBe(`2:12 ${says}`);
      const escaped = `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}`;
      expect(answer(`{"${escaped}":1}`)).toBe(`1:2 ${says}`);
      expect(answer(`["${key}"]`)).toEqual([key]);
    },
  );

  it('refuses a key that stands there twice, and tells the second place', () => {
    expect(answer('{"status":"a",\n"status":"b"}')).toBe('2:1 the key "status" stands here twice');
    expect(answer('{"s":1,"\\u0073":2}')).toBe('1:8 the key "s" stands here twice');
    expect(answer('{"":1,"":2}')).toBe('1:7 the key "" stands here twice');
    expect(answer('{"a":{"a":1},"b":{"a":1}}')).toEqual({ a: { a: 1 }, b: { a: 1 } });
  });

  it('refuses U+0000 and halves of surrogate pairs, in texts and in keys', () => {
    expect(answer('{"a":"x\\u0000"}')).toBe('1:6 the character U+0000 in a text');
    expect(answer('{"\\u0000":1}')).toBe('1:2 the character U+0000 in a text');
    expect(answer('["\\ud800"]')).toBe('1:2 half of a surrogate pair in a text');
    expect(answer('["\\udc00\\ud800"]')).toBe('1:2 half of a surrogate pair in a text');
    expect(answer('["\uD800"]')).toBe('1:2 half of a surrogate pair in a text');
    expect(answer('["\\ud83d\\ude00", "\u{1F600}"]')).toEqual(['\u{1F600}', '\u{1F600}']);
  });

  it('accepts a backslash, a u and four digits as six plain characters', () => {
    expect(answer(String.raw`{"a":"\\u0000","b":"\\\\ud800"}`)).toEqual({ a: '\\u0000', b: '\\\\ud800' });
    expect(answer(String.raw`{"a":"\\\u0000"}`)).toBe('1:6 the character U+0000 in a text');
  });

  it.each([
    ['"a\nb"', `1:3 ${CONTROL}`],
    ['"a\tb"', `1:3 ${CONTROL}`],
    ['"\0"', `1:2 ${CONTROL}`],
    ['"\\x41"', `1:2 ${UNKNOWN_ESCAPE}`],
    ['"ab\\u12G4"', `1:4 ${UNKNOWN_ESCAPE}`],
    ['"\\\\\\q"', `1:4 ${UNKNOWN_ESCAPE}`],
    ['"\\', `1:2 ${UNKNOWN_ESCAPE}`],
    ['["ab', '1:2 a text that is not closed'],
    ['"\\"', '1:1 a text that is not closed'],
  ])('tells where the text %j goes wrong', (text, says) => {
    expect(answer(text)).toBe(says);
  });

  it('refuses a number that no longer is one when it is read', () => {
    expect(answer('{"a":1e400}')).toBe('1:6 a number that is too large');
    expect(answer('[1,\n-1e999]')).toBe('2:1 a number that is too large');
    expect(answer('[1e-400, 1.7976931348623157e308]')).toEqual([0, Number.MAX_VALUE]);
  });
});

describe('the limits of JSON', () => {
  it(`takes ${JSON_DEPTH_MAX} levels and no more`, () => {
    expect(readJson(nested(JSON_DEPTH_MAX, '1')).ok).toBe(true);
    expect(answer(nested(JSON_DEPTH_MAX + 1, '1'))).toBe('1:66 nested deeper than 64');
    expect(answer('['.repeat(100_000))).toBe('1:66 nested deeper than 64');
    expect(answer('{"a":'.repeat(100_000))).toBe('1:326 nested deeper than 64');
  });

  it(`takes ${JSON_NODES_MAX} values and no more`, () => {
    const list = (count: number): string => `[${'1,'.repeat(count - 1)}1]`;
    expect(readJson(list(JSON_NODES_MAX - 1)).ok).toBe(true);
    expect(answer(list(JSON_NODES_MAX))).toBe(`1:${2 * JSON_NODES_MAX} more than 100000 values`);
  });

  it('takes a mebibyte and no more, counted in bytes', () => {
    const large = 'x'.repeat(JSON_BYTES_MAX - 2);
    expect(answer(`"${large}"`)).toBe(large);
    expect(answer(`"${large}x"`)).toBe('1:1 larger than 1048576 bytes');
    expect(answer(`"${'é'.repeat(JSON_BYTES_MAX / 2)}"`)).toBe('1:1 larger than 1048576 bytes');
    const keys = Array.from({ length: 1_000_000 }, (_, n) => `"${n}":1`).join(',');
    expect(answer(`{${keys}}`)).toBe('1:1 larger than 1048576 bytes');
  });

  it('reads and refuses the longest texts without running out of stack', () => {
    const escapes = '\\n'.repeat(JSON_BYTES_MAX / 2 - 1);
    expect(readJson(`"${escapes}"`).ok).toBe(true);
    expect(answer(`"${escapes}`)).toBe('1:1 a text that is not closed');
  });
});

describe('reading sound JSON', () => {
  it('takes a byte order mark, CRLF and every kind of space', () => {
    expect(answer('\uFEFF{"a":\r\n\t 1 }\r\n')).toEqual({ a: 1 });
    expect(answer('\uFEFF\uFEFF1')).toBe('1:1 "\uFEFF" where a value should stand');
  });

  it('keeps the same bytes for the same value, without the spacing of the sender', () => {
    const texts = ['{ "a" : [1, 2.0] }', '{"a":[1,2]}', '{"\\u0061":[1e0,2]}\n'].map((text) => {
      const read = readJson(text);
      return read.ok ? read.value.text : null;
    });
    expect(texts).toEqual(Array.from({ length: 3 }, () => '{"a":[1,2]}'));
  });

  it('agrees with JSON.parse on every valid text', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 6, noUnicodeString: false }),
        fc.constantFrom(undefined, 1, '\t'),
        (json, space) => {
          const text = JSON.stringify(JSON.parse(json), null, space);
          const parsed: unknown = JSON.parse(text);
          const read = readJson(text);
          fc.pre(read.ok || !/"(?:__proto__|constructor|prototype)"|\\u0000|\\ud[89a-f]/.test(text));
          expect(read).toEqual({ ok: true, value: { value: parsed, text: JSON.stringify(parsed) } });
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('never crashes on changed bytes, and never takes what JSON.parse refuses', () => {
    const change = fc.record({
      at: fc.nat(),
      byte: fc.nat(255),
      kind: fc.constantFrom('put', 'insert', 'cut', 'double'),
    });
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.array(change, { minLength: 1, maxLength: 4 }), (json, changes) => {
        const bytes = [...Buffer.from(json)];
        for (const { at, byte, kind } of changes) {
          const place = bytes.length === 0 ? 0 : at % bytes.length;
          if (kind === 'put') bytes.splice(place, 1, byte);
          else if (kind === 'insert') bytes.splice(place, 0, byte);
          else if (kind === 'cut') bytes.splice(place, 1 + (byte % 8));
          else bytes.splice(place, 0, ...bytes.slice(place, place + (byte % 16)));
        }
        const text = Buffer.from(bytes).toString('utf8');
        const read = readJson(text);
        expect(read.ok ? 1 : Math.min(read.refusal.line, read.refusal.column)).toBeGreaterThan(0);
        expect(!read.ok || parses(text.replace(/^\uFEFF/, ''))).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it('takes no part of an object for a whole one', () => {
    const whole = '{"a":[1,"x\\n",{"b":null}],"c":-1.5e3}';
    const taken = Array.from({ length: whole.length + 1 }, (_, end) => readJson(whole.slice(0, end)).ok);
    expect(taken.indexOf(true)).toBe(whole.length);
  });

  it('keeps whole numbers exactly, or refuses them', () => {
    for (const exact of ['9007199254740991', '-9007199254740991', '9007199254740992', '123456789012345680000']) {
      expect(readJson(exact).ok, `${exact} is kept`).toBe(true);
    }
    for (const lossy of ['9007199254740993', '12345678901234567890', '-12345678901234567890']) {
      expect(readJson(`{"id": ${lossy}}`), `${lossy} is refused`).toMatchObject({
        ok: false,
        refusal: { line: 1, column: 8 },
      });
    }
  });
});
