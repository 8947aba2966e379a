/** What V8 has compiled of the command is kept beside it. Whatever happens to it, the command says the same. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../support/source-files.ts';
import { tempFolder } from '../support/processes.ts';

const DIST = join(ROOT, 'dist');

/** The command in a folder of its own, in which nothing is compiled yet; its packages are found from there. */
function ownCommand(): { readonly run: (env?: Record<string, string>) => string; readonly compiled: () => string[] } {
  const folder = mkdtempSync(join(DIST, '.compiled-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(DIST, 'baton.cjs'), join(folder, 'baton.cjs'));
  symlinkSync(join(DIST, 'chunks'), join(folder, 'chunks'));
  const cwd = tempFolder();
  return {
    run: (env = {}) => {
      const { PATH } = process.env;
      const args = [join(folder, 'baton.cjs'), 'hook', 'claude', 'stop'];
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd, input: '{}', env: { PATH, ...env } });
      expect([String(stderr), status]).toEqual(['', 0]);
      return String(stdout);
    },
    compiled: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.parentPath.includes('/compiled/'))
        .map(({ parentPath, name }) => join(parentPath, name))
        .toSorted(),
  };
}

it('is kept by the first start, used by the next, and made anew where V8 refuses it', () => {
  const { run, compiled } = ownCommand();
  expect([compiled(), run()]).toEqual([[], '{}\n']);
  const files = compiled();
  expect(files.map((file) => /(\w+)-[^/]+\.cjs$/.exec(file)?.[1])).toContain('hook');
  const [first = ''] = files;
  const kept = readFileSync(first);
  // One that V8 takes is not written again: it would be another file of the same name.
  const { ino } = statSync(first);
  expect([run(), statSync(first).ino]).toEqual(['{}\n', ino]);
  for (const broken of [Buffer.alloc(0), Buffer.from('no code'), kept.subarray(0, 40), Buffer.alloc(kept.length)]) {
    writeFileSync(first, broken);
    expect([run(), run()]).toEqual(['{}\n', '{}\n']);
    // How much of it V8 has compiled by its end is not the same in every run.
    expect(readFileSync(first).length).toBeGreaterThan(broken.length === kept.length ? 1_000 : broken.length);
    expect(readFileSync(first).equals(broken)).toBe(false);
  }
  expect(compiled()).toEqual(files);
});

it('is made anew where a bit has flipped, anywhere', () => {
  const { run, compiled } = ownCommand();
  run();
  const files = compiled();
  const kept = files.map((file) => readFileSync(file));
  for (const part of [0.1, 0.35, 0.6, 0.85]) {
    for (const [index, file] of files.entries()) {
      const bytes = Buffer.from(kept[index] ?? Buffer.alloc(0));
      const at = Math.floor(bytes.length * part);
      bytes[at] = (bytes[at] ?? 0) ^ 0b100;
      writeFileSync(file, bytes);
    }
    expect(run()).toBe('{}\n');
    for (const file of files) {
      const bytes = readFileSync(file);
      expect(bytes.subarray(0, bytes.length / 2).equals(bytes.subarray(bytes.length / 2))).toBe(true);
    }
  }
});

it('is nothing for whoever runs node with options, measures coverage or wants none', () => {
  const { run, compiled } = ownCommand();
  for (const env of [
    { NODE_OPTIONS: '--max-old-space-size=512' },
    { NODE_OPTIONS: '--enable-source-maps' },
    { NODE_DISABLE_COMPILE_CACHE: '1' },
  ]) {
    expect(run(env)).toBe('{}\n');
  }
  expect(run({ NODE_V8_COVERAGE: tempFolder() })).toBe('{}\n');
  expect(compiled()).toEqual([]);
});
