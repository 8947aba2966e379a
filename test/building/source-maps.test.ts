/** A stack of the published command leads to the sources, although its files are bundled and have lines put before them. */
import { readdirSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/source-files.ts';

const CHUNKS = join(ROOT, 'dist/chunks');
const SOUGHT = 'function runCommand(';

it('a place in a bundled file is found in its source', () => {
  const texts = readdirSync(CHUNKS)
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => [name, readFileSync(join(CHUNKS, name), 'utf8')] as const)
    .filter(([, text]) => text.includes(SOUGHT));
  expect(texts).not.toEqual([]);
  for (const [name, text] of texts) {
    expect(text.trimEnd().split('\n').at(-1)).toBe(`//# sourceMappingURL=${name}.map`);
    const payload = JSON.parse(readFileSync(join(CHUNKS, `${name}.map`), 'utf8')) as SourceMapPayload;
    const lines = text.split('\n');
    const line = lines.findIndex((each) => each.includes(SOUGHT));
    const entry = new SourceMap(payload).findEntry(line, lines[line]!.indexOf(SOUGHT));
    expect('originalSource' in entry ? entry.originalSource : '').toMatch(/src\/interfaces\/cli\/command\.ts$/);
    const index = payload.sources.findIndex((source) => source.endsWith('src/interfaces/cli/command.ts'));
    const original = payload.sourcesContent[index]?.split('\n')['originalLine' in entry ? entry.originalLine : -1];
    expect(original).toContain(SOUGHT);
  }
});
