import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { openQueueMirror } from '../../src/engine/queue/queue-mirror.ts';
import type { Context, EngineEvent } from '../../src/engine/context.ts';
import { claimByHand } from '../../src/engine/handoffs/claim.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import type { MessageFolder } from '../../src/folders/folder.ts';
import { openQueueFolder } from '../../src/folders/queue-folder.ts';
import { openApp } from '../../src/app/open-app.ts';
import { tempFolder } from '../support/processes.ts';
import { WORKER } from './native.ts';
import { ME, REACT } from './queue-world.ts';

/** A house whose folder lets the test do something between any two of its steps. */
async function houseWith(meddle: (folder: MessageFolder) => Partial<MessageFolder>): Promise<{
  readonly ctx: Context;
  readonly alone: Context;
  readonly folder: MessageFolder;
  readonly reports: readonly EngineEvent[];
}> {
  const place = tempFolder();
  const privateFolder = join(place, '.baton');
  mkdirSync(privateFolder);
  const database = { kind: 'sqlite', path: join(privateFolder, 'baton.db') } as const;
  const reports: EngineEvent[] = [];
  const app = await openApp({ database, limits: NO_LIMITS, report: (event) => reports.push(event) });
  onTestFinished(async () => app.close());
  const folder = openQueueFolder({ folder: place, privateFolder });
  const queue = openQueueMirror(app.ctx, { ...folder, ...meddle(folder) });
  return { ctx: { ...app.ctx, rules: { ...app.ctx.rules, queue } }, alone: app.ctx, folder, reports };
}

async function sentIn(ctx: Context): Promise<HandoffId> {
  const sent = await send(ctx, agentPrincipal(ME), { from: ME, to: REACT, input: 1 });
  if (!sent.ok) throw new Error(sent.refusal.code);
  return sent.value.id;
}

const WHOLE = {
  handoff_id: 'report-7' as HandoffId,
  source: { agent_id: '@me' },
  target: { agent_id: '@react' },
  input: { data: 1 },
};

