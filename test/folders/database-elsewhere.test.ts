import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databases, type TestDatabase } from '../cli/workspaces.ts';
import { quickBaton, startBaton, tempFolder, until } from '../support/processes.ts';
import { aRequest } from './queue-world.ts';

async function addressOf(database: TestDatabase): Promise<string> {
  const address = await database.make(tempFolder());
  return address.kind === 'postgres' ? address.url : address.path;
}

async function workspace(): Promise<string> {
  const folder = tempFolder();
  expect((await quickBaton(['init'], { cwd: folder })).code).toBe(0);
  writeFileSync(join(folder, 'baton.yaml'), 'folders: { queue: on }\n');
  return folder;
}

describe.each(databases)('a workspace whose database is elsewhere, on $name', (database) => {
  it('Q1, F2, I11: sync makes a pass over its folders', async () => {
    const [folder, address] = [await workspace(), await addressOf(database)];
    const sync = async (): Promise<unknown> =>
      (await quickBaton(['sync', '--database', address], { cwd: folder })).code;
    expect(await sync()).toBe(0);
    writeFileSync(join(folder, 'handoffs/pending/x.json'), JSON.stringify(aRequest('x')));
    expect(await sync()).toBe(0);
    const shown = await quickBaton(['show', 'x', '--json', '--database', address], { cwd: folder });
    expect(JSON.parse(shown.stdout)).toMatchObject({ id: 'x', state: 'offered' });
    // The workspace's own database has not heard of it.
    expect((await quickBaton(['show', 'x'], { cwd: folder })).code).not.toBe(0);
  });

  it('Q4, Q5, F2: a worker takes in what comes, and answers it there', async () => {
    const [folder, address] = [await workspace(), await addressOf(database)];
    const command = ['--', 'sh', '-c', 'cat > /dev/null; echo 7'];
    const worker = startBaton(['work', '@react', '--database', address, ...command], { cwd: folder });
    await until('it keeps the folders', () => existsSync(join(folder, 'handoffs/pending')));
    writeFileSync(join(folder, 'handoffs/pending/x.json'), JSON.stringify(aRequest('x')));
    await until('it is done', () => existsSync(join(folder, 'handoffs/completed/x.json')));
    const file = JSON.parse(readFileSync(join(folder, 'handoffs/completed/x.json'), 'utf8')) as object;
    expect(file).toMatchObject({ handoff_id: 'x', status: 'completed' });
    worker.signal('SIGTERM');
    expect((await worker.ended).stderr).not.toMatch(/fault|quarantine/);
  });

  it('a database without a workspace has no folders', async () => {
    const [folder, address] = [tempFolder(), await addressOf(database)];
    const sent = await quickBaton(['send', '--from', '@me', '--to', '@react', '--database', address], { cwd: folder });
    expect(sent.code).toBe(0);
    expect((await quickBaton(['sync', '--database', address], { cwd: folder })).code).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });
});
