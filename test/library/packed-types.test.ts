/** The types that people get are those of `dist/lib/*.d.ts`, and not those of the sources from which they are bundled. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { built } from '../support/built.ts';
import { start, tempFolder } from '../support/processes.ts';
import { ROOT } from '../support/source-files.ts';

const TYPESCRIPT = join(ROOT, 'node_modules/typescript7/bin/tsc');
const OPTIONS = {
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable'],
  module: 'nodenext',
  types: ['node'],
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  // So that a type which the bundle names and does not contain is an error.
  skipLibCheck: false,
};

beforeAll(() => built('library'));

it('a typed agent is inferred, and wrong input and wrong answers do not compile, with the published types alone', async () => {
  const project = tempFolder();
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(ROOT, join(project, 'node_modules/batonpass'));
  for (const name of ['vitest', 'zod', '@types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  const tests = readFileSync(join(ROOT, 'test/library/typed-agents.test.ts'), 'utf8');
  const program = tests
    .replace("'../../src/index.ts'", "'batonpass'")
    .replace("'../../src/testing.ts'", "'batonpass/testing'")
    .replace("'../support/", `'${relative(project, join(ROOT, 'test/support'))}/`);
  writeFileSync(join(project, 'program.mts'), program);
  const files = ['program.mts'];
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files }));
  const { code, stdout } = await start(process.execPath, [TYPESCRIPT, '-p', '.', '--listFiles'], { cwd: project })
    .ended;
  const [said, read] = [/error TS/, /^\S*$/].map((kind) => stdout.split('\n').filter((line) => kind.test(line)));
  // Packages of others may have errors of their own, which `skipLibCheck` hides in most projects.
  expect(said?.filter((line) => !/(?:^|\/)node_modules\/(?!batonpass)/.test(line))).toEqual([]);
  expect([0, 2]).toContain(code);
  const ours = read?.filter((file) => /\/(?:dist\/lib|src)\//.test(file) && !file.includes('/node_modules/'));
  expect(ours?.map((file) => relative(ROOT, file)).toSorted()).toEqual([
    'dist/lib/index.d.ts',
    'dist/lib/testing.d.ts',
  ]);
});
