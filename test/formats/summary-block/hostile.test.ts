/** Blocks and texts that were made to hurt: each gets an answer, and none takes long or reaches outside. */
import { describe, expect, it } from 'vitest';
import { findBlocks } from '../../../src/formats/summary-block/find.ts';
import { isActive, BLOCK_CHARS_MAX } from '../../../src/formats/summary-block/found-block.ts';
import { readBlock, type BlockRead } from '../../../src/formats/summary-block/read.ts';
import { readPlainReport } from '../../../src/formats/summary-block/plain-report.ts';

const HEAD = 'handoff:\n  phase: "QA"\n  from: "@a"\n  to: "@b"\n  status: "complete"';
const MEGABYTE = 1024 * 1024;

function fenced(yaml: string): string {
  return `\`\`\`yaml\n${yaml}\n\`\`\`\n`;
}

function read(yaml: string, strict = false): BlockRead {
  const [block] = findBlocks(fenced(yaml));
  if (block === undefined) throw new Error('no block');
  return readBlock(block, { strict });
}

function bomb(): string {
  const rows = ['  metrics:', '    a0: &a0 [x, x]'];
  for (let level = 1; level < 20; level += 1) {
    rows.push(`    a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}x]`);
  }
  return `${HEAD}\n${rows.join('\n')}`;
}

