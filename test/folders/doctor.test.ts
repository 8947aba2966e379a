import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { identityText, ownJudge } from '../../src/foundation/process-identity.ts';
import type { HealthCheck } from '../../src/engine/health-checks.ts';
import { quickBaton, start, tempFolder } from '../support/processes.ts';
import { aRequest, footprint, queueWorld } from './queue-world.ts';

interface Patient {
  readonly folder: string;
  readonly path: (name: string) => string;
  /** Long ago, so that nobody is still at it. */
  readonly write: (name: string, text: string | object) => void;
  readonly sync: () => Promise<void>;
  readonly doctor: () => Promise<readonly HealthCheck[]>;
}

async function patient(): Promise<Patient> {
  const folder = tempFolder();
  await quickBaton(['init'], { cwd: folder });
  appendFileSync(join(folder, 'baton.yaml'), 'folders: { queue: on }\n');
  const path = (name: string): string => join(folder, 'handoffs', name);
  // In this process, where files age by a time that can be set.
  const sync = async (): Promise<void> => (await queueWorld(undefined, folder)).sync();
  await sync();
  return {
    folder,
    path,
    write: (name, text) => {
      writeFileSync(path(name), typeof text === 'string' ? text : JSON.stringify(text));
      utimesSync(path(name), Date.now() / 1000 - 120, Date.now() / 1000 - 120);
    },
    sync,
    doctor: async () => {
      const before = footprint(folder);
      const { stdout } = await quickBaton(['doctor', '--json'], { cwd: folder });
      expect(footprint(folder)).toEqual(before);
      const { checks } = JSON.parse(stdout) as { readonly checks: readonly HealthCheck[] };
      return checks.filter(({ name }) => name.startsWith('queue') || name === 'quarantine');
    },
  };
}

/** What a doctor says about one, and whatever else there is besides what is well. */
async function findings({ doctor }: Patient, name: string): Promise<readonly HealthCheck[]> {
  return (await doctor()).filter((check) => check.verdict !== 'ok' && check.name === name);
}

const HOSTILE: readonly (readonly [string, (world: Patient) => Promise<void> | void, RegExp])[] = [
  [
    'half a file',
    ({ write }) => write('pending/x.json', JSON.stringify(aRequest('x')).slice(0, 60)),
    /x\.json, since .*INVALID_JSON/,
  ],
  ['garbage', ({ write }) => write('pending/x.json', '\u0007 garbage }'), /x\.json, since .*INVALID_JSON/],
  ['an empty file', ({ write }) => write('pending/x.json', ''), /x\.json, since .*INVALID_JSON/],
  [
    'a link',
    ({ folder, path }) => symlinkSync(join(folder, 'baton.yaml'), path('pending/x.json')),
    /x\.json, since .*link/,
  ],
  ['a pipe', ({ path }) => void execFileSync('mkfifo', [path('pending/x.json')]), /x\.json, since .*plain file/],
  ['a folder', ({ path }) => mkdirSync(path('pending/x.json')), /x\.json, since .*plain file/],
  [
    'fifty megabytes',
    ({ write, path }) => {
      write('pending/x.json', aRequest('x'));
      truncateSync(path('pending/x.json'), 50 * 1024 * 1024);
    },
    /x\.json, since .*52428800 bytes/,
  ],
  [
    'the same id twice, with different content',
    async ({ write, sync }) => {
      write('pending/x.json', aRequest('x'));
      await sync();
      write('pending/x.json', aRequest('x', { input: { data: 'other' } }));
    },
    /x\.json, since .*another request.*baton retry hoff-/,
  ],
  ['a way out in the id', ({ write }) => write('pending/x.json', aRequest('../x')), /x\.json, since .*handoff_id/],
  [
    'a way out in the name',
    ({ write }) => write('pending/a..b.json', aRequest('a..b')),
    /a\.\.b\.json, since .*usable id/,
  ],
];

