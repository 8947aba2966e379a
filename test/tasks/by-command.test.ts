import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { tempFolder } from '../support/processes.ts';

const ON = 'folders: { documents: on }\n';
const YEAR = new Date().getUTCFullYear();
const CREATE = ['create', '--document', '--from', '@grok', '--to', '@claude', '--title', 'Limits', '--task'];

describe('baton task new', () => {
  it('D11: makes the next number and prints its id alone', async () => {
    const { folder, run } = await makeWorkspace(sqlite, ON);
    expect(await run(['task', 'new', '--title', 'One', '--owner', '@grok'])).toMatchObject({
      code: 0,
      stdout: `BPRD-${YEAR}-0001\n`,
      stderr: '',
    });
    writeFileSync(join(folder, 'tasks', `BPRD-${YEAR}-0041.md`), '');
    writeFileSync(join(folder, 'tasks', `BPRD-${YEAR - 1}-0999.md`), '');
    writeFileSync(join(folder, 'tasks', `BPRD-${YEAR}-0050-notes.md`), '');
    const second = await run(['task', 'new', '--title', 'A "quoted": title', '--json']);
    expect(JSON.parse(second.stdout)).toEqual({ id: `BPRD-${YEAR}-0042`, file: `tasks/BPRD-${YEAR}-0042.md` });
    const text = readFileSync(join(folder, 'tasks', `BPRD-${YEAR}-0042.md`), 'utf8');
    expect(text).toContain('title: "A \\"quoted\\": title"\nstatus: Open\nowner: null\n');
  });

  it('D11: of those who want one at the same moment each gets a number of its own', async () => {
    const { folder, run } = await makeWorkspace(sqlite, 'tasks: { keep: on, pattern: PLAN-NNN }\n');
    const made = await Promise.all(Array.from({ length: 12 }, (_, at) => run(['task', 'new', '--title', `T ${at}`])));
    expect(made.filter(({ code }) => code !== 0)).toEqual([]);
    const ids = made.map(({ stdout }) => stdout.trim()).toSorted();
    expect(ids).toEqual(Array.from({ length: 12 }, (_, at) => `PLAN-${String(at + 1).padStart(3, '0')}`));
    expect(readdirSync(join(folder, 'tasks')).toSorted()).toEqual(ids.map((id) => `${id}.md`));
    expect(readdirSync(join(folder, '.baton/tasks')).filter((name) => name.endsWith('.draft'))).toEqual([]);
  });

  it('D11: writes nothing through a folder that leads elsewhere', async () => {
    const { folder, run } = await makeWorkspace(sqlite, ON);
    const outside = tempFolder();
    symlinkSync(outside, join(folder, 'tasks'));
    expect((await run(['task', 'new', '--title', 'x'])).code).toBe(1);
    expect(readdirSync(outside)).toEqual([]);
  });

  it('D11: says what is missing: a title, tasks at all, a sound pattern', async () => {
    const { run } = await makeWorkspace(sqlite, ON);
    expect(await run(['task', 'new'])).toMatchObject({ code: 2 });
    const off = await makeWorkspace(sqlite, '');
    expect((await off.run(['task', 'new', '--title', 'x'])).stderr).toContain('tasks: { keep: on }');
    const wrong = await makeWorkspace(sqlite, 'tasks: { pattern: ../NNN }\n');
    expect((await wrong.run(['task', 'new', '--title', 'x'])).stderr).toContain('baton.yaml:1:19: tasks.pattern');
  });
});

describe('a document whose task has no file', () => {
  it('D11: is made, with a warning', async () => {
    const { run } = await makeWorkspace(sqlite, ON);
    const made = await run([...CREATE, 'BPRD-2026-0042']);
    expect(made.code).toBe(0);
    expect(made.stderr).toContain('there is no file tasks/BPRD-2026-0042.md');
    const strange = await run([...CREATE, '../../etc/passwd']);
    expect([strange.code, strange.stderr]).toEqual([2, expect.stringContaining('holds no ".."')]);
  });

  it('D11: is refused where the configuration demands one', async () => {
    const { folder, run } = await makeWorkspace(sqlite, `${ON}tasks: { required: true }\n`);
    const refused = await run([...CREATE, 'BPRD-2026-0042', '--json']);
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toContain('"code":"no-such-task"');
    expect(existsSync(join(folder, '_handoffs/active', 'x'))).toBe(false);
    mkdirSync(join(folder, 'tasks'));
    writeFileSync(join(folder, 'tasks/BPRD-2026-0042.md'), 'status: Open\n');
    expect((await run([...CREATE, 'BPRD-2026-0042'])).code).toBe(0);
  });
});

describe('baton index', () => {
  it('D12: writes the index where it is wrong, and says so', async () => {
    const { folder, run } = await makeWorkspace(sqlite, ON);
    const made = await run([...CREATE, 'T-1']);
    expect(made.code).toBe(0);
    await run(['index']);
    const path = join(folder, '_handoffs/_index.yaml');
    const right = readFileSync(path, 'utf8');
    expect(right).toContain(made.stdout.trim());
    writeFileSync(path, 'active_handoffs: nonsense\n');
    expect(await run(['index'])).toMatchObject({ code: 0, stdout: 'wrote _handoffs/_index.yaml\n' });
    expect(readFileSync(path, 'utf8')).toContain(made.stdout.trim());
    expect(JSON.parse((await run(['index', '--json'])).stdout)).toEqual({
      file: '_handoffs/_index.yaml',
      written: false,
    });
    const off = await makeWorkspace(sqlite, '');
    expect((await off.run(['index'])).stderr).toContain('folders: { documents: on }');
  });
});
