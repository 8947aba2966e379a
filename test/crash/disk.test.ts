/** Disks that are full or broken: nothing is acknowledged that is not there, and everybody is told what to do. */
import { codeOf } from '../../src/foundation/system-error-code.ts';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import type { HandoffId } from '../../src/domain/names.ts';
import { makeWorkspace, openFor, sqlite, type Workspace } from '../cli/workspaces.ts';
import { howToGet, needComponent } from '../support/components.ts';
import { BATON, baton, start, tempFolder, until, untilSays, type Ended } from '../support/processes.ts';
import { complaintsAbout, everythingIn } from './soundness.ts';

const SEND = ['send', '--json', '--from', 'me', '--to', 'react'];
const FULL = 'the disk is full: nothing was written; free some space and try again';

describe('a full disk', () => {
  it('I4, I3: is said clearly, leaves nothing half-written, and is over when there is space again', async (context) => {
    const disk = smallDisk(context, 700);
    expect(await baton(['init'], { cwd: disk })).toMatchObject({ code: 0 });
    const sent: string[] = [];
    const large = JSON.stringify({ text: 'x'.repeat(30_000) });
    const send = (): Promise<Ended> => baton([...SEND, '--input', large], { cwd: disk });
    let refused = await send();
    while (refused.code === 0 && sent.length < 100) {
      sent.push((JSON.parse(refused.stdout) as { id: string }).id);
      refused = await send();
    }
    expect(sent.length).toBeGreaterThan(0);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(refused.stderr)).toEqual({
      error: { code: 'fault', message: `${join(disk, '.baton/baton.db')}: ${FULL}`, outcome: 'unchanged' },
    });

    spawnSync('mount', ['-o', 'remount,size=4m', disk]);
    const again = await send();
    expect(again.code).toBe(0);
    sent.push((JSON.parse(again.stdout) as { id: string }).id);
    const database = { kind: 'sqlite', path: join(disk, '.baton', 'baton.db') } as const;
    const ctx = await openFor(database);
    const { handoffs } = await everythingIn(ctx.store);
    expect([...handoffs.keys()].toSorted()).toEqual(sent.toSorted());
    expect(await complaintsAbout(ctx.store, database)).toEqual([]);
    await ctx.store.close();
  });

  it('I21: a new workspace is not made by halves', async (context) => {
    const disk = smallDisk(context, 60);
    const made = await baton(['init'], { cwd: disk });
    expect(made).toMatchObject({ code: 1, stdout: '' });
    expect(made.stderr).toBe(`baton: could not make the database ${join(disk, '.baton/baton.db')}: ${FULL}\n`);
    spawnSync('mount', ['-o', 'remount,size=2m', disk]);
    expect(await baton(['init'], { cwd: disk })).toMatchObject({ code: 0 });
    expect(await baton(SEND, { cwd: disk })).toMatchObject({ code: 0 });
  });

  it('I3: a worker keeps its result until there is space for it', async (context) => {
    const disk = smallDisk(context, 1_000);
    await baton(['init'], { cwd: disk });
    const { stdout } = await baton(SEND, { cwd: disk });
    const { id } = JSON.parse(stdout) as { id: HandoffId };
    const answer = `printf '"'; head -c 200000 /dev/zero | tr '\\0' x; printf '"'`;
    const command = `touch began; while [ ! -e go ]; do sleep 0.02; done; ${answer}`;
    const worker = start(process.execPath, [BATON, 'work', '@react', '--once', '--', 'sh', '-c', command], {
      cwd: disk,
    });
    await until('the command has begun', () => spawnSync('ls', [disk], { encoding: 'utf8' }).stdout.includes('began'));
    const ballast = fill(disk);
    writeFileSync(join(disk, 'go'), '');
    await untilSays(worker, `settling ${id}: ${join(disk, '.baton/baton.db')}: ${FULL}`);
    rmSync(ballast);
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(await baton(['wait', id, '--timeout', '0'], { cwd: disk })).toMatchObject({ code: 0 });
  });

  it('is said to a worker that cannot even begin', async (context) => {
    const disk = smallDisk(context, 400);
    await baton(['init'], { cwd: disk });
    // The log of an earlier process is there and cannot grow.
    fill(disk);
    const worked = await baton(['work', '@react', '--', 'cat'], { cwd: disk });
    expect(worked).toMatchObject({ code: 1, stdout: '' });
    expect(worked.stderr).toContain(`${join(disk, '.baton/baton.db')}: the disk`);
  });
});

