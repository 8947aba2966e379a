/** What V8 has compiled of the command is kept beside it. Whatever happens to it, the command says the same. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../support/source-files.ts';
import { tempFolder } from '../support/processes.ts';

const DIST = join(ROOT, 'dist');

const HOOK = ['hook', 'claude', 'stop'];

/** The command in a folder of its own, in which nothing is compiled yet; its packages are found from there. */
function ownCommand(): {
  readonly run: (env?: Record<string, string>, args?: readonly string[], how?: 'fails') => string;
  readonly compiled: () => string[];
} {
  const folder = mkdtempSync(join(DIST, '.compiled-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(DIST, 'baton.cjs'), join(folder, 'baton.cjs'));
  symlinkSync(join(DIST, 'chunks'), join(folder, 'chunks'));
  const cwd = tempFolder();
  return {
    run: (env = {}, args = HOOK, how) => {
      const { PATH } = process.env;
      const options = { cwd, input: '{}', env: { PATH, ...env } };
      const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, 'baton.cjs'), ...args], options);
      const isGood = status === 0 && String(stderr) === '';
      expect({ isGood, stderr: String(stderr) }).toMatchObject({ isGood: how !== 'fails' });
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

it('grows with the first successful run of each command, and with no other run', () => {
  const { run, compiled } = ownCommand();
  const sizes = (): Map<string, number> => new Map(compiled().map((file) => [file, statSync(file).size]));
  const inode = (file: string): number => statSync(file).ino;
  const commands = (): string[] => compiled().flatMap((file) => (file.endsWith('.cjs') ? [] : [basename(file)]));
  const entry = (): string => compiled().find((file) => /\/cli-[^/]+\.cjs$/.test(file)) ?? '';
  run({}, ['init']);
  const afterInit = sizes();
  const before = inode(entry());
  for (const wrong of [['nonsense'], ['send', '--from', '@me']]) run({}, wrong, 'fails');
  expect([inode(entry()), commands()]).toEqual([before, ['init']]);
  const send = ['send', '--from', '@me', '--to', '@you', '--text', 'hello'];
  run({}, send);
  expect(commands()).toEqual(['init', 'send']);
  const afterSend = sizes();
  const grown = [...afterInit].filter(([file, size]) => (afterSend.get(file) ?? 0) > size);
  expect(grown.length).toBeGreaterThan(0);
  const kept = inode(entry());
  run({}, send);
  expect([sizes(), inode(entry())]).toEqual([afterSend, kept]);
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
