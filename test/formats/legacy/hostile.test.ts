import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLegacy } from '../../../src/formats/legacy/read.ts';
import { ROOT } from '../../support/source-files.ts';
import { wildFiles } from '../../support/wild-files.ts';

const FOLDER = join(ROOT, 'test/fixtures/legacy');
const SEEDS = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }));

describe('D14: reading what nobody should have written', () => {
  const bomb = ['a0: &a0 [x, x]', ...Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)];
  const cases: Record<string, string> = {
    nothing: '',
    'only a mark': '\uFEFF',
    NUL: '**From:** a\u0000b',
    'bytes of a picture': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 255, 254]).toString('latin1'),
    'one line of a megabyte': `**From:** ${'x'.repeat(1_000_000)}`,
    'a megabyte of stars': '*'.repeat(1_000_000),
    'a megabyte of bold': '**a:** '.repeat(150_000),
    'a megabyte of pipes': '|'.repeat(1_000_000),
    'a megabyte of colons': ':'.repeat(1_000_000),
    'a megabyte of hashes': '#'.repeat(1_000_000),
    'a megabyte of links': '[a]('.repeat(250_000),
    'spaces before a dash': `Status: ${' '.repeat(1_000_000)}x`,
    'fences without end': '```\n'.repeat(20_001),
    'a fence in each line': '````yaml\n```\n'.repeat(3_000),
    'a bomb of aliases': `---\n${bomb.join('\n')}\n---\n`,
    'deep lists in front matter': `---\na: ${'['.repeat(50_000)}\n---\n`,
    'deep dashes': `---\n${'- '.repeat(20_000)}x\n---\n`,
    'deep indentation': `---\n${Array.from({ length: 2_000 }, (_, n) => `${' '.repeat(n)}k:`).join('\n')}\n---\n`,
    'keys of objects': '---\n__proto__: x\nconstructor: y\ntoString: z\n---\n',
    'half a pair': '**From:** \uD800',
    'more than is read': 'x'.repeat(5 * 1024 * 1024),
  };

  it.each(Object.keys(cases))('%s ends well', (name) => {
    const text = cases[name] ?? '';
    for (const file of ['x.md', 'x.yaml', 'x.json', '']) expect(readLegacy(text, file).text).toBe(text);
  });

  it.each([
    ['deep', `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`],
    ['deep lists', '['.repeat(200_000)],
    ['no end', '{"from": "ivy", "to": "bas'],
    ['keys twice', '{"to": "a", "to": "b"}'],
    ['comments and commas', '{/* x */ "from": "ivy", // y\n "to": "basil",,}'],
    ['a number beyond all', '{"id": 1e999, "n": 12345678901234567890}'],
    ['a prototype', '{"__proto__": {"from": "x"}, "from": "ivy"}'],
    ['escapes', '{"from": "\\ud800\\u0000\\q"}'],
    ['lines of JSON', '{"from":"ivy"}\n{"from":"basil"}\n'],
  ])('JSON: %s ends well', (_name, text) => {
    const reading = readLegacy(text, 'x.json');
    expect(reading.text).toBe(text);
    expect(reading.fields.length + reading.problems.length).toBeGreaterThan(0);
  });

  it('keeps digits that a number would lose, and both of two equal keys', () => {
    const reading = readLegacy('{"id": 12345678901234567890, "to": "a", "to": "b"}', 'x.json');
    expect(reading.id?.text).toBe('12345678901234567890');
    expect(reading.fields.map(({ text }) => text)).toEqual(['12345678901234567890', 'a', 'b']);
  });

  it('finds as many fields as there are, however the names of its files sound', () => {
    for (const name of [
      '../../etc/passwd',
      '\n',
      'a'.repeat(10_000),
      'CON',
      '🤝.md',
      'x\u0000.md',
      ' (2)',
      '_063331',
    ]) {
      expect(readLegacy('**From:** ivy\n**To:** basil', name).recipient).toBe('basil');
    }
  });

  it('survives whatever happens to a file', () => {
    const sources = [...SEEDS, ...wildFiles().map(({ name, text }) => ({ name, text: text.slice(0, 20_000) }))];
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '---\n',
        '```',
        '**',
        ':',
        '\u0000',
        '\r',
        '|',
        '\n- ',
        '{"',
        '<!--',
        '&a *a',
        '\t',
        '\uFEFF',
        '~~~yaml\n',
      ),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(40), piece), { maxLength: 12 }),
        fc.constantFrom('', 'x.md', 'x.yaml', 'x.json'),
        ({ name, text }, edits, other) => {
          const changed = edits.reduce((now, [where, cut, put]) => {
            const at = Math.floor(where * now.length);
            return now.slice(0, at) + put + now.slice(at + cut);
          }, text);
          const reading = readLegacy(changed, other === '' ? name : other);
          expect(reading.text).toBe(changed);
          const lines = changed.split(/\r\n|\n|\r/).length;
          for (const field of reading.fields) expect(field.line).toBeLessThanOrEqual(lines);
        },
      ),
      { numRuns: 300 },
    );
  });
});
