import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseBinding } from '../../src/stores/sqlite/choose-binding.ts';
import { databases, factsOf, jsonLines, makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { until, type Ended, type Running } from '../support/processes.ts';
import { usePrograms } from './built-programs.ts';
import { complaintsAbout, everythingIn } from './soundness.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

const RACERS = campaignSize('BATON_RACERS');
/** Long enough for the sign to reach all of them. */
const BEGIN_IN_MS = 500;
const GOVERNED = 'folders: { documents: on }\nlimits: { incoming: 3 }\n';
const LIMITED = 'agents:\n  react: { limits: { incoming: 3 } }\n';

const programs = usePrograms([new URL('./programs/racer.ts', import.meta.url)]);

describe('fifty commands at once', () => {
  it('D5, I15: of those who write a document for the last place, one gets it, and only its file is there', async () => {
    const { address, folder, open, run, start } = await makeWorkspace(sqlite, GOVERNED);
    const args = ['create', '--document', '--from', '@grok', '--to', '@claude', '--task', 'T-1', '--title', 'Limits'];
    for (const number of [1, 2]) expect(await run(args), `document ${number}`).toMatchObject({ code: 0 });
    const ctx = await open();
    const door = holdDoor(join(folder, '.baton/baton.db'));
    const racers = Array.from({ length: RACERS }, () => start([...args, '--json']));
    await until('all have the database open', () => racers.every(hasOpen(folder)), 120_000);
    door.open();

    const ended = await Promise.all(racers.map((racer) => racer.ended));
    expect(ended.filter(({ code }) => code === 0)).toHaveLength(1);
    const refused = ended.filter(({ code }) => code === 6);
    expect(refused).toHaveLength(RACERS - 1);
    for (const { stdout, stderr } of refused) {
      expect(stdout).toBe('');
      expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
        error: { code: 'limit-reached', agent: 'claude', direction: 'incoming', count: 3, max: 3 },
      });
    }
    expect((await everythingIn(ctx.store)).handoffs.size).toBe(3);
    expect(readdirSync(join(folder, '_handoffs/active'))).toHaveLength(3);
    expect(await complaintsAbout(ctx.store, address)).toEqual([]);
  });
});

describe.each(databases)('fifty processes at once on $name', (database) => {
  it('I6, I8: of those who claim one handoff, one gets it', async () => {
    const { address, open, send } = await makeWorkspace(database);
    const ctx = await open();
    const id = await send('@react');
    const racers = Array.from({ length: RACERS }, (_, index) =>
      programs.start('racer', { database: address, agent: 'react', session: `racer-${index}` }, { input: 'open' }),
    );
    await until('all are ready', () => racers.every((racer) => racer.stdout().includes('ready')));
    const atMs = Date.now() + BEGIN_IN_MS;
    for (const racer of racers) racer.say(`${atMs}\n`);

    const ended = await Promise.all(racers.map((racer) => racer.ended));
    expect(ended.filter(({ code, stderr }) => code !== 0 || stderr !== '')).toEqual([]);
    const won = ended.flatMap(({ stdout }) => (jsonLines(stdout).at(-1) as { won: readonly unknown[] }).won);
    expect(won).toEqual([{ id, fence: 1 }]);
    const facts = await factsOf(ctx, id);
    expect(facts.map((fact) => fact.deed)).toEqual(['create', 'accept']);
    expect(await complaintsAbout(ctx.store, address)).toEqual([]);
  });

  it('I4: short commands that come and go all get through, with nobody there who keeps the database open', async () => {
    const { run, open, address } = await makeWorkspace(database);
    const args = ['send', '--from', '@me', '--to', '@react'];
    // Few at a time, so that one is often the last to close while another opens.
    const ended: Ended[] = [];
    const lane = async (): Promise<void> => {
      while (ended.length < RACERS) ended.push(await run(args));
    };
    await Promise.all([lane(), lane(), lane()]);
    expect(ended.filter(({ code, stderr }) => code !== 0 || stderr !== '')).toEqual([]);
    const ctx = await open();
    const { handoffs } = await everythingIn(ctx.store);
    expect([...handoffs.keys()].toSorted()).toEqual(ended.map(({ stdout }) => stdout.trim()).toSorted());
    expect(await complaintsAbout(ctx.store, address)).toEqual([]);
  });

  it('D5, I15: of those who send for the last place of an agent, one gets it and 49 are told why not', async () => {
    const { address, open, send, start } = await makeWorkspace(database, LIMITED);
    const ctx = await open();
    await send('@react');
    await send('@react');
    const args = ['send', '--json', '--from', '@me', '--to', '@react', '--input', '-'];
    const senders = Array.from({ length: RACERS }, () => start(args, { input: 'open' }));
    await until('all wait for their input', () => senders.every(readsItsInput));
    for (const sender of senders) sender.say('{}');
    for (const sender of senders) sender.endInput();

    const ended = await Promise.all(senders.map((sender) => sender.ended));
    expect(ended.filter(({ code }) => code === 0)).toHaveLength(1);
    const refused = ended.filter(({ code }) => code === 6);
    expect(refused).toHaveLength(RACERS - 1);
    for (const { stdout, stderr } of refused) {
      expect(stdout).toBe('');
      expect(JSON.parse(stderr)).toMatchObject({
        error: { code: 'limit-reached', agent: 'react', direction: 'incoming', count: 3, max: 3 },
      });
    }
    expect((await everythingIn(ctx.store)).handoffs.size).toBe(3);
    expect(await complaintsAbout(ctx.store, address)).toEqual([]);
  });
});

/** Nobody writes until it is opened, so that all come to it. */
function holdDoor(path: string): { open(): void } {
  const database = new (chooseBinding().DatabaseSync)(path);
  database.exec('BEGIN IMMEDIATE');
  return {
    open: () => {
      database.exec('COMMIT');
      database.close();
    },
  };
}

function hasOpen(folder: string): (running: Running) => boolean {
  return ({ pid }) => {
    try {
      const handles = readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`));
      return handles.some((target) => target.startsWith(join(folder, '.baton/baton.db')));
    } catch {
      return false;
    }
  };
}

/** Whether its main thread stands in read(0, …): the number of the call is 0 on x64 and 63 on arm64. */
function readsItsInput({ pid }: Running): boolean {
  try {
    return /^(?:0|63) 0x0 /.test(readFileSync(`/proc/${pid}/syscall`, 'utf8'));
  } catch {
    return false;
  }
}