describe('a doctor who looks at the queue folder', () => {
  it('has nothing to say about one that is well', async () => {
    const world = await patient();
    expect((await quickBaton(['send', '--from', '@me', '--to', '@react'], { cwd: world.folder })).code).toBe(0);
    expect((await world.doctor()).map(({ name, verdict }) => `${name} ${verdict}`)).toEqual([
      'queue folders ok',
      'queue files ok',
      'queue locks ok',
      'quarantine ok',
    ]);
  });

  it.each(HOSTILE)('I16, F8, Q16: explains %s: why, since when, and what to do', async (_what, drop, says) => {
    const world = await patient();
    await drop(world);
    await world.sync();
    const [found, ...more] = await findings(world, 'quarantine');
    expect(more).toEqual([]);
    expect(found?.says).toMatch(says);
    expect(found?.says).toContain(`since ${new Date().getUTCFullYear()}-`);
    expect(found?.todo).toContain('.reason.txt');
    expect(await findings(world, 'queue files')).toEqual([]);
  });

  it('F3, Q16: a wrong word in the right folder is no reason for quarantine', async () => {
    const world = await patient();
    world.write('pending/x.json', aRequest('x', { status: 'completed' }));
    await world.sync();
    expect(await findings(world, 'quarantine')).toEqual([]);
    expect(readdirSync(world.path('pending'))).toEqual(['x.json']);
  });

  it('says how many more there are, and takes what lies there without a reason for what it is', async () => {
    const world = await patient();
    for (let at = 0; at < 25; at += 1) writeFileSync(world.path(`quarantine/x${at}.json`), '');
    const found = await findings(world, 'quarantine');
    expect(found).toHaveLength(21);
    expect(found[0]?.says).toContain('nobody wrote down why');
    expect(found.at(-1)?.says).toBe('and 5 more');
  });

  it('I11: names files that disagree with the database, and things that are no files', async () => {
    const world = await patient();
    world.write('pending/known.json', aRequest('known'));
    await world.sync();
    renameSync(world.path('pending/known.json'), world.path('waiting/known.json'));
    world.write('pending/new.json', aRequest('new'));
    mkdirSync(world.path('in-progress/folder.json'));
    const [found] = await findings(world, 'queue files');
    expect(found?.says).toContain('known is offered, and its file lies in waiting/known.json');
    expect(found?.says).toContain('pending/new.json is not taken in yet');
    expect(found?.says).toContain('in-progress/folder.json is no plain file');
    await world.sync();
    expect(await findings(world, 'queue files')).toEqual([]);
  });

  it('I11: misses the file of what is open', async () => {
    const world = await patient();
    world.write('pending/known.json', aRequest('known'));
    await world.sync();
    rmSync(world.path('pending/known.json'));
    expect((await findings(world, 'queue files'))[0]?.says).toContain('known is offered and has no file');
  });

  it('finds locks of the dead, and nothing wrong with those of the living', async () => {
    const world = await patient();
    const ended = start('true', []);
    await ended.ended;
    const { self } = ownJudge();
    const locks = join(world.folder, '.baton/artifacts');
    mkdirSync(locks, { recursive: true });
    writeFileSync(join(locks, 'x.lock'), `${identityText({ ...self, pid: ended.pid })}\n${randomUUID()}\n`);
    writeFileSync(join(locks, 'y.lock'), `${identityText(self)}\n${randomUUID()}\n`);
    const [found] = await findings(world, 'queue locks');
    expect(found?.says).toMatch(/x\.lock$/);
    await world.sync();
    expect(await findings(world, 'queue locks')).toEqual([]);
  });

  it('I20: a folder that is a link is a problem, and nothing behind it is looked at', async () => {
    const world = await patient();
    rmSync(world.path('failed'), { recursive: true });
    expect(await findings(world, 'queue folders')).toMatchObject([{ verdict: 'warning' }]);
    mkdirSync(join(world.folder, 'elsewhere'));
    symlinkSync(join(world.folder, 'elsewhere'), world.path('failed'));
    expect(await findings(world, 'queue folders')).toMatchObject([
      { verdict: 'problem', says: 'handoffs/failed is a link; the queue stands still' },
    ]);
    expect((await quickBaton(['doctor'], { cwd: world.folder })).code).toBe(1);
  });
});