describe('what happens between two steps', () => {
  it.each([
    ['before', 'put'],
    ['after', 'put'],
    ['before', 'move'],
    ['after', 'move'],
    ['after', 'whereIs'],
  ] as const)(
    'Q4, I8: a worker of another process takes a new handoff %s its sender’s %s, and no foreign worker gets it too',
    async (when, step) => {
      let isWon: boolean | null = null;
      const foreign: HandoffId[] = [];
      const meet = async (id: HandoffId): Promise<void> => {
        if (isWon !== null) return;
        isWon = false;
        isWon = (await claimByHand(other, WORKER, REACT))?.handoff.id === id;
      };
      const world = await houseWith((folder) => {
        const around =
          <Rest extends readonly unknown[], Answer>(name: string, act: (...rest: Rest) => Promise<Answer>) =>
          async (...rest: Rest): Promise<Answer> => {
            const id = rest.find((each): each is HandoffId => String(each).startsWith('hoff-')) as HandoffId;
            if (name === step && when === 'before') await meet(id);
            const answer = await act(...rest);
            if (name === step && when === 'after') await meet(id);
            // A foreign worker takes whatever it sees, at once.
            if (await folder.move(id, 'pending', 'in-progress')) foreign.push(id);
            return answer;
          };
        return {
          put: around('put', folder.put),
          move: around('move', folder.move),
          whereIs: around('whereIs', folder.whereIs),
        };
      });
      const queue = openQueueMirror(world.alone, world.folder);
      const other: Context = { ...world.alone, rules: { ...world.alone.rules, queue } };
      const id = await sentIn(world.ctx);
      expect([isWon, ...foreign]).toHaveLength(isWon === true ? 1 : 2);
      expect(await world.folder.whereIs(id)).toEqual(['in-progress']);
    },
  );

  it.each([
    ['half of it rings when its writer goes on', '{"handoff_id": "report-7", "source"', 1],
    ['all of it is as we left it, and rings no more', JSON.stringify(WHOLE), 0],
  ])('Q1: a file of which the first pass reads %s', async (_says, text, rings) => {
    let tell: Parameters<MessageFolder['watch']>[0] = () => undefined;
    const { ctx, folder } = await houseWith((real) => ({
      watch: (changed) => {
        tell = changed;
        return { close: () => undefined };
      },
      read: async (place, id) => {
        const file = await real.read(place, id);
        tell(place, id);
        return file;
      },
    }));
    const queue = present(ctx.rules.queue, 'the house has a queue folder');
    let rung = 0;
    queue.watch(() => (rung += 1));
    await folder.prepare();
    await folder.put('pending', WHOLE.handoff_id, text);
    await queue.sync('quick');
    expect(rung).toBe(rings);
  });

  it('Q4, I8: a foreign worker that renames a moment before ours wins, and has it from then on', async () => {
    const world = await houseWith((folder) => ({
      move: async (id, from, to) => {
        // The foreign worker is faster by a hair, every time.
        if (from === 'pending' && to === 'in-progress') await folder.move(id, from, to);
        return folder.move(id, from, to);
      },
    }));
    const id = await sentIn(world.ctx);
    expect(await claimByHand(world.ctx, WORKER, REACT)).toBeNull();
    const whole = present(await world.alone.store.load(id), 'it is there');
    expect(whole.handoff).toMatchObject({ state: 'accepted', excused: 1, custody: { by: 'hand' } });
    expect(whole.handoff.custody).toHaveProperty('file');
  });

  it('Q4: a file that is finished while ours looks for it is found further on', async () => {
    const world = await houseWith((folder) => ({
      move: async (id, from, to) => {
        if (from === 'pending' && to === 'in-progress') await folder.move(id, from, 'completed');
        return folder.move(id, from, to);
      },
    }));
    await send(world.ctx, agentPrincipal(ME), { from: ME, to: REACT, input: 1 });
    expect(await claimByHand(world.ctx, WORKER, REACT)).toBeNull();
  });

  it('I10: a file that its worker seals while the duty looks for it is in nobody’s way', async () => {
    const world = await houseWith((folder) => ({
      // Found in in-progress/, and moved before the next place is looked at.
      whereIs: async (id, among) => {
        const places = await folder.whereIs(id, among);
        return places.includes('completed') && among === undefined ? ['in-progress', ...places] : places;
      },
    }));
    const id = await sentIn(world.ctx);
    const taken = present(await claimByHand(world.ctx, WORKER, REACT), 'it is taken');
    await deliver(world.ctx, WORKER, { target: id, fence: taken.handoff.fence, result: 1 });
    await world.ctx.rules.queue?.sync('thorough');
    expect(world.reports).toEqual([]);
    expect(await world.folder.whereIs(id)).toEqual(['completed']);
  });

  it('a pass that is told to stop in the middle leaves the rest', async () => {
    const stopping = new AbortController();
    let told = 0;
    const world = await houseWith((folder) => ({
      quarantine: async (place, name, reason) => {
        told += 1;
        if (told === 5) stopping.abort();
        return folder.quarantine(place, name, reason);
      },
    }));
    await world.folder.prepare();
    for (let at = 0; at < 50; at += 1) await world.folder.put('pending', `junk-${at}` as HandoffId, '[1, 2]');
    await world.ctx.rules.queue?.sync('thorough', { signal: stopping.signal });
    // Those that were under way are brought to their end.
    expect((await world.folder.list('pending')).length).toBeGreaterThan(30);
  });

  it('I4: a folder that cannot be written changes no answer of the database', async () => {
    const world = await houseWith(() => ({ put: async () => Promise.reject(new Error('no space left')) }));
    const sent = await send(world.ctx, agentPrincipal(ME), { from: ME, to: REACT, input: 1 });
    expect(sent.ok).toBe(true);
  });
});
