/** The messages of the specification, as its examples show them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/foundation/json.ts';
import { ROOT } from '../../support/source-files.ts';

/** The public specification itself: its examples are read out of its text, so that nobody can improve them. */
const SPECIFICATION = readFileSync(join(ROOT, 'test/specs/000-file-queue.md'), 'utf8');

export function codeBlocks(language: string): readonly string[] {
  return [...SPECIFICATION.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)]
    .filter(([, name]) => name === language)
    .map(([, , text = '']) => text);
}

const [request = '', response = '', failure = ''] = codeBlocks('json');
export const EXAMPLES = { request, response, failure };

export function example(name: keyof typeof EXAMPLES): JsonObject {
  return JSON.parse(EXAMPLES[name]) as JsonObject;
}
