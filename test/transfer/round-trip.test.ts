import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { databases, makeWorkspace, openFor, sqlite } from '../cli/workspaces.ts';
import { until } from '../support/processes.ts';
import { contentOf, COUNT, exported, fill, imported, memoryStore } from './sample.ts';

const postgresql = present(
  databases.find(({ name }) => name === 'PostgreSQL'),
  'there is a second database',
);

describe('from one database to the next', () => {
  it('SQLite to PostgreSQL to SQLite: the same content each time, marked as imported, and nothing that an audit finds', async () => {
    const [first, second, third] = [
      (await (await makeWorkspace(sqlite)).open()).store,
      (await (await makeWorkspace(postgresql)).open()).store,
      (await (await makeWorkspace(sqlite)).open()).store,
    ];
    await fill(first, COUNT);
    const one = await exported(first);
    expect(one.count).toBe(COUNT);
    expect(await imported(second, one.text)).toMatchObject({ ok: true, value: { added: COUNT, sha256: one.sha256 } });
    const two = await exported(second);
    expect(contentOf(two.text)).toEqual(contentOf(one.text));
    expect(await imported(third, two.text)).toMatchObject({ ok: true, value: { added: COUNT } });
    const three = await exported(third);
    expect(contentOf(three.text)).toEqual(contentOf(one.text));
    // Both are marked alike as imported.
    expect(three.sha256).toBe(two.sha256);
    for (const store of [first, second, third]) expect(await store.upkeep.audit()).toEqual([]);
  });

  it('the order of the lines does not matter to the checksum, their content does', async () => {
    const store = memoryStore();
    await fill(store, 20);
    const { text, sha256 } = await exported(store);
    const [header, ...rest] = text.trimEnd().split('\n');
    const footer = rest.pop();
    const turned = memoryStore();
    const answer = await imported(turned, [header, ...rest.toReversed(), footer].join('\n'));
    expect(answer).toMatchObject({ ok: true, value: { added: 20, sha256 } });
    expect(contentOf((await exported(turned)).text)).toEqual(contentOf(text));
  });
});

describe.each(databases)('an import into $name that is killed', (database) => {
  it('is run again and completes', async () => {
    const source = memoryStore();
    await fill(source, 2_000);
    const { text, sha256 } = await exported(source);
    const { folder, start, run, open } = await makeWorkspace(database);
    const file = join(folder, 'export.jsonl');
    const half = Math.floor(text.length / 2);
    writeFileSync(file, text);
    const { store } = await open();
    const killed = start(['import', '-', '--as', 'operator'], { input: 'open' });
    killed.say(text.slice(0, half));
    await until('some of it is here', async () => (await store.find({ by: 'filter', max: 1 })).items.length > 0);
    killed.signal('SIGKILL');
    expect((await killed.ended).signal).toBe('SIGKILL');
    const again = await run(['import', file, '--json', '--as', 'operator']);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    const { added, same, ...rest } = JSON.parse(again.stdout) as Record<string, number>;
    expect(same).toBeGreaterThan(0);
    expect(added! + same!).toBe(2_000);
    expect(rest).toEqual({ count: 2_000, sha256, ahead: 0, conflicting: 0 });
    expect(contentOf((await exported(store)).text)).toEqual(contentOf(text));
  });
});

it('what was worked on since is left as it is when the import is run again', async () => {
  const { folder, run, send } = await makeWorkspace(sqlite);
  const id = await send('@react');
  await run(['export', 'one.jsonl']);
  const other = await makeWorkspace(sqlite);
  const file = join(folder, 'one.jsonl');
  await other.run(['import', file, '--as', 'operator']);
  expect((await other.run(['work', '@react', '--once', '--', 'cat'])).code).toBe(0);
  const again = await other.run(['import', file, '--json', '--as', 'operator']);
  expect(JSON.parse(again.stdout)).toMatchObject({ added: 0, same: 0, ahead: 1, conflicting: 0 });
  expect((await (await openFor(other.address)).store.load(id))?.handoff.state).toBe('completed');
});

it('another handoff of the same name is told with its line, and all others are imported', async () => {
  const [one, two] = [memoryStore(), memoryStore()];
  await fill(one, 30);
  await fill(two, 3, 'r1');
  const answer = await imported(two, (await exported(one)).text);
  expect(answer).toMatchObject({ ok: true, value: { added: 27, conflicting: 3 } });
  expect(answer.ok && answer.value.conflicts[0]).toEqual({ line: 12, id: 'r10' });
  const { folder, run, send } = await makeWorkspace(sqlite);
  await send('@react');
  const file = join(folder, 'x.jsonl');
  await run(['export', file]);
  const text = readFileSync(file, 'utf8');
  appendFileSync(file, '\n\n');
  expect(await run(['import', file, '--as', 'operator'])).toMatchObject({ code: 0 });
  expect(text.endsWith('}\n')).toBe(true);
});
