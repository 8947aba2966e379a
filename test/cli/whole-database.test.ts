import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start, startBaton, BATON, tempFolder, until } from '../support/processes.ts';
import { STOPS_IN_THE_MIDDLE, untilStopped } from '../support/stopping.ts';
import { openDatabase } from '../../src/stores/sqlite/binding.ts';
import { fill } from '../transfer/sample.ts';
import { databases, dutyPidOf, jsonLines, makeWorkspace, sqlite, postgresqlWithoutTables } from './workspaces.ts';

interface Diagnosis {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly verdict: string; readonly says: string }[];
}

/** Names of the checks that are not fine, with their verdict. */
function complaintsIn(stdout: string): readonly string[] {
  const { checks } = JSON.parse(stdout) as Diagnosis;
  return checks.filter(({ verdict }) => verdict !== 'ok').map(({ name, verdict }) => `${verdict}: ${name}`);
}

describe.each(databases)('export and import on $name', (database) => {
  it('a file or standard output hold the same, and another workspace takes it', async () => {
    const [one, two] = [await makeWorkspace(database), await makeWorkspace(database)];
    const id = await one.send('@react', { text: 'ü' });
    const told = await one.run(['export', 'all.jsonl', '--json']);
    expect(told).toMatchObject({ code: 0, stderr: '' });
    const file = join(one.folder, 'all.jsonl');
    expect(JSON.parse(told.stdout)).toMatchObject({ file, count: 1 });
    const streamed = await one.run(['export']);
    expect(streamed.stderr).toMatch(/^exported 1 handoff, checksum [0-9a-f]{64}\n$/);
    expect(jsonLines(streamed.stdout).slice(1)).toEqual(jsonLines(readFileSync(file, 'utf8')).slice(1));
    const taken = await two.run(['import', '-', '--as', 'operator'], { input: Buffer.from(streamed.stdout) });
    expect(taken).toMatchObject({ code: 0, stderr: '' });
    expect(taken.stdout).toMatch(/^imported 1 handoff; checksum [0-9a-f]{64}\n$/);
    expect((await (await two.open()).store.load(id))?.handoff.state).toBe('offered');
  });
});

describe('baton export', () => {
  it('replaces no file unasked, is nobody else’s to read, and leaves nothing beside it', async () => {
    const { run, folder } = await makeWorkspace(sqlite);
    writeFileSync(join(folder, 'x.jsonl'), 'mine');
    expect(await run(['export', 'x.jsonl'])).toMatchObject({ code: 5, stdout: '' });
    expect(readFileSync(join(folder, 'x.jsonl'), 'utf8')).toBe('mine');
    expect((await run(['export', 'x.jsonl', '--force'])).code).toBe(0);
    expect(statSync(join(folder, 'x.jsonl')).mode & 0o777).toBe(0o600);
    expect(await run(['export', 'no/such/folder/x'])).toMatchObject({ code: 5, stdout: '' });
    expect(readdirSync(folder).toSorted()).toEqual(['.baton', 'baton.yaml', 'x.jsonl']);
  });

  it('Ctrl-C ends it with 130 and says how to go on; a pipe that nobody reads any more ends it without a word', async () => {
    const { start: startIn, folder, open } = await makeWorkspace(sqlite);
    await fill((await open()).store, 1_500);
    const exporting = startIn(['export', 'x.jsonl'], { env: STOPS_IN_THE_MIDDLE });
    await untilStopped(exporting);
    exporting.signal('SIGINT');
    exporting.signal('SIGCONT');
    const stopped = await exporting.ended;
    expect(stopped).toMatchObject({ code: 130, stdout: '' });
    const [, count = ''] = /^stopped after ([\d,]+) handoffs; the same command continues it\n$/.exec(stopped.stderr)!;
    expect(readdirSync(folder).toSorted()).toEqual(['.baton', '.x.jsonl.partial', 'baton.yaml']);
    const again = await startIn(['export', 'x.jsonl']).ended;
    expect(again.stderr).toMatch(new RegExp(`^going on after ${count} handoffs\nexported 1,500 handoffs, checksum`));
    expect(readdirSync(folder).toSorted()).toEqual(['.baton', 'baton.yaml', 'x.jsonl']);
    const piped = start('sh', ['-c', `"${process.execPath}" "$0" export 2> errors | head -1; cat errors`, BATON], {
      cwd: folder,
    });
    const { code, stdout } = await piped.ended;
    expect([code, jsonLines(stdout)[0]]).toMatchObject([0, { baton: 'export' }]);
    expect(stdout).not.toContain('EPIPE');
  });
});

