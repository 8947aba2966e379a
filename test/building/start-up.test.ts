/**
 * Agents start `baton send` on every turn, so what it loads decides how long it takes: parsers and validators that it does
 * not use stay out of the part that all everyday commands load.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/processes.ts';
import { ROOT } from '../support/source-files.ts';

/** Each of these takes longer to load than all of our own code in that part. */
const HEAVY = ['zod', 'yaml', 'ajv', 'hono', 'pino', 're2js', 'postgres', 'commander'];

it('the everyday commands load no package that reading a flag or writing a row does not need', () => {
  const loaded = loadedFrom(join(ROOT, 'dist/baton.cjs'));
  for (const part of ['send', 'everyday']) {
    expect([...loaded].some((path) => path.includes(`/${part}-`))).toBe(true);
  }
  const packages = [...loaded].flatMap((path) => {
    const { sources } = JSON.parse(readFileSync(`${path}.map`, 'utf8')) as { readonly sources: readonly string[] };
    return sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  });
  expect(packages.filter((name) => HEAVY.includes(name))).toEqual([]);
});

/** Modules of Node itself that take 1 to 5 ms to load. */
const SLOW = [
  'crypto',
  'stream',
  'net',
  'tty',
  'child_process',
  'worker_threads',
  'fs/promises',
  'http',
  'zlib',
  'os',
  'perf_hooks',
];

it('sending loads no module of Node that takes longer than the sending', () => {
  const cwd = tempFolder();
  const tell = join(cwd, 'tell.cjs');
  writeFileSync(tell, "process.on('exit', () => console.error(JSON.stringify(process.moduleLoadList)));");
  const run = (...args: readonly string[]): readonly string[] => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
    expect([status, stdout !== '']).toEqual([0, true]);
    return stderr.startsWith('[') ? (JSON.parse(stderr) as string[]) : [];
  };
  const baton = join(ROOT, 'dist/baton.cjs');
  const send = [baton, 'send', '--from', '@me', '--to', '@you', '--text', 'hello'];
  run(baton, 'init');
  // The first command after a change of the configuration reads it.
  run(...send);
  const loaded = run('--require', tell, ...send);
  expect(loaded).toContain('NativeModule fs');
  expect(loaded.filter((name) => SLOW.some((slow) => name === `NativeModule ${slow}`))).toEqual([]);
});

/** What is there when an everyday command runs: the entry, the command, the everyday part, and what these import. */
function loadedFrom(path: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  const text = readFileSync(path, 'utf8');
  const always = [...text.matchAll(/\brequire\("(\.[^"]+\.cjs)" *\)/g)].map(([, name]) => name ?? '');
  const first = [...text.matchAll(/\$parts\("(\.\/(?:[^"]*\/)?(?:cli|send|work|everyday)-[^"/]+\.cjs)" *\)/g)].map(
    ([, name]) => name ?? '',
  );
  for (const name of [...always, ...first]) loadedFrom(join(dirname(path), name), loaded);
  return loaded;
}
