import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { databases, makeWorkspace, openFor, sqlite } from '../cli/workspaces.ts';
import { until } from '../support/processes.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { addSchedule } from '../../src/engine/schedules.ts';
import { addSchedule as addingSchedule } from '../../src/operations/schedule.ts';
import type { InputOf } from '../../src/operations/field.ts';
import { runFor } from '../../src/operations/operation.ts';
import { hexDigestOf } from '../../src/foundation/digest.ts';
import { DEV, engineWorld, made, ME } from '../engine/engine-world.ts';
import { contentOf, COUNT, exported, fill, imported, memoryStore } from './sample.ts';

const postgresql = present(
  databases.find(({ name }) => name === 'PostgreSQL'),
  'there is a second database',
);

const me = agentPrincipal(ME);

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

describe('schedules', () => {
  const request = {
    from: ME,
    to: DEV,
    input: { text: 'check the links' },
    title: 'links',
    context: { site: 'docs' },
    terms: { deliverables: ['a list'], retry: DEFAULT_RETRY, attemptTimeoutMs: 60_000 },
  };

  it('go along with when they are due next, and stay as they are where they have been imported before', async () => {
    const from = engineWorld('SQLite');
    await from.send();
    made(await addSchedule(from.ctx, me, { name: 'links', missed: 'skip', recurrence: { everyMs: 60_000 }, request }));
    const recurrence = { cron: '0 9 * * 1-5', zone: 'Europe/Berlin' };
    made(await addSchedule(from.ctx, me, { name: 'report', missed: 'all', recurrence, request }));
    from.clock.advance(60_000);
    await from.sweep();
    const all = await from.ctx.store.schedules.list(10);
    expect(all[0]?.last).not.toBeNull();
    const { text, count, schedules, sha256 } = await exported(from.ctx.store);
    expect({ count, schedules }).toEqual({ count: 2, schedules: 2 });
    const target = memoryStore();
    expect(await imported(target, text)).toMatchObject({ ok: true, value: { added: 2, schedules: 2, sha256 } });
    expect(await target.schedules.list(10)).toEqual(all);
    expect(await imported(target, text)).toMatchObject({ ok: true, value: { added: 0, schedules: 0, same: 2 } });
    expect((await exported(target)).text.split('\n').slice(-4, -2)).toEqual(text.split('\n').slice(-4, -2));
  });

  it('go along whatever they send: with every field that a schedule takes', async () => {
    const from = engineWorld('memory');
    const all: InputOf<typeof addingSchedule.input> = {
      name: 'all',
      everyMs: 60_000,
      missed: 'once',
      from: ME,
      to: DEV,
      input: { a: [1, null] },
      context: { b: true },
      title: 't',
      task: 'T-1',
      priority: 'high',
      kind: 'queue',
      draft: false,
      deliverables: ['page'],
      criteria: ['works'],
      verifiers: [ME],
      check: 'true',
      anyCommit: true,
      timeoutMs: 60_000,
      onFailed: ME,
      retry: { max: 2, delayMs: 1_000, multiplier: 2 },
    };
    const others = Object.keys(addingSchedule.input).filter((key) => !(key in all));
    expect(others.toSorted()).toEqual(['cron', 'schema', 'text', 'zone']);
    made(await runFor(addingSchedule, from.ctx, me, all, {}));
    const { text } = await exported(from.ctx.store);
    const target = memoryStore();
    expect(await imported(target, text)).toMatchObject({ ok: true, value: { schedules: 1 } });
    expect(await target.schedules.list(10)).toEqual(await from.ctx.store.schedules.list(10));
  });

  it('that have the name of another one, or are none, are refused with their line; everything else comes in', async () => {
    const from = engineWorld('memory');
    const asked = { name: 'links', missed: 'once', recurrence: { everyMs: 60_000 }, request } as const;
    made(await addSchedule(from.ctx, me, asked));
    const { text } = await exported(from.ctx.store);
    const other = engineWorld('memory');
    made(await addSchedule(other.ctx, me, { ...asked, recurrence: { everyMs: 90_000 } }));
    expect(await imported(other.ctx.store, text)).toMatchObject({
      ok: false,
      refusal: { code: 'bad-line', line: 2, says: expect.stringContaining('another schedule links') as unknown },
    });
    const [header, line = '', footer] = text.split('\n');
    const forged = (change: (schedule: Record<string, unknown>) => unknown): string => {
      const { schedule } = JSON.parse(line) as { readonly schedule: Record<string, unknown> };
      const body = JSON.stringify({ schedule: change(schedule) });
      return [header, `${body.slice(0, -1)},"sha256":"${hexDigestOf(body)}"}`, footer].join('\n');
    };
    for (const [change, says] of [
      [(it) => ({ ...it, name: '../x' }), /^schedule.name: 1 to 64 letters/],
      [(it) => ({ ...it, recurrence: { everyMs: 0 } }), /^schedule.recurrence.everyMs: 1 or more, not 0/],
      [
        (it) => ({ ...it, request: { ...request, terms: { retry: 5 } } }),
        /^schedule.request.terms.retry: an object, not 5/,
      ],
      [(it) => ({ ...it, request: { ...request, overLimits: true } }), /no such field here: "overLimits"/],
      [(it) => ({ ...it, nextAt: 'soon' }), /^schedule.nextAt: a number, not "soon"/],
    ] as readonly (readonly [(schedule: Record<string, unknown>) => unknown, RegExp])[]) {
      const answer = await imported(memoryStore(), forged(change));
      expect(answer).toMatchObject({ ok: false, refusal: { line: 2, says: expect.stringMatching(says) as unknown } });
    }
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
    expect(rest).toEqual({ count: 2_000, sha256, schedules: 0, ahead: 0, conflicting: 0 });
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