describe('hostile blocks', () => {
  it.each([
    ['an alias bomb', bomb(), 'refers to another place'],
    ['an alias of itself', `${HEAD}\n  metrics: &m {a: *m}`, 'refers to another place'],
    ['100,000 levels of lists', `${HEAD}\n  metrics: ${'['.repeat(100_000)}`, 'larger than'],
    ['30,000 levels of lists', `${HEAD}\n  metrics: ${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'nested deeper'],
    ['30,000 levels of maps', `${HEAD}\n  metrics: ${'{a: '.repeat(15_000)}`, 'nested deeper'],
    ['a staircase of dashes', `${HEAD}\n  metrics:\n    ${'- '.repeat(30_000)}x`, 'nested deeper'],
    ['a staircase of lines', `${HEAD}\n  metrics:\n${stairs(300)}`, 'nested deeper'],
    ['a control character', `${HEAD}\n  context: {a: "\u0007"}`, 'U+0007'],
    ['a control character that is written as an escape', `${HEAD}\n  context: {a: "\\0"}`, 'control character'],
    ['an escape sequence of terminals', `${HEAD}\n  context: {a: "\\e[2J"}`, 'control character'],
    ['half of a surrogate pair', `${HEAD}\n  context: {a: "\uD800"}`, 'U+D800'],
    ['10,000 values', `${HEAD}\n  metrics: [${'1,'.repeat(10_000)}]`, 'more than 4000'],
    ['3,000 values', `${HEAD}\n  metrics: [${'1,'.repeat(3000)}]`, 'more than 2000'],
    ['a map as a key', `${HEAD}\n  metrics: {{a: b}: c}`, 'a key is a word'],
    ['two documents', `${HEAD}\n---\n${HEAD}`, 'not YAML'],
  ])('S2: are answered and not obeyed: %s', (_, yaml, says) => {
    for (const strict of [true, false]) {
      const { fields, problems } = read(yaml, strict);
      expect(fields).toBeNull();
      expect(problems.map((each) => each.says).join('; ')).toContain(says);
    }
  });

  it.each([
    ['1,500 keys', `${HEAD}\n  metrics:\n${Array.from({ length: 1500 }, (_, n) => `    k${n}: 1`).join('\n')}`],
    ['tags of other languages', `${HEAD}\n  context: {a: !!js/function "x", b: !foo bar}`],
    ['a long text', `${HEAD}\n  context: {a: "${'x'.repeat(60_000)}"}`],
    ['numbers that no machine holds', `${HEAD}\n  metrics: {a: .inf, b: .nan, c: 123456789012345678901, d: 1e999}`],
  ])('S2: are taken where nothing is wrong with them: %s', (_, yaml) => {
    const { fields, problems } = read(yaml);
    expect(problems).toEqual([]);
    expect(JSON.parse(JSON.stringify(fields))).toEqual(fields);
  });

  it('S2: names that reach into prototypes reach nothing', () => {
    const { fields } = read(`${HEAD}\n  metrics:\n    __proto__: {polluted: 1}\n    constructor: 1\n    ok: 1`);
    expect(fields?.metrics).toEqual({ ok: 1 });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(read(`${HEAD}\n  __proto__: {from: "@x"}`).fields?.from).toBe('a');
  });

  it('S1: a block inside a block does not act', () => {
    const inside = `${HEAD}\n  context:\n    note: |\n      \`\`\`yaml\n      handoff:\n        from: "@evil"\n      \`\`\``;
    const found = findBlocks(`~~~yaml\n${inside}\n~~~\n`);
    expect(found.map(({ place }) => place)).toEqual(['top', 'fence']);
    expect(found[0] && readBlock(found[0], { strict: true }).fields?.from).toBe('a');
  });

  it('S1: a block that may be cut off is not obeyed', () => {
    const [cut] = findBlocks(`\`\`\`yaml\n${HEAD.replace('"@b"', '@b')}`);
    expect(cut).toMatchObject({ closed: false, cutOff: true });
    expect(cut && readBlock(cut, { strict: false }).fields).toBeNull();
    const [open] = findBlocks(`\`\`\`yaml\n${HEAD}\n`);
    expect(open && readBlock(open, { strict: false })).toMatchObject({ problems: [], warnings: [{ field: '' }] });
    expect(open && readBlock(open, { strict: true }).fields).toBeNull();
  });

  it('S1: a fence of ten megabytes is one block that is too large, and its text is not kept', () => {
    const [block] = findBlocks(`\`\`\`yaml\n${HEAD}\n${'x: y\n'.repeat(2 * MEGABYTE)}`);
    expect(block).toMatchObject({ tooLarge: true });
    expect(block?.text.length).toBeLessThanOrEqual(BLOCK_CHARS_MAX);
    expect(block && readBlock(block, { strict: false }).problems).toMatchObject([{ says: /larger than/ }]);
  });

  it.each([
    ['backticks', '`'.repeat(MEGABYTE)],
    ['tildes', '~'.repeat(MEGABYTE)],
    ['brackets', '['.repeat(MEGABYTE)],
    ['quotes', '>'.repeat(MEGABYTE)],
    ['bullets', '- '.repeat(MEGABYTE / 2)],
    ['bullets before a word', `${'- '.repeat(MEGABYTE / 2)}x`],
    ['stars, and a million empty lines', `${'* '.repeat(MEGABYTE / 2)}x\n${'\n'.repeat(MEGABYTE)}`],
    ['numbers', '1. '.repeat(MEGABYTE / 3)],
    ['spaces', ' '.repeat(MEGABYTE)],
    ['returns', '\r'.repeat(MEGABYTE)],
    ['openings', '```yaml\n'.repeat(MEGABYTE / 8)],
    ['comments', '<!--'.repeat(MEGABYTE / 4)],
  ])('S1: a megabyte of %s hides no block and stops nothing', (_, noise) => {
    const ctx = `${fenced(HEAD)}\n${noise}\n`;
    const found = findBlocks(ctx);
    expect(found.filter(isActive).length).toBeGreaterThanOrEqual(1);
    expect(found[0]).toMatchObject({ line: 1, place: 'top', closed: true });
    expect(readPlainReport(`${noise}\n## A COMPLETE\n**Next Agent:** @b\n${noise}`)).toBeDefined();
  });
});

function stairs(levels: number): string {
  return Array.from({ length: levels }, (_, level) => `${' '.repeat(4 + level)}a:`).join('\n');
}
