import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../src/foundation/json.ts';
import { openSchemaRegistry } from '../../src/adapters/schemas/open-schema-registry.ts';
import { tempFolder } from '../support/processes.ts';
import { bookOf, judge } from './schema-folder.ts';

/** Far more than any of these may take, and far less than what they ask for. */
const SOON = 200_000;

describe('hostile names of schemas', () => {
  it.each([
    '',
    '@',
    '.',
    '..',
    '../secret',
    'a/../../secret',
    '/etc/passwd',
    'a\\b',
    'a\0',
    '.git',
    'x'.repeat(300),
    'a..b',
  ])('%j is unknown', async (name) => {
    const outside = tempFolder();
    writeFileSync(join(outside, 'secret.json'), 'true');
    mkdirSync(join(outside, 'schemas'));
    expect(await openSchemaRegistry(join(outside, 'schemas')).check(name, 1)).toMatchObject({
      refusal: { code: 'schema-unknown', schema: name },
    });
  });

  it('a folder named like a schema is none', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'it.json'));
    expect(await openSchemaRegistry(folder).check('it', 1)).toMatchObject({ refusal: { code: 'schema-unknown' } });
  });
});

describe('broken schemas', () => {
  it.each<[string, Json, RegExp]>([
    ['that are not JSON', '{\n  "type": oops\n}', /^it\.json:2:11: /],
    ['with the same key twice', '{"type": "string", "type": "number"}', /^it\.json:1:20: .*twice/],
    ['with __proto__', '{"properties": {"__proto__": {"type": "string"}}}', /__proto__/],
    ['that are a list', [], /a schema is an object/],
    ['that are empty', '', /^it\.json:1:1: /],
    ['of draft 7', { $schema: 'http://json-schema.org/draft-07/schema#' }, /draft 2020-12, so change "\$schema"/],
    ['of no draft', { $schema: 7 }, /draft 2020-12/],
    ['with a misspelt keyword', { type: 'object', propertys: {} }, /propertys/],
    ['with a misspelt type', { type: 'strnig' }, /type/],
    ['with an unknown format', { type: 'string', format: 'colour' }, /unknown format "colour"/],
    ['with a lookahead', { pattern: '^(?=a)b' }, /lookaround/],
    ['with half a pattern', { pattern: '(' }, /pattern/],
    ['with an id of draft 4', { id: 'x' }, /"id"/],
    ['with $async', { $async: true }, /\$async/],
    ['that refer to what is not there', { $ref: 'nothing.json' }, /refers to "nothing.json"/],
    ['that refer to a place that is not there', { $ref: '#/$defs/nothing' }, /nothing/],
    ['that refer to a path outside', { $ref: '../secret.json' }, /neither in this file nor in the folder/],
    ['that refer to a file of the machine', { $ref: 'file:///etc/passwd' }, /neither in this file nor in the folder/],
    ['nested ten thousand levels', '{"not":'.repeat(10_000) + 'true' + '}'.repeat(10_000), /nested deeper/],
    ['larger than a schema may be', JSON.stringify({ description: 'x'.repeat(2_000_000) }), /larger than/],
  ])('%s are refused with the reason', async (_what, schema, says) => {
    expect(await judge(schema, { type: 'x' })).toMatchObject({
      code: 'schema-broken',
      file: 'it.json',
      says: expect.stringMatching(says) as unknown,
    });
  });

  it('never ask the network', async () => {
    let asked = 0;
    const server = createServer((_, answer) => {
      asked += 1;
      answer.end('true');
    });
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.json`;
    expect(await judge({ $ref: address }, 1)).toMatchObject({ code: 'schema-broken' });
    expect(await judge({ $id: address, $ref: 'x.json' }, 1)).toMatchObject({ code: 'schema-broken' });
    expect(asked).toBe(0);
  });

  it('that refer to each other in a ring are refused, not followed for ever', async () => {
    const { book } = bookOf({ 'a.json': { $ref: 'b.json' }, 'b.json': { $ref: 'a.json' }, 'c.json': { $ref: '#' } });
    for (const name of ['a', 'b', 'c']) {
      expect(await book.check(name, 1)).toMatchObject({
        refusal: { code: 'schema-broken', says: expect.stringMatching(/circle/) as unknown },
      });
    }
  });

  it('that double their work at every level run out of steps', { timeout: SOON }, async () => {
    const levels = Array.from({ length: 60 }, (_, n) => {
      const next = { $ref: `#/$defs/d${n + 1}` };
      return [`d${n}`, { allOf: [next, { not: { not: next } }] }] as const;
    });
    const schema = { $defs: { ...Object.fromEntries(levels), d60: { type: 'string' } }, $ref: '#/$defs/d0' };
    expect(await judge(schema, 'x')).toMatchObject({
      code: 'schema-broken',
      says: expect.stringMatching(/steps/) as unknown,
    });
  });
});

describe('hostile values', () => {
  it('take linear time with a pattern that would explode', { timeout: SOON }, async () => {
    expect(await judge({ pattern: '^(a+)+$' }, `${'a'.repeat(100_000)}!`)).toMatchObject({ code: 'schema-violated' });
    expect(await judge({ patternProperties: { '^(a|a)*$': false } }, { [`${'a'.repeat(50_000)}!`]: 1 })).toBeNull();
  });

  it('nested ten thousand levels are a violation', async () => {
    let deep: Json = 'x';
    for (let level = 0; level < 10_000; level += 1) deep = [deep];
    expect(await judge({ items: { $ref: '#' } }, deep)).toMatchObject({
      code: 'schema-violated',
      violations: [{ path: 'input', says: expect.stringMatching(/deeper/) as unknown }],
    });
  });

  it('with a hundred thousand items are compared quickly', { timeout: SOON }, async () => {
    const items = Array.from({ length: 90_000 }, (_, n) => ({ n }));
    expect(await judge({ uniqueItems: true }, items)).toBeNull();
    const numbers = Array.from({ length: 50_000 }, (_, n) => n);
    const refusal = await judge({ items: { enum: numbers } }, numbers.map(String));
    expect(refusal).toMatchObject({ code: 'schema-violated', more: 49_900 });
    expect(JSON.stringify(refusal).length).toBeLessThan(200_000);
  });

  it('do not pass for what every object has', async () => {
    expect(await judge({ required: ['toString', 'constructor'] }, {})).toMatchObject({ code: 'schema-violated' });
    const value = JSON.parse('{"__proto__": {"admin": true}}') as Json;
    expect(await judge({ required: ['admin'] }, value)).toMatchObject({ code: 'schema-violated' });
    expect(await judge({ additionalProperties: false }, value)).toMatchObject({
      violations: [{ path: 'input.__proto__' }],
    });
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it.each(['email', 'uri', 'hostname', 'date-time', 'duration', 'ipv6', 'uuid', 'json-pointer', 'uri-template'])(
    'of the form %s are judged quickly, however long',
    { timeout: SOON },
    async (format) => {
      const shapes = [
        'a'.repeat(50_000),
        `${'a.'.repeat(50_000)}!`,
        `a@${'a-'.repeat(50_000)}!`,
        `/${'~'.repeat(50_000)}`,
        `{${'a,'.repeat(50_000)}!`,
        ':'.repeat(50_000),
        `http://${'%'.repeat(50_000)}`,
      ];
      for (const text of shapes) expect((await judge({ format }, text))?.code).not.toBe('schema-broken');
    },
  );
});
