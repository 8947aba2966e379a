/** Whatever code of others is inside the published files, its licence comes along. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { built } from '../support/built.ts';
import { ROOT } from '../support/source-files.ts';

const LICENSES = /Permission is hereby granted|Permission to use, copy|Apache License|Redistribution and use/;

beforeAll(() => built('command'));
beforeAll(() => built('library'));
beforeAll(() => built('dashboard'));

it.each([
  ['command', ['commander', 'hono', 'ajv', 'zod', 'yaml', 'fast-uri']],
  ['library', ['ajv', 'croner', 're2js', 'yaml', 'zod', 'fast-uri']],
  ['dashboard', ['preact', '@preact/signals', '@preact/signals-core', 'uplot', '@dagrejs/dagre', 'markdown-it']],
])('the %s has the licences of the packages in it', (product, packages) => {
  const text = readFileSync(join(ROOT, `dist/notices/${product}.txt`), 'utf8');
  const parts = text.split(`${'='.repeat(78)}\n`).slice(1);
  const named = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) {
    const name = /^(\S+) \S+ \(.+\)$/m.exec(parts[at] ?? '')?.[1] ?? '';
    named.set(name, parts[at + 1] ?? '');
  }
  const without = packages.filter((name) => !LICENSES.test(named.get(name) ?? ''));
  expect(without).toEqual([]);
  expect([...named.keys()]).toEqual([...named.keys()].toSorted());
  expect(named.has('vitest')).toBe(false);
});

it('every package that a source map of the command names is among them', () => {
  const notices = readFileSync(join(ROOT, 'dist/notices/command.txt'), 'utf8');
  const chunks = join(ROOT, 'dist/chunks');
  const maps = readdirSync(chunks).filter((name) => name.endsWith('.cjs.map'));
  const sources = maps.flatMap((name) => {
    const map = JSON.parse(readFileSync(join(chunks, name), 'utf8')) as { readonly sources: readonly string[] };
    return map.sources;
  });
  const names = new Set(sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []));
  // Packages that are bundled themselves lead to sources of theirs, which are nowhere here.
  const packages = [...names].filter((name) => existsSync(join(ROOT, 'node_modules', name)));
  expect(packages.length).toBeGreaterThan(10);
  for (const name of packages) expect(notices).toContain(`\n${name} `);
});