describe('baton import', () => {
  it('names file, line and column, says what is here now, and answers programs with the same', async () => {
    const { run, folder, send } = await makeWorkspace(sqlite);
    await send('@react');
    await run(['export', 'x.jsonl']);
    const other = await makeWorkspace(sqlite);
    const file = join(folder, 'x.jsonl');
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, [lines[0], lines[1], '{"half', lines[2]].join('\n'));
    const answer = await other.run(['import', file, '--as', 'operator']);
    expect(answer).toMatchObject({ code: 5, stdout: '' });
    expect(answer.stderr).toBe(
      [
        'baton: x.jsonl:3:2: not JSON: a text that is not closed',
        '  x.jsonl:4:1: the export had 1 handoff, this file has 2: lines are missing or repeated',
        '  imported 1 handoff\n',
      ].join('\n'),
    );
    const told = JSON.parse((await other.run(['import', file, '--json', '--as', 'operator'])).stderr) as unknown;
    expect(told).toMatchObject({ error: { code: 'bad-request', file: 'x.jsonl', line: 3, added: 0, same: 1 } });
    for (const wrong of ['nothing.jsonl', folder]) {
      expect(await other.run(['import', wrong, '--as', 'operator'])).toMatchObject({ code: 5, stdout: '' });
    }
  });

  it('Ctrl-C ends it with 130, between two transactions', async () => {
    const { start: startIn, open } = await makeWorkspace(sqlite);
    const source = await makeWorkspace(sqlite);
    await fill((await source.open()).store, 600);
    const text = (await source.run(['export'])).stdout;
    const importing = startIn(['import', '-', '--as', 'operator'], { input: 'open' });
    importing.say(text.slice(0, Math.floor(text.length * 0.8)));
    const { store } = await open();
    await until('some of it is here', async () => (await store.find({ by: 'filter', max: 1 })).items.length > 0);
    importing.signal('SIGINT');
    importing.say(text.slice(Math.floor(text.length * 0.8)));
    const { code, stderr } = await importing.ended;
    expect([code, stderr]).toEqual([130, expect.stringMatching(/^stopped: imported \d+ handoffs\. Run it again/)]);
  });
});

describe('baton backup', () => {
  it('copies the file, and names another way where there is none', async () => {
    const { run, send, folder } = await makeWorkspace(sqlite);
    await send('@react');
    const made = await run(['backup', 'monday.db', '--json']);
    expect(JSON.parse(made.stdout)).toMatchObject({ file: join(folder, 'monday.db'), handoffs: 1 });
    expect(await run(['backup', 'monday.db'])).toMatchObject({ code: 5, stdout: '' });
    expect(await run(['backup', 'monday.db', '--force'])).toMatchObject({ code: 0 });
    expect(await run(['backup', '.baton/baton.db', '--force'])).toMatchObject({ code: 5 });
    const server = await run(['backup', 'x.db', '--database', 'postgres://localhost/none']);
    expect(server).toMatchObject({ code: 2, stdout: '' });
    expect(server.stderr).toMatch(/pg_dump.*baton export/);
    const copy = await run(['doctor', '--database', 'monday.db', '--json']);
    expect(complaintsIn(copy.stdout)).toEqual([]);
  });
});

