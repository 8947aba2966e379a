import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../support/source-files.ts';
import { example } from './messages.ts';
import { queueSchemas } from './published-schemas.ts';

describe('the published schemas of the queue', () => {
  it.each(Object.entries(queueSchemas()))('%s is what the code reads', (file, schema) => {
    expect(JSON.parse(readFileSync(join(ROOT, 'schemas', file), 'utf8'))).toEqual(JSON.parse(JSON.stringify(schema)));
  });

  it.each([
    ['queue-request.schema.json', 'request'],
    ['queue-response.schema.json', 'response'],
    ['queue-failure.schema.json', 'failure'],
  ] as const)('Q2, Q5, Q6: %s accepts the example of the specification, and not without its id', (file, name) => {
    const judge = new Ajv2020({ strict: false }).compile(queueSchemas()[file] ?? false);
    judge(example(name));
    expect(judge.errors).toBeNull();
    expect(judge({ ...example(name), handoff_id: '../x' })).toBe(false);
  });
});