describe('a disk that reports errors', () => {
  /** By a process of its own, which leaves no log behind: which sync is which depends on it. */
  async function sendFrom({ folder }: Workspace): Promise<string> {
    const { stdout } = await baton(SEND, { cwd: folder });
    return (JSON.parse(stdout) as { id: string }).id;
  }

  /** Every sync from the n-th on fails; the process dies where it would clean up, if told so. */
  async function sendWithBrokenSync(
    context: TestContext,
    { folder }: Workspace,
    from: number,
    dies: boolean,
  ): Promise<Ended> {
    const strace = await needComponent('strace');
    if (strace === null) return context.skip(howToGet('strace'));
    const faults = ['-e', `inject=fsync,fdatasync:error=EIO:when=${from}+`, '-e', 'trace=fsync,fdatasync,unlink'];
    const death = dies ? ['-e', 'inject=unlink:signal=KILL'] : [];
    const program = [process.execPath, BATON, ...SEND];
    return start(strace, ['-f', '-qq', '-o', '/dev/null', ...faults, ...death, ...program], { cwd: folder }).ended;
  }

  /** 1 is the head of the log, 3 the commit; 2 is the folder of a new log, which SQLite does not insist on. */
  it.for([1, 3])('I3, I4: nothing is acknowledged when sync %d fails', async (from, context) => {
    const workspace = await makeWorkspace(sqlite);
    const known = await sendFrom(workspace);
    const broken = await sendWithBrokenSync(context, workspace, from, false);
    expect(broken).toMatchObject({ code: 1, stdout: '' });
    expect(broken.stderr).toContain('the disk reported an error: nothing was acknowledged');
    const ctx = await workspace.open();
    const { handoffs } = await everythingIn(ctx.store);
    expect([...handoffs.keys()]).toContain(known);
    expect(await complaintsAbout(ctx.store, workspace.address)).toEqual([]);
  });

  it('I4: what a failed sync of a commit has done is not known, and that is said', async (context) => {
    const workspace = await makeWorkspace(sqlite);
    await sendFrom(workspace);
    const broken = await sendWithBrokenSync(context, workspace, 3, true);
    expect(broken.stdout).toBe('');
    expect(JSON.parse(broken.stderr)).toMatchObject({ error: { code: 'fault', outcome: 'unknown' } });
    // It was written, and the next process finds it in the log: to have said "unchanged" would have been wrong.
    const ctx = await workspace.open();
    expect((await everythingIn(ctx.store)).handoffs.size).toBe(2);
    expect(await complaintsAbout(ctx.store, workspace.address)).toEqual([]);
  });
});

/** A file system of its own, gone after the test. */
function smallDisk(context: TestContext, kibibytes: number): string {
  if (process.getuid?.() !== 0 && !process.env['CI']) return context.skip('only root can mount a small disk');
  const folder = join(tempFolder(), 'disk');
  mkdirSync(folder);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', folder], {
    encoding: 'utf8',
  });
  if (mounted.status !== 0) throw new Error(`could not mount: ${mounted.stderr}`);
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  return folder;
}

/** Takes all the space that is left. */
function fill(disk: string): string {
  const path = join(disk, 'ballast');
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(path, Buffer.alloc(bavail * bsize));
  } catch (error) {
    // A worker that lives there has taken some of it meanwhile: full it is in any case.
    if (codeOf(error) !== 'ENOSPC') throw error;
  }
  expect(readFileSync(path).length).toBeGreaterThan(0);
  return path;
}