describe.each(databases)('baton doctor on $name', (database) => {
  it('finds nothing in a workspace that is at work', async () => {
    const { run, start: startIn, send, open } = await makeWorkspace(database);
    await send('@react');
    const ctx = await open();
    const worker = startIn(['work', '@react', '--', 'cat']);
    await until('it has the duty', async () => (await dutyPidOf(ctx)) === worker.pid);
    const { code, stdout, stderr } = await run(['doctor']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toMatch(/^(?:warning|problem)/m);
    expect(stdout).toContain(`duty: process ${worker.pid} sweeps`);
  });

  it('sees a worker that was killed and a duty that hangs', async () => {
    const { run, start: startIn, send, open } = await makeWorkspace(database);
    await send('@react');
    const ctx = await open();
    const worker = startIn(['work', '@react', '--', 'sleep', '600']);
    await until(
      'it holds something',
      async () => (await ctx.store.find({ by: 'filter', states: ['accepted'], max: 1 })).items[0],
    );
    worker.signal('SIGSTOP');
    const hanging = await until('it counts as hanging', async () => {
      const { stdout } = await run(['doctor', '--json']);
      return complaintsIn(stdout).includes('problem: duty') && stdout;
    });
    expect(JSON.parse(hanging)).toMatchObject({ ok: false });
    expect((await run(['doctor'])).code).toBe(1);
    worker.signal('SIGKILL');
    await worker.ended;
    expect(complaintsIn((await run(['doctor', '--json'])).stdout)).toEqual(['warning: workers']);
  });
});

describe('baton doctor', () => {
  it('makes nothing that is missing', async () => {
    const { run, folder } = await makeWorkspace(sqlite);
    rmSync(join(folder, '.baton'), { recursive: true });
    const { code, stdout } = await run(['doctor']);
    expect([code, stdout]).toEqual([1, expect.stringContaining('baton init')]);
    expect(readdirSync(folder)).toEqual(['baton.yaml']);
    const elsewhere = await startBaton(['doctor'], { cwd: tempFolder() }).ended;
    expect(elsewhere).toMatchObject({ code: 3, stdout: '' });
  });

  it('counts one trail as one; a handoff without its text is told by name, here and where it is shown', async () => {
    const { run, send, folder } = await makeWorkspace(sqlite);
    const id = await send('@react');
    expect((await run(['doctor'])).stdout).toContain('trails: 1 trail with 1 fact adds up\n');
    change(folder, 'DELETE FROM body');
    const { code, stdout } = await run(['doctor']);
    expect([code, stdout]).toEqual([1, expect.stringContaining(`audit: the body of ${id} is missing`)]);
    const shown = await run(['show', id]);
    expect(shown).toMatchObject({ code: 1, stdout: '' });
    expect(shown.stderr).toBe(
      `baton: the text of ${id} is missing: the database is damaged; baton doctor lists the damage\n`,
    );
  });

  it.each(['', 'plain text, and no database'])(
    'of a file that is none (%j) it says how to get a backup in',
    async (text) => {
      const { run, send, folder } = await makeWorkspace(sqlite);
      await send('@react');
      await run(['backup', 'monday.db']);
      const path = join(folder, '.baton', 'baton.db');
      writeFileSync(path, text);
      const { code, stdout } = await run(['doctor']);
      expect([code, stdout]).toEqual([
        1,
        expect.stringMatching(/^problem {2}database: .*\n +→ .*-wal.*baton backup.*baton import FILE$/m),
      ]);
      expect(stdout).not.toMatch(/schema version|opening/);
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
      renameSync(join(folder, 'monday.db'), path);
      expect(await run(['doctor'])).toMatchObject({ code: 0 });
    },
  );

  it('makes no tables on a server that has none', async () => {
    const { run, address, open } = await makeWorkspace(postgresqlWithoutTables);
    expect(await run(['doctor'])).toMatchObject({ code: 1 });
    expect((await run(['doctor'])).stdout).toContain('there is no database of Baton');
    expect(address.kind).toBe('postgres');
    await open();
    expect(await run(['doctor'])).toMatchObject({ code: 0 });
  });

  it.each([
    ['permissions', 'warning: permissions', (path: string) => chmodSync(join(path, '.baton'), 0o755)],
    ['configuration', 'problem: configuration', (path: string) => writeFileSync(join(path, 'baton.yaml'), 'colour: 1')],
    ['plain text', 'problem: database', (path: string) => writeFileSync(join(path, '.baton/baton.db'), 'x')],
    ['an emptied file', 'problem: database', (path: string) => truncateSync(join(path, '.baton/baton.db'))],
    ['a header', 'problem: database', (path: string) => overwrite(path, 'nothing like one')],
    [
      'another program’s file',
      'problem: database',
      (path: string) => change(path, 'PRAGMA application_id = 7; PRAGMA wal_checkpoint(truncate)'),
    ],
    ['a counter', 'problem: audit', (path: string) => change(path, 'UPDATE agent SET in_all = 99')],
    ['a fact', 'problem: trails', (path: string) => change(path, `UPDATE fact SET by = 'nobody'`)],
    [
      'a fact of the future',
      'warning: clock',
      (path: string) => change(path, 'UPDATE handoff SET created_at = created_at + 864000000'),
    ],
    [
      'an effect',
      'warning: outbox',
      (path: string) => change(path, `INSERT INTO effect (key, kind, payload, due_at) VALUES ('k', 'tell', '{}', 0)`),
    ],
    [
      'an older schema',
      'problem: database',
      (path: string) => change(path, 'PRAGMA user_version = 1; PRAGMA wal_checkpoint(truncate)'),
    ],
  ])('sees what is wrong: %s', async (_, complaint, spoil) => {
    const { run, send, folder } = await makeWorkspace(sqlite);
    await send('@react');
    spoil(folder);
    const { code, stdout, stderr } = await run(['doctor', '--json']);
    expect(stderr).toBe('');
    expect(complaintsIn(stdout)).toEqual([complaint]);
    expect(code).toBe(complaint.startsWith('problem') ? 1 : 0);
    expect(existsSync(join(folder, '.baton', 'baton.db'))).toBe(true);
  });
});

/** The first bytes alone: everything else is still there. */
function overwrite(folder: string, beginning: string): void {
  const file = openSync(join(folder, '.baton', 'baton.db'), 'r+');
  writeSync(file, beginning);
  closeSync(file);
}

function change(folder: string, sql: string): void {
  const database = openDatabase(join(folder, '.baton', 'baton.db'), { sync: 'normal' });
  database.exec(sql);
  database.close();
}
