import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { databases, makeWorkspace, sqlite, type TestDatabase, type Workspace } from '../cli/workspaces.ts';
import { BATON, start, type Running } from '../support/processes.ts';
import { STOPS_IN_THE_MIDDLE, untilStopped } from '../support/stopping.ts';
import { fill } from './sample.ts';

interface Told {
  readonly count: number;
  readonly sha256: string;
  readonly resumed: number;
}

interface Place extends Workspace {
  readonly file: string;
  readonly partial: string;
  /** Everything beside the workspace's own. */
  readonly left: () => readonly string[];
  readonly exportNow: (...more: readonly string[]) => Promise<Told>;
}

async function makePlace(database: TestDatabase, count: number): Promise<Place> {
  const workspace = await makeWorkspace(database);
  const { folder, run, open } = workspace;
  await fill((await open()).store, count);
  return {
    ...workspace,
    file: join(folder, 'x.jsonl'),
    partial: join(folder, '.x.jsonl.partial'),
    left: () => readdirSync(folder).filter((name) => name !== '.baton' && name !== 'baton.yaml'),
    exportNow: async (...more) => {
      const ended = await run(['export', 'x.jsonl', '--json', ...more]);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      return JSON.parse(ended.stdout) as Told;
    },
  };
}

/** Enough for several pieces of the file. */
const MANY = 400;

/** A few lines are on the disk, and it is not over: it has stopped itself. */
async function startedHalf(place: Place): Promise<Running> {
  const exporting = place.start(['export', 'x.jsonl'], { env: STOPS_IN_THE_MIDDLE });
  await untilStopped(exporting);
  expect(statSync(place.partial).size).toBeGreaterThan(0);
  return exporting;
}

/** The file that an export of now makes, under another name. */
async function wholeOf({
  run,
  folder,
}: Workspace): Promise<{ readonly lines: readonly string[]; readonly told: Told }> {
  const ended = await run(['export', 'whole.jsonl', '--json', '--force']);
  expect(ended).toMatchObject({ code: 0 });
  const lines = linesIn(join(folder, 'whole.jsonl'));
  return { lines, told: JSON.parse(ended.stdout) as Told };
}

