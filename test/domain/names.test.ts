import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAgentId, readHandoffId } from '../../src/domain/names.ts';

/** Every character that is not a letter or digit of ASCII, and those beyond the basic plane by example. */
const OTHER_CHARACTERS = [
  ...Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter(
    (each) => !/[A-Za-z0-9]/.test(each),
  ),
  '\u{1F600}',
  '\u{E0041}',
  '\u{1D400}',
];

/** So that a title shows what cannot be seen, and stays short. */
function shown(text: string): string {
  const visible = JSON.stringify(text).replace(
    /[^ -~]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return visible.length > 60 ? `${visible.slice(0, 20)}… of ${text.length}` : visible;
}

const HOSTILE_IDS = [
  '',
  '.',
  '..',
  '../../etc/passwd',
  'a/b',
  'a\\b',
  '/etc/passwd',
  'C:\\x',
  'C:x',
  'x\0.json',
  'x.json\0',
  'CON',
  'con',
  'Con.txt',
  'nul.txt',
  'NUL',
  'prn',
  'AUX.md',
  'com1',
  'COM9.json',
  'com0',
  'lpt1',
  'LPT9.x.y',
  'a.',
  'a..b',
  'a..',
  '-rf',
  '--help',
  '.hidden',
  '_x',
  'Ａ',
  'aＡ',
  'é',
  'e\u0301',
  'caf\u00E9',
  'a\u202Eb',
  'a\u200Bb',
  'a\uFEFF',
  'a b',
  ' a',
  'a ',
  'a\n',
  'a\r\n',
  '\na',
  'a\tb',
  'a\u001Bb',
  'a;rm -rf ~',
  '$(id)',
  '`id`',
  'a%2e%2e',
  'a*',
  'a?',
  'a"b',
  "a'b",
  'a<b',
  'a|b',
  'file:///x',
  '\\\\host\\share',
  '\uD800',
  'x'.repeat(129),
];

describe('a handoff id', () => {
  it.each(HOSTILE_IDS.map((id) => [shown(id), id]))('Q3: %s is refused', (_shown, id) => {
    expect(readHandoffId(id)).toBeNull();
  });

  it.each(
    [
      'a',
      '0',
      'A.B_c-9',
      'hoff-0198f4a2-7c1e-7aaa-8bbb-0123456789ab',
      'handoff-20260101-120000-react',
      'x'.repeat(128),
      'connect',
      'console.log',
      'a.con',
      'nullable',
      'com10',
      'a.b.c',
      'a-',
      'a_',
    ].map((id) => [shown(id), id]),
  )('Q3: %s is taken as it is', (_shown, id) => {
    expect(readHandoffId(id)).toBe(id);
  });

  it('Q3: no character but letters, digits, ".", "_" and "-" is ever in one', () => {
    const taken = OTHER_CHARACTERS.filter((each) => readHandoffId(`a${each}b`) !== null);
    expect(taken).toEqual(['-', '.', '_']);
    expect(OTHER_CHARACTERS.filter((each) => readHandoffId(`${each}b`) !== null)).toEqual([]);
    expect(OTHER_CHARACTERS.filter((each) => readHandoffId(`a${each}`) !== null)).toEqual(['-', '_']);
  });

  it('Q3: whatever is taken is one plain file name', () => {
    const alphabet = fc.constantFrom(...'aZ0.-_/\\: \0'.split(''));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: alphabet, maxLength: 140 }), fc.string({ unit: 'binary' })), (text) => {
        const id = readHandoffId(text);
        if (id === null) return;
        expect(id).toBe(text);
        expect(id).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
        expect(id.includes('..') || id.endsWith('.') || id.length > 128).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

const HOSTILE_NAMES = [
  '',
  ' ',
  '@',
  '@@grok',
  'gr ok',
  'a\u202Eb',
  '\u202Egrok',
  'grok\u202E',
  'a\u200Bb',
  'Ａ',
  'é',
  'e\u0301',
  'a/b',
  'a\\b',
  '../x',
  'a..b',
  'a.',
  '.a',
  '-a',
  '_a',
  'a\0',
  'a\nb',
  '@-rf',
  'a@b',
  '\u212Aim',
  'groK\u0307',
  '\u0130',
  'ſam',
  '\uD800',
];

describe('an agent name', () => {
  it.each([
    ['@grok', 'grok'],
    ['grok', 'grok'],
    ['Grok', 'grok'],
    [' @React-Specialist ', 'react-specialist'],
    ['a', 'a'],
    ['9', '9'],
    ['gpt-4.1', 'gpt-4.1'],
    ['a_', 'a_'],
    ['a-', 'a-'],
  ])('"%s" is %s', (text, name) => {
    expect(readAgentId(text)).toBe(name);
  });

  it.each(HOSTILE_NAMES.map((text) => [shown(text), text]))('Q3: %s is refused', (_shown, text) => {
    expect(readAgentId(text)).toBeNull();
  });

  it('Q3: no other character than ASCII is taken for one: two names that look alike are alike', () => {
    const taken = OTHER_CHARACTERS.filter((each) => readAgentId(`a${each}b`) !== null);
    expect(taken).toEqual(['-', '.', '_']);
  });

  it('is 64 characters long at most', () => {
    expect(readAgentId('x'.repeat(64))).toBe('x'.repeat(64));
    expect(readAgentId('x'.repeat(65))).toBeNull();
  });

  it('is read again as itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aZ0.-_@ '.split('')), maxLength: 70 }), (text) => {
        const name = readAgentId(text);
        fc.pre(name !== null);
        expect(readAgentId(`@${name?.toUpperCase()}`)).toBe(name);
      }),
    );
  });
});
