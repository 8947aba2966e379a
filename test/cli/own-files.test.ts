/** Files that anybody else may change are not opened, and the message has the command that puts them right. */
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownershipProblem } from '../../src/foundation/file-ownership.ts';
import { BATON, start, tempFolder } from '../support/processes.ts';
import { makeWorkspace, sqlite } from './workspaces.ts';

const isWindows = process.platform === 'win32';
const isRoot = process.getuid?.() === 0;

describe.skipIf(isWindows)('files of ours that others may change', () => {
  it.each([
    ['.baton', 0o777],
    ['.baton/baton.db', 0o666],
    ['.baton/baton.db-wal', 0o666],
    ['.baton/serve.json', 0o606],
  ])('%s with mode %o is refused at the start and by the doctor, with the chmod to run', async (name, mode) => {
    const { run, send, open, folder } = await makeWorkspace(sqlite);
    await send('react');
    // Keeps the log of the database there while the others come.
    await (await open()).store.facts({ max: 1 });
    const path = join(folder, name);
    if (name.endsWith('.json')) writeFileSync(path, '{}');
    chmodSync(path, mode);
    const listed = await run(['list']);
    expect(listed).toMatchObject({ code: 1, stdout: '' });
    expect(listed.stderr).toContain(`every user of this machine may change ${path} (mode ${mode.toString(8)})`);
    expect(listed.stderr).toContain(`chmod o-w ${path}`);
    const doctor = await run(['doctor']);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/problem {2}own files: every user of this machine may change/);
    expect(doctor.stdout).toContain(`chmod o-w ${path}`);
    chmodSync(path, mode & ~0o022);
    expect((await run(['list'])).code).toBe(0);
    expect((await run(['doctor'])).stdout).toMatch(/ok +own files: /);
  });

  it('a file of another user is refused with the chown; root and a sticky folder are not', () => {
    const folder = tempFolder();
    const path = join(folder, 'x');
    writeFileSync(path, '');
    const owner = statSync(path).uid;
    expect(ownershipProblem(path, owner)).toBeNull();
    expect(ownershipProblem(path, 0)).toBeNull();
    expect(ownershipProblem(path, null)).toBeNull();
    expect(ownershipProblem(join(folder, 'nothing'), owner)).toBeNull();
    const sticky = join(folder, 'shared');
    mkdirSync(sticky);
    chmodSync(sticky, 0o1777);
    expect(ownershipProblem(sticky, owner)).toBeNull();
    chmodSync(sticky, 0o777);
    expect(ownershipProblem(sticky, owner)).toMatchObject({ todo: `chmod o-w ${sticky}` });
    if (!isRoot) return;
    chownSync(path, 12_345, 12_345);
    expect(ownershipProblem(path, 1_000)).toMatchObject({
      says: expect.stringContaining('belongs to another user (id 12345)') as unknown,
      todo: expect.stringContaining(`chown 1000 ${path}`) as unknown,
    });
    expect(ownershipProblem(path, 12_345)).toBeNull();
  });

  it('without any umask, no folder of ours can be written by others', async () => {
    const folder = tempFolder();
    const script = `umask 0 && '${process.execPath}' '${BATON}' init && printf 'folders: { queue: on, documents: on }\\n' > baton.yaml && '${process.execPath}' '${BATON}' send --from me --to react --input 1 && '${process.execPath}' '${BATON}' task new --title first && '${process.execPath}' '${BATON}' sync`;
    const done = await start('sh', ['-c', script], { cwd: folder }).ended;
    expect(done).toMatchObject({ code: 0 });
    const folders = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
    expect(folders.some((each) => each.endsWith(join('handoffs', 'pending')))).toBe(true);
    expect(folders.filter((each) => (statSync(each).mode & 0o022) !== 0)).toEqual([]);
  });
});