/** What a file looks like, and after how many of its forty handoffs an export goes on. */
const LEFT: readonly (readonly [string, number, (lines: readonly string[]) => string])[] = [
  ['ends in the middle of a line', 20, (lines) => lines.slice(0, 21).join('') + lines[21]!.slice(0, -9)],
  ['ends before the end of a line', 20, (lines) => lines.slice(0, 22).join('').trimEnd()],
  ['has a hole at its end', 20, (lines) => lines.slice(0, 21).join('') + '\0'.repeat(9_000)],
  ['has a hole with lines after it', 20, (lines) => `${lines.slice(0, 21).join('')}\0\n${lines.slice(21).join('')}`],
  ['has a changed byte', 9, (lines) => spoilt(lines, 10, (line) => line.replace('"fence":', '"fence":1'))],
  ['has another checksum', 9, (lines) => spoilt(lines, 10, (line) => line.replace(/.{4}"\}\n$/, '0000"}\n'))],
  ['lacks one that was committed late', 9, (lines) => lines.toSpliced(10, 1).slice(0, 30).join('')],
  ['has one twice', 10, (lines) => lines.toSpliced(10, 0, lines[10]!).slice(0, 30).join('')],
  ['has two in another order', 9, (lines) => lines.toSpliced(10, 2, lines[11]!, lines[10]!).slice(0, 30).join('')],
  ['is complete', 40, (lines) => lines.join('')],
  ['has more after its end', 40, (lines) => `${lines.join('')}${lines[4]}`],
  ['is only a first line', 0, (lines) => lines[0]!],
  ['is half a first line', 0, (lines) => lines[0]!.slice(0, 20)],
  ['is empty', 0, () => ''],
];

describe.each(databases)('an export from $name that is killed', (database) => {
  it('goes on where it was, and is what it would have been', async () => {
    const place = await makePlace(database, MANY);
    const killed = await startedHalf(place);
    killed.signal('SIGKILL');
    expect((await killed.ended).signal).toBe('SIGKILL');
    expect(place.left()).toEqual(['.x.jsonl.partial', '.x.jsonl.partial.lock']);
    expect(statSync(place.partial).mode & 0o777).toBe(0o600);
    const { resumed, ...told } = await place.exportNow();
    expect(resumed).toBeGreaterThan(0);
    expect(resumed).toBeLessThan(MANY);
    expect(place.left()).toEqual(['x.jsonl']);
    const whole = await wholeOf(place);
    expect(told).toMatchObject({ count: MANY, sha256: whole.told.sha256 });
    expect(linesIn(place.file).slice(1)).toEqual(whole.lines.slice(1));

    const other = await makeWorkspace(sqlite);
    const taken = await other.run(['import', place.file, '--json', '--as', 'operator']);
    expect(JSON.parse(taken.stdout)).toMatchObject({ count: MANY, added: MANY, sha256: whole.told.sha256 });
    const { store } = await other.open();
    expect(await store.upkeep.audit()).toEqual([]);
  });

  it('keeps what it had as it was, takes in what is new, and can be imported', async () => {
    const place = await makePlace(database, 0);
    const first = await place.send('@react');
    const second = await place.send('@react', {}, ['--depends', first]);
    const early = await wholeOf(place);
    writeFileSync(place.partial, early.lines.slice(0, 3).join(''));
    expect((await place.run(['work', '@react', '--once', '--', 'cat'])).code).toBe(0);
    const third = await place.send('@react', {}, ['--depends', second]);
    expect(await place.exportNow()).toMatchObject({ count: 3, resumed: 2 });
    const other = await makeWorkspace(sqlite);
    expect(await other.run(['import', place.file, '--as', 'operator'])).toMatchObject({ code: 0 });
    const { store } = await other.open();
    const states = await Promise.all([first, second, third].map(async (id) => (await store.load(id))?.handoff.state));
    expect(states).toEqual(['offered', 'blocked', 'blocked']);
    expect(await store.upkeep.audit()).toEqual([]);
  });

  it('goes on after the last good line, whatever its file looks like', async () => {
    const place = await makePlace(database, 40);
    const whole = await wholeOf(place);
    for (const [what, resumed, left] of LEFT) {
      writeFileSync(place.partial, left(whole.lines));
      const { count, sha256, resumed: after } = await place.exportNow('--force');
      expect({ what, count, sha256, after }).toEqual({ what, count: 40, sha256: whole.told.sha256, after: resumed });
      expect(linesIn(place.file).slice(1)).toEqual(whole.lines.slice(1));
      expect(place.left()).toEqual(['whole.jsonl', 'x.jsonl']);
    }
  });
});

describe('an export that was interrupted', () => {
  it('is not gone on with in another database, nor in one that has lost what it holds', async () => {
    const [place, other] = [await makePlace(sqlite, 10), await makePlace(sqlite, 0)];
    await other.send('@react');
    for (const left of [
      (await wholeOf(other)).lines.slice(0, 2).join(''),
      (await wholeOf(place)).lines.slice(0, 5).join('') + (await wholeOf(other)).lines[1]!,
      'something else\n',
    ]) {
      writeFileSync(place.partial, left);
      const refused = await place.run(['export', 'x.jsonl']);
      expect(refused).toMatchObject({ code: 5, stdout: '' });
      expect(refused.stderr).toMatch(/is not the beginning of this export: .*--from-start to throw it away\n$/);
      expect(readFileSync(place.partial, 'utf8')).toBe(left);
      expect(existsSync(place.file)).toBe(false);
    }
    expect(await place.exportNow('--from-start')).toMatchObject({ count: 10, resumed: 0 });
    expect(place.left()).toEqual(['whole.jsonl', 'x.jsonl']);
  });

  it('is thrown away on request, and replaces no file unasked', async () => {
    const place = await makePlace(sqlite, 10);
    const { lines } = await wholeOf(place);
    writeFileSync(place.partial, lines.slice(0, 5).join(''));
    writeFileSync(place.file, 'mine');
    expect(await place.run(['export', 'x.jsonl'])).toMatchObject({ code: 5, stdout: '' });
    expect([readFileSync(place.file, 'utf8'), existsSync(place.partial)]).toEqual(['mine', true]);
    expect(await place.exportNow('--force', '--from-start')).toMatchObject({ count: 10, resumed: 0 });
  });

  it('is left alone while its writer is at work, even if that hangs', async () => {
    const place = await makePlace(sqlite, MANY);
    const first = await startedHalf(place);
    for (const more of [[], ['--from-start'], ['--force']]) {
      const second = await place.run(['export', 'x.jsonl', ...more]);
      expect(second).toMatchObject({ code: 5, stdout: '' });
      expect(second.stderr).toContain(`process ${first.pid} is writing ${place.file} now`);
    }
    first.signal('SIGCONT');
    expect((await first.ended).code).toBe(0);
    expect(place.left()).toEqual(['x.jsonl']);
    const { told } = await wholeOf(place);
    expect(readFileSync(place.file, 'utf8')).toContain(`{"end":true,"count":${MANY},"sha256":"${told.sha256}"}`);
  });

  it('has one writer when many begin at once', async () => {
    const place = await makePlace(sqlite, 500);
    const dead = { host: 'x', boot: '', pidSpace: '', pid: 1, startedAt: '' };
    writeFileSync(`${place.partial}.lock`, JSON.stringify(dead));
    utimesSync(`${place.partial}.lock`, 0, 0);
    const all = await Promise.all([1, 2, 3].map(async () => place.run(['export', 'x.jsonl'])));
    expect(all.filter(({ code }) => code === 0)).toHaveLength(1);
    const others = all.filter(({ code }) => code !== 0).map(({ stderr }) => stderr);
    for (const says of others) expect(says).toMatch(/writing .*now|exists; give another|has taken over/);
    expect(place.left()).toEqual(['x.jsonl']);
  });

  it('of which nobody can tell whether its writer lives is left alone for a minute', async () => {
    const place = await makePlace(sqlite, 10);
    const lock = `${place.partial}.lock`;
    for (const words of [
      JSON.stringify({ host: 'far', boot: 'b', pidSpace: 'p', pid: 7, startedAt: '1' }),
      '',
      'null',
    ]) {
      writeFileSync(lock, words);
      const refused = await place.run(['export', 'x.jsonl', '--force']);
      expect(refused.stderr).toMatch(/(?:process 7 on far|another process) may be writing .* try again in a minute\n$/);
      expect(refused.code).toBe(5);
      utimesSync(lock, Date.now() / 1000 - 61, Date.now() / 1000 - 61);
      await place.exportNow('--force');
    }
  });

  it('a writer that was taken to be dead writes no more when it comes back', async () => {
    const place = await makePlace(sqlite, MANY);
    const first = await startedHalf(place);
    const lock = `${place.partial}.lock`;
    writeFileSync(lock, readFileSync(lock, 'utf8').replace(/"startedAt":"/, '"startedAt":"9'));
    const told = await place.exportNow();
    first.signal('SIGCONT');
    const { code, stderr } = await first.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('another process has taken over')]);
    expect(told).toMatchObject({ count: MANY, sha256: (await wholeOf(place)).told.sha256 });
    const other = await makeWorkspace(sqlite);
    expect(await other.run(['import', place.file, '--as', 'operator'])).toMatchObject({ code: 0 });
  });

  it('by a full disk says so, and goes on when there is room', async () => {
    const place = await makePlace(sqlite, MANY);
    const script = `ulimit -f 200; exec "${process.execPath}" "$0" export x.jsonl`;
    const full = await start('sh', ['-c', script, BATON], { cwd: place.folder }).ended;
    expect([full.code, full.stdout]).toEqual([1, '']);
    expect(full.stderr).toMatch(/what was written until then is kept.*\n.*EFBIG/);
    expect(place.left()).toEqual(['.x.jsonl.partial']);
    const told = await place.exportNow();
    expect(told.resumed).toBeGreaterThan(0);
    expect(told.sha256).toBe((await wholeOf(place)).told.sha256);
  });

  it('between its two names is left as it is, and so is what somebody else put in its place', async () => {
    const place = await makePlace(sqlite, 10);
    const whole = join(place.folder, 'whole.jsonl');
    const text = (await wholeOf(place)).lines.join('');
    linkSync(whole, place.partial);
    await place.send('@react');
    expect(await place.exportNow()).toMatchObject({ count: 11, resumed: 0 });
    expect(readFileSync(whole, 'utf8')).toBe(text);
    symlinkSync(whole, place.partial);
    const refused = await place.run(['export', 'x.jsonl', '--force']);
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('is not a file of yours')]);
    expect(readFileSync(whole, 'utf8')).toBe(text);
    expect(place.left().includes('.x.jsonl.partial.lock')).toBe(false);
  });
});

/** With their ends. */
function linesIn(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split(/(?<=\n)/);
}

function spoilt(lines: readonly string[], at: number, how: (line: string) => string): string {
  const changed = how(present(lines[at], 'there is such a line'));
  expect(changed).not.toBe(lines[at]);
  return lines.with(at, changed).slice(0, 30).join('');
}
