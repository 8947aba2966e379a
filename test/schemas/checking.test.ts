import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/foundation/json.ts';
import { bookOf, judge, pathsOf } from './schema-folder.ts';

const COMPONENT = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['name', 'props'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', pattern: '^[A-Z]\\w+$' },
    props: { type: 'array', items: { type: 'object', properties: { type: { enum: ['text', 'number'] } } } },
    due: { type: 'string', format: 'date-time' },
  },
};

describe('a value against a schema', () => {
  it('passes when it fits', async () => {
    const value = { name: 'Button', props: [{ type: 'text' }], due: '2026-01-01T00:00:00Z' };
    expect(await judge(COMPONENT, value)).toBeNull();
  });

  it('is refused with every violation, each with its place', async () => {
    const value = { name: 'button', props: [{ type: 'colour' }, 3], due: 'tomorrow', 'a b': 1 };
    expect((await pathsOf(COMPONENT, value)).toSorted()).toEqual(
      ['input["a b"]', 'input.due', 'input.name', 'input.props[0].type', 'input.props[1]'].toSorted(),
    );
    expect(await pathsOf(COMPONENT, {})).toEqual(['input.name', 'input.props']);
    expect(await pathsOf(COMPONENT, null)).toEqual(['input']);
  });

  it('says what was expected', async () => {
    const refusal = await judge(COMPONENT, { name: 'Button', props: [{ type: 'colour' }] });
    expect(refusal).toMatchObject({
      code: 'schema-violated',
      schema: 'it',
      more: 0,
      violations: [
        {
          path: 'input.props[0].type',
          schemaPath: expect.stringMatching(/properties\/props\/items\/properties\/type\/enum$/) as unknown,
          expected: 'one of "text", "number"',
          says: 'one of "text", "number", not "colour"',
        },
      ],
    });
  });

  it('calls the value what its owner calls it', async () => {
    const { book } = bookOf({ 'it.json': { type: 'object', required: ['x'] } });
    expect(await book.check('it', {}, 'output')).toMatchObject({ refusal: { violations: [{ path: 'output.x' }] } });
  });

  it('is told the first hundred violations and how many more there are', async () => {
    const refusal = await judge(
      { items: { type: 'string' } },
      Array.from({ length: 250 }, (_, n) => n),
    );
    expect(refusal).toMatchObject({ code: 'schema-violated', more: 150 });
    expect(refusal?.code === 'schema-violated' && refusal.violations.length).toBe(100);
  });

  it.each([
    [{ uniqueItems: true }, [1, '1', { a: 1, b: 2 }], true],
    [
      { uniqueItems: true },
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      false,
    ],
    [{ uniqueItems: false }, [1, 1], true],
    [{ enum: [{ a: 1, b: 2 }, null] }, { b: 2, a: 1 }, true],
    [{ enum: ['1'] }, 1, false],
    [{ const: { a: [1] } }, { a: [1] }, true],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], false],
    [{ $defs: { x: { type: 'string' } }, $ref: '#/$defs/x' }, 1, false],
    [{ type: ['string', 'null'] }, null, true],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, false],
    [{ properties: { a: true }, unevaluatedProperties: false }, { b: 1 }, false],
    [true, 1, true],
    [false, 1, false],
  ] as const)('obeys draft 2020-12: %j, %j → %j', async (schema, value, fits) => {
    expect((await judge(schema as unknown as Json, value as unknown as Json)) === null).toBe(fits);
  });

  it('keeps two patterns of one schema apart', async () => {
    const schema = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
    expect(await judge(schema, { a: 'a', b: 'b' })).toBeNull();
    expect(await pathsOf(schema, { a: 'b', b: 'a' })).toEqual(['input.a', 'input.b']);
  });
});

describe('the book of schemas', () => {
  it.each(['it', '@it', 'it.json', 'it.schema.json', '@it.schema.json'])('finds a schema as %s', async (name) => {
    const { book } = bookOf({ 'it.schema.json': { type: 'string' } });
    expect(await book.check(name, 'x')).toEqual({ ok: true, value: true });
  });

  it('finds the names that the example of the file queue uses', async () => {
    const { book } = bookOf({ 'react-specialist.input.schema.json': { type: 'object' } });
    expect((await book.check('react-specialist.input.schema.json', {})).ok).toBe(true);
  });

  it('tells what is there when a name is unknown, also where there is no folder', async () => {
    const { folder, book } = bookOf({ 'a.json': true, 'b.schema.json': true, 'note.txt': 'x', '.hidden.json': true });
    const refusal = { code: 'schema-unknown', schema: 'c', known: ['a', 'b'] };
    expect(await book.check('c', 1)).toEqual({ ok: false, refusal });
    rmSync(folder, { recursive: true });
    expect(await book.check('c', 1)).toEqual({ ok: false, refusal: { ...refusal, known: [] } });
  });

  it('follows references to other files, by file name, name and $id', async () => {
    const { book } = bookOf({
      'list.json': {
        $id: 'https://example.test/list',
        items: { anyOf: [{ $ref: 'item.schema.json' }, { $ref: 'other#/$defs/n' }, { $ref: 'urn:flag' }] },
      },
      'item.schema.json': { type: 'string' },
      'other.json': { $defs: { n: { type: 'number' } } },
      'flag.json': { $id: 'urn:flag', type: 'boolean' },
    });
    expect((await book.check('list', ['a', 1, true])).ok).toBe(true);
    expect((await book.check('list', [null])).ok).toBe(false);
  });

  it('follows a reference under a property whose name is a keyword, and none in content', async () => {
    const { book } = bookOf({
      'a.json': {
        properties: { default: { $ref: 'b.json' }, $ref: { const: { $ref: 'https://example.test/x' } } },
      },
      'b.json': { type: 'string' },
    });
    expect((await book.check('a', { default: 1 })).ok).toBe(false);
    expect((await book.check('a', { default: 'x', $ref: { $ref: 'https://example.test/x' } })).ok).toBe(true);
  });

  it('sees a schema again when it, or what it refers to, has changed', async () => {
    const { folder, book } = bookOf({ 'a.json': { $ref: 'b.json' }, 'b.json': { type: 'string' } });
    expect((await book.check('a', 1)).ok).toBe(false);
    writeFileSync(join(folder, 'b.json'), JSON.stringify({ type: 'number' }));
    expect((await book.check('a', 1)).ok).toBe(true);
    // The same size, the same file: only the time tells.
    writeFileSync(join(folder, 'b.json'), JSON.stringify({ type: 'object' }));
    utimesSync(join(folder, 'b.json'), 1, 1);
    expect((await book.check('a', 1)).ok).toBe(false);
    rmSync(join(folder, 'b.json'));
    expect(await book.check('a', 1)).toMatchObject({ refusal: { code: 'schema-broken' } });
  });
});
