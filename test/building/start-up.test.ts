/**
 * Agents start `baton send` on every turn, so what it loads decides how long it takes: parsers and validators that it does
 * not use stay out of the part that all everyday commands load.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/source-files.ts';

/** Each of these takes longer to load than all of our own code in that part. */
const HEAVY = ['zod', 'yaml', 'ajv', 'hono', 'pino', 're2js', 'postgres'];

it('the everyday commands load no package that reading a flag or writing a row does not need', () => {
  const loaded = loadedFrom(join(ROOT, 'dist/baton.cjs'));
  expect([...loaded].some((path) => path.includes('/everyday-'))).toBe(true);
  const packages = [...loaded].flatMap((path) => {
    const { sources } = JSON.parse(readFileSync(`${path}.map`, 'utf8')) as { readonly sources: readonly string[] };
    return sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  });
  expect(packages.filter((name) => HEAVY.includes(name))).toEqual([]);
});

/** What is there when an everyday command runs: the entry, the command, the everyday part, and what these import. */
function loadedFrom(path: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  const text = readFileSync(path, 'utf8');
  const always = [...text.matchAll(/\brequire\("(\.[^"]+\.cjs)"\)/g)].map(([, name]) => name ?? '');
  const first = [...text.matchAll(/\$parts\("(\.[^"]*\/?(?:command|everyday)-[^"/]+\.cjs)"\)/g)].map(
    ([, name]) => name ?? '',
  );
  for (const name of [...always, ...first]) loadedFrom(join(dirname(path), name), loaded);
  return loaded;
}
