import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/foundation/json.ts';
import type { Body } from '../../src/domain/body.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { cancel } from '../../src/engine/handoffs/reject-and-cancel.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { tempFolder } from '../support/processes.ts';
import { commandDatabases } from '../cli/command-databases.ts';
import { answer, take } from '../folders/native.ts';
import { aRequest, ME, REACT } from '../folders/queue-world.ts';
import { artifactWorld, type ArtifactWorld } from './artifact-world.ts';

const STATUS = 'context/phase-status.json';

function phases({ folder }: ArtifactWorld): readonly JsonObject[] {
  return (JSON.parse(readFileSync(join(folder, STATUS), 'utf8')) as { phases: JsonObject[] }).phases;
}

describe('phase-status.json', () => {
  it.each(commandDatabases)('Q15: follows every transition, over $name', async (database) => {
    const world = await artifactWorld(database.name === 'SQLite' ? undefined : await database.make(''));
    const now = async (): Promise<unknown> => {
      await world.sync();
      return phases(world).map(({ phase, status, handoffs }) => ({ phase, status, ...(handoffs as JsonObject) }));
    };
    const none = { pending: 0, in_progress: 0, completed: 0, failed: 0 };
    world.write('pending', 'one', aRequest('one'));
    expect(await now()).toEqual([{ ...none, phase: 13, status: 'pending', pending: 1 }]);
    await take(world);
    expect(await now()).toEqual([{ ...none, phase: 13, status: 'in_progress', in_progress: 1 }]);
    const two = await world.send();
    expect(await now()).toEqual([
      { ...none, phase: 13, status: 'in_progress', in_progress: 1 },
      { ...none, phase: null, status: 'pending', pending: 1 },
    ]);
    await cancel(world.ctx, agentPrincipal(ME), two, 'no');
    expect(await now()).toMatchObject([{ phase: 13 }, { phase: null, status: 'failed', failed: 1, pending: 0 }]);
  });

  it('Q15: a completed one is counted once, and a second pass writes nothing', async () => {
    const world = await artifactWorld();
    await answer(world, await world.send(), {});
    await world.sync();
    expect(phases(world)).toMatchObject([
      { status: 'completed', handoffs: { completed: 1, pending: 0, in_progress: 0 } },
    ]);
    const before = statSync(join(world.folder, STATUS)).mtimeMs;
    await world.sync();
    expect(statSync(join(world.folder, STATUS)).mtimeMs).toBe(before);
  });

  it.each([
    ['garbage', () => 'not JSON'],
    ['wrong counts', (text: string) => text.replace('"completed": 1', '"completed": 99')],
    ['another database', (text: string) => text.replace(/"as_of": "./, '"as_of": "x')],
    ['a key that is none', () => '{"__proto__":{}}'],
    ['nothing', () => ''],
  ])('Q15: %s is counted anew', async (_what, spoil) => {
    const world = await artifactWorld();
    await answer(world, await world.send(), {});
    await world.sync();
    const path = join(world.folder, STATUS);
    const sound = readFileSync(path, 'utf8');
    writeFileSync(path, spoil(sound));
    await world.sync();
    expect(readFileSync(path, 'utf8')).toBe(sound);
    rmSync(path);
    await world.sync();
    expect(readFileSync(path, 'utf8')).toBe(sound);
  });

  it('Q15: going on reads only what is new', async () => {
    const world = await artifactWorld();
    for (let n = 0; n < 20; n += 1) await world.send();
    await world.sync();
    const { store } = world.ctx;
    const asked: (string | undefined)[] = [];
    const loaded: string[] = [];
    const counting = {
      ...store,
      facts: (query: Parameters<typeof store.facts>[0]) => (asked.push(query.after), store.facts(query)),
      load: (id: HandoffId) => (loaded.push(id), store.load(id)),
    };
    const { phaseStatusUpdater: phaseKeeper } = await import('../../src/engine/queue/phase-status.ts');
    const id = await world.send();
    await phaseKeeper({ ...world.ctx, store: counting }, world.artifacts, new Map())(true);
    expect(loaded).toEqual([id]);
    expect(asked.filter((after) => after === undefined)).toHaveLength(1);
    expect(phases(world)).toMatchObject([{ handoffs: { pending: 21 } }]);
  });

  it('Q15, I20: is not written into a folder that is a link', async () => {
    const world = await artifactWorld();
    const outside = tempFolder();
    symlinkSync(outside, join(world.folder, 'context'));
    const id = await world.send();
    await world.sync();
    expect(world.places(id)).toEqual(['pending']);
    expect(readdirSync(outside)).toEqual([]);
    expect(world.events).toContainEqual(expect.objectContaining({ kind: 'fault' }));
  });
});

describe('context files', () => {
  const ask = async (world: ArtifactWorld, context: JsonObject): Promise<JsonObject | string | undefined> => {
    const sent = await send(world.ctx, agentPrincipal(ME), { from: ME, to: REACT, input: {}, context });
    if (!sent.ok) return sent.refusal.code;
    return (JSON.parse((await world.whole(sent.value.id)).body) as Body).context;
  };

  it('Q15: are read in where their sender names them, and nothing else is', async () => {
    const world = await artifactWorld();
    world.file('context/tech-stack.json', { framework: 'React' });
    world.file('context/project-context.json', { name: 'shop' });
    const named = {
      tech_stack: 'context/tech-stack.json',
      project: 'context/project-context.json',
      same: 'tech-stack',
    };
    expect(await ask(world, named)).toEqual({
      tech_stack: { framework: 'React' },
      project: { name: 'shop' },
      same: 'tech-stack',
    });
    for (const path of ['context/phase-status.json', 'context/../baton.yaml', '.baton/baton.db', '/etc/passwd']) {
      expect(await ask(world, { x: path })).toEqual({ x: path });
    }
  });

  it('Q15: a file of others has them too, and its own bytes stay', async () => {
    const world = await artifactWorld();
    world.file('context/tech-stack.json', { framework: 'React' });
    world.write('pending', 'theirs', aRequest('theirs', { context: { tech_stack: 'context/tech-stack.json' } }));
    await world.sync();
    const body = JSON.parse((await world.whole('theirs')).body) as Body;
    expect(body.context).toEqual({ tech_stack: { framework: 'React' } });
    expect(body.message).toContain('"tech_stack": "context/tech-stack.json"');
    await take(world);
    expect(world.read('in-progress', 'theirs')['context']).toEqual({ tech_stack: { framework: 'React' } });
  });

  it.each(['absent', 'garbage', 'huge', 'a link', 'a folder that is a link'])(
    'Q15, I20: one that is %s',
    async (what) => {
      const world = await artifactWorld();
      const outside = tempFolder();
      writeFileSync(join(outside, 'tech-stack.json'), '{}');
      const path = join(world.folder, 'context/tech-stack.json');
      if (what === 'a folder that is a link') symlinkSync(outside, join(world.folder, 'context'));
      else mkdirSync(join(world.folder, 'context'), { recursive: true });
      if (what === 'garbage') writeFileSync(path, '{"a":1,"a":2}');
      if (what === 'huge') writeFileSync(path, JSON.stringify('x'.repeat(2 ** 20)));
      if (what === 'a link') symlinkSync(join(outside, 'tech-stack.json'), path);
      const sent = ask(world, { tech_stack: 'context/tech-stack.json' });
      expect(await sent).toBe('context-file');
      if (what === 'a folder that is a link') return;
      world.write('pending', 'theirs', aRequest('theirs', { context: { tech_stack: 'context/tech-stack.json' } }));
      await world.sync();
      expect(world.read('failed', 'theirs')).toMatchObject({ error: { code: 'DEPENDENCY_MISSING' } });
    },
  );
});
