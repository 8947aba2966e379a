import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../../src/formats/document/read.ts';
import { DocumentShape } from '../../../src/formats/document/schema.ts';
import { publishedSchema } from '../../support/published-schema.ts';
import { ROOT } from '../../support/source-files.ts';
import { SPEC_DOCUMENT } from './spec-document.ts';

const FILE = join(ROOT, 'schemas', 'document.schema.json');
const SCHEMA = publishedSchema(DocumentShape, 'The front matter of a handoff document');

describe('the published schema', () => {
  it('is what the code reads', () => {
    const text = `${JSON.stringify(SCHEMA, null, 2)}\n`;
    if (process.env['BATON_WRITE_DOCS'] === '1') writeFileSync(FILE, text);
    expect(readFileSync(FILE, 'utf8'), 'run BATON_WRITE_DOCS=1 npx vitest run test/formats').toBe(text);
  });

  it('takes the example of the specification, and not one without a sender', () => {
    const judge = new Ajv2020({ strict: false }).compile(SCHEMA);
    const { all } = readDocument(SPEC_DOCUMENT);
    expect(judge(all)).toBe(true);
    expect(judge(Object.fromEntries(Object.entries(all).filter(([key]) => key !== 'from_agent')))).toBe(false);
    expect(judge({ ...all, status: 'Done' })).toBe(false);
  });
});
