/** Reading where nothing can be written: a read-only file system, and a full disk. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { baton, startBaton, tempFolder, untilSays, type Ended } from '../support/processes.ts';

const READING = [
  ['list'],
  ['list', '--text', 'hello'],
  ['show', 'ID'],
  ['trace', 'ID'],
  ['inbox', '@react'],
  ['report'],
  ['workflow'],
  ['export', '-'],
] as const;

describe('where nothing can be written', () => {
  it('every reading command works on a read-only file system, and says what it is', async (context) => {
    const { disk, id, run } = await workspaceOn(context);
    mount(disk, 'remount,ro');
    for (const command of READING) {
      const read = await run(command.map((word) => (word === 'ID' ? id : word)));
      expect([command, read.code, read.stderr]).toEqual([
        command,
        0,
        expect.stringContaining('baton.db cannot be written') as unknown,
      ]);
      expect(read.stderr).toContain('a search by text does not find the newest handoffs');
    }
    expect((await run(['show', id])).stdout).toContain(id);
    expect((await run(['export', '-'])).stdout).toContain(id);
    const checked = await run(['doctor']);
    expect(checked.stdout).toMatch(/warning {2}database: .* read-only/);
    expect(checked.stdout).toContain('trails: ');
    const sent = await run(['send', '--from', '@me', '--to', '@react']);
    expect(sent.code).toBe(1);
  });

  it('every reading command works on a full disk', async (context) => {
    const { disk, id, run } = await workspaceOn(context);
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize));
    for (const command of READING) {
      const read = await run(command.map((word) => (word === 'ID' ? id : word)));
      expect([command, read.code, read.stderr]).toEqual([
        command,
        0,
        expect.stringContaining('baton.db cannot be written') as unknown,
      ]);
    }
    expect((await run(['doctor'])).stdout).toContain('trails: ');
  });

  it('what stands only in the log is shown too, while its index is there', async (context) => {
    const { disk, run } = await workspaceOn(context);
    const worker = startBaton(['work', '@other', '--', 'cat'], { cwd: disk });
    await untilSays(worker, 'working as @');
    const { stdout } = await run(['send', '--from', '@me', '--to', '@react']);
    worker.signal('SIGKILL');
    await worker.ended;
    mount(disk, 'remount,ro');
    const listed = await run(['list', '--json']);
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain(stdout.trim());
  });
});

async function workspaceOn(
  context: TestContext,
): Promise<{ readonly disk: string; readonly id: string; readonly run: (args: readonly string[]) => Promise<Ended> }> {
  if (process.getuid?.() !== 0 && !process.env['CI']) return context.skip('only root can mount a small disk');
  const disk = join(tempFolder(), 'disk');
  mkdirSync(disk);
  mount(disk, 'size=2m', '-t', 'tmpfs', 'tmpfs');
  onTestFinished(() => void spawnSync('umount', ['-l', disk]));
  const run = (args: readonly string[]): Promise<Ended> => baton(args, { cwd: disk });
  expect(await run(['init'])).toMatchObject({ code: 0 });
  const sent = await run(['send', '--from', '@me', '--to', '@react', '--title', 'hello']);
  expect(sent.code).toBe(0);
  return { disk, id: sent.stdout.trim(), run };
}

function mount(disk: string, options: string, ...more: readonly string[]): void {
  const { status, stderr } = spawnSync('mount', ['-o', options, ...more, disk], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`could not mount: ${stderr}`);
}
