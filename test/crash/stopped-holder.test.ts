/** A process that is stopped while it holds the write lock of SQLite. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeWorkspace, sqlite, type Workspace } from '../cli/workspaces.ts';
import { statOf } from '../../src/foundation/process-identity.ts';
import { SCHEMA_VERSION } from '../../src/stores/sqlite/schema.ts';
import { storedBytes, storedVersions } from '../stored-databases/stored.ts';
import { until, untilSays, type Running } from '../support/processes.ts';
import { usePrograms } from './built-programs.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

const programs = usePrograms([new URL('./programs/stopped-writer.ts', import.meta.url)]);
/** The newest version that has been replaced. */
const OLDER = storedVersions('sqlite', SCHEMA_VERSION).at(-1);
const SEND = ['send', '--from', '@me', '--to', '@react'];

describe.skipIf(process.platform !== 'linux')('a process that is stopped with the write lock', () => {
  async function stopWithLock({ send, address }: Workspace, order: object = {}): Promise<Running> {
    await send('@react');
    return stoppedHolder(address, order);
  }

  async function stoppedHolder(database: Workspace['address'], order: object): Promise<Running> {
    const holder = programs.start('stopped-writer', { database, ...order });
    await untilSays(holder, 'holds');
    await until('it is stopped', () => stateOf(holder.pid) === 'T');
    return holder;
  }

  it('I14: is continued by whoever waits if it is one of our sessions, lets go, and is stopped again', async () => {
    const workspace = await makeWorkspace(sqlite);
    const holder = await stopWithLock(workspace, { hasSession: true });
    const sent = await workspace.run(SEND);
    expect(sent).toMatchObject({ code: 0 });
    expect(sent.stderr).toContain(`process ${holder.pid} (node) is stopped and keeps`);
    // It let go of the lock, which only it could do, and is stopped as it was.
    expect(stateOf(holder.pid)).toBe('T');
    // With the lock free, nobody has a reason to continue it a second time.
    const again = await workspace.run(SEND);
    expect(again.code).toBe(0);
    expect(again.stderr).not.toContain('locked');
    expect(stateOf(holder.pid)).toBe('T');
  });

  it('is named, with what to do, if it is not one of our sessions', async () => {
    const workspace = await makeWorkspace(sqlite);
    const holder = await stopWithLock(workspace);
    const sending = workspace.start(SEND);
    const advice = `process ${holder.pid} (node) holds it and is stopped; continue it with: kill -CONT ${holder.pid}`;
    await untilSays(sending, advice);
    expect(stateOf(holder.pid)).toBe('T');
    holder.signal('SIGCONT');
    expect(await sending.ended).toMatchObject({ code: 0 });
  });

  it('is named also to whoever brings an older database up to date', async () => {
    const workspace = await makeWorkspace(sqlite);
    const { address } = workspace;
    if (address.kind !== 'sqlite') throw new Error('not a file');
    writeFileSync(address.path, storedBytes(`sqlite-${OLDER}.db.gz`), { mode: 0o600 });
    const holder = await stoppedHolder(address, { isOlder: true });
    const sending = workspace.start(SEND);
    await untilSays(sending, `process ${holder.pid} (node) holds it and is stopped`);
    holder.signal('SIGCONT');
    expect(await sending.ended).toMatchObject({ code: 0 });
  });

  it('is named to programs too, in a line of JSON on standard error', async () => {
    const workspace = await makeWorkspace(sqlite);
    const holder = await stopWithLock(workspace);
    const sending = workspace.start([...SEND, '--json']);
    await untilSays(sending, 'kill -CONT');
    holder.signal('SIGKILL');
    const sent = await sending.ended;
    expect(sent.code).toBe(0);
    const { waiting } = JSON.parse(sent.stderr) as { readonly waiting: { readonly message: string } };
    expect(waiting.message).toContain(`process ${holder.pid}`);
  });
});

function stateOf(pid: number): string | null {
  return statOf(pid)?.state ?? null;
}
