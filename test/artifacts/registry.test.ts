import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGE_DAYS, requiredArtifacts, type ArtifactCard } from '../../src/domain/artifacts.ts';
import type { ArtifactId } from '../../src/domain/names.ts';
import { OPERATOR } from '../../src/domain/principal.ts';
import { readCard, readRegistry, writeCard, writeRegistry } from '../../src/formats/artifact/card.ts';
import { addCard, deprecate, loadCard, saveCard } from '../../src/engine/artifacts/cards.ts';
import { cleanArtifacts } from '../../src/engine/artifacts/clean.ts';
import { findArtifacts } from '../../src/engine/artifacts/read.ts';
import { refreshRegistry } from '../../src/engine/artifacts/registry.ts';
import { register } from '../../src/engine/artifacts/register.ts';
import { openArtifactFolder } from '../../src/folders/artifact-folder.ts';
import type { ArtifactFolder } from '../../src/folders/folder.ts';
import { answer } from '../folders/native.ts';
import { REACT } from '../folders/queue-world.ts';
import { anArtifact, artifactWorld, placeOf, requiring, type ArtifactWorld } from './artifact-world.ts';

const REGISTRY = 'artifacts/registry.json';
const RESULTS = 'artifacts/.registry/results.jsonl';
const DAY_MS = 24 * 60 * 60 * 1000;

function aCard(id: string, parts: Partial<ArtifactCard> = {}): ArtifactCard {
  return {
    id: id as ArtifactId,
    type: 'notes',
    version: '1.0.0',
    status: 'active',
    since: 1_700_000_000_000,
    createdAt: 1_700_000_000_000,
    phase: null,
    agent: null,
    handoff: null,
    path: placeOf(id),
    sha256: 'a'.repeat(64),
    required: [],
    optional: [],
    files: [],
    flaw: null,
    ...parts,
  };
}

describe('the registry', () => {
  it('Q14: is made of the cards, the same for the same ones, and written only when something changed', async () => {
    const world = await artifactWorld();
    await world.make('b', requiring('a'));
    await world.make('a');
    await refreshRegistry(world.artifacts);
    const text = world.textOf(REGISTRY);
    const { ino, mtimeMs } = statSync(join(world.folder, REGISTRY));
    await world.sync();
    expect(statSync(join(world.folder, REGISTRY))).toMatchObject({ ino, mtimeMs });
    expect(JSON.parse(text)).toMatchObject({
      artifacts: [{ artifact_id: 'a' }, { artifact_id: 'b', status: 'created' }],
    });
    rmSync(join(world.folder, REGISTRY));
    await world.sync();
    expect(world.textOf(REGISTRY)).toBe(text);
  });

  it.each([
    ['garbage', 'not JSON'],
    ['empty', ''],
    ['somebody’s own list', '{"schema_version":"1.0","digest":"","artifacts":[]}'],
    ['an old one of ours', writeRegistry(new Map())],
    [
      'one with a foreign entry',
      writeRegistry(new Map([['a' as ArtifactId, writeCard(aCard('a', { path: '/etc/passwd' }))]])),
    ],
    ['one with a key that is none', '{"schema_version":"1.0","__proto__":{"artifacts":[]},"artifacts":[]}'],
  ])('Q14: %s in its place is not believed, and replaced', async (_what, text) => {
    const world = await artifactWorld();
    await world.make('a');
    await refreshRegistry(world.artifacts);
    const sound = world.textOf(REGISTRY);
    writeFileSync(join(world.folder, REGISTRY), text);
    expect(await findArtifacts(world.ctx, OPERATOR, world.artifacts, {})).toMatchObject([
      { id: 'a', path: placeOf('a') },
    ]);
    expect(world.textOf(REGISTRY)).toBe(sound);
  });

  it('Q14: a card that was broken or taken away is gone from the list, and comes back with its file', async () => {
    const world = await artifactWorld();
    for (const id of ['a', 'b', 'c']) await world.make(id);
    await refreshRegistry(world.artifacts);
    const cards = join(world.folder, 'artifacts/.registry/known');
    rmSync(join(cards, 'a.json'));
    writeFileSync(join(cards, 'b.json'), '');
    writeFileSync(join(world.folder, REGISTRY), 'x');
    expect(await findArtifacts(world.ctx, OPERATOR, world.artifacts, {})).toMatchObject([{ id: 'c' }]);
    for (const id of ['a', 'b']) expect(await world.register(placeOf(id))).toMatchObject({ status: 'active' });
    expect(await findArtifacts(world.ctx, OPERATOR, world.artifacts, {})).toMatchObject([
      { id: 'a' },
      { id: 'b' },
      { id: 'c' },
    ]);
  });

  it('Q14: what workers answer is a line each, seen by others at once, and a card that is saved later goes before it', async () => {
    const world = await artifactWorld();
    const other = openArtifactFolder({ folder: world.folder, privateFolder: join(world.folder, '.baton') });
    const listed = async (): Promise<readonly string[]> => [...(await refreshRegistry(other)).keys()].toSorted();
    await addCard(world.artifacts, aCard('a'));
    expect(await loadCard(other, 'a' as ArtifactId)).toMatchObject({ status: 'active' });
    await addCard(world.artifacts, aCard('b'));
    expect(await listed()).toEqual(['a', 'b']);
    // A process was killed in the middle of a line.
    appendFileSync(join(world.folder, RESULTS), writeCard(aCard('torn')).slice(0, -20));
    await addCard(world.artifacts, aCard('c'));
    await deprecate(world.artifacts, 'a' as ArtifactId, 1_800_000_000_000);
    expect(await listed()).toEqual(['a', 'b', 'c']);
    expect(await loadCard(other, 'a' as ArtifactId)).toMatchObject({ status: 'deprecated' });
    expect(await world.artifacts.cards.unfiled()).toEqual([]);
    rmSync(join(world.folder, RESULTS));
    await addCard(world.artifacts, aCard('d'));
    expect(await listed()).toEqual(['a', 'd']);
    other.close();
  });

  it('Q14: finds by type, phase, agent and status', async () => {
    const world = await artifactWorld();
    await world.make('a');
    await world.make('b', { artifact_type: 'report', metadata: { phase: 16, agent_id: '@Reporter' } });
    const ids = async (filter: object): Promise<readonly string[]> =>
      (await findArtifacts(world.ctx, OPERATOR, world.artifacts, filter)).map(({ id }) => id);
    expect(await ids({ type: 'report' })).toEqual(['b']);
    expect(await ids({ phase: 13 })).toEqual(['a']);
    expect(await ids({ agent: 'reporter' })).toEqual(['b']);
    expect(await ids({ status: 'created' })).toEqual([]);
  });

  it('Q14: nothing is made where there is nothing', async () => {
    const world = await artifactWorld();
    await world.sync();
    expect(readdirSync(world.folder)).not.toContain('artifacts');
  });

  it('Q14: registering one costs the same among ten thousand', async () => {
    const world = await artifactWorld();
    await world.make('first');
    const known = join(world.folder, 'artifacts/.registry/known');
    for (let n = 0; n < 10_000; n += 1) writeFileSync(join(known, `a-${n}.json`), writeCard(aCard(`a-${n}`)));
    await refreshRegistry(world.artifacts);
    const asked: string[] = [];
    const counting: ArtifactFolder = {
      ...world.artifacts,
      cards: {
        ...world.artifacts.cards,
        load: (id) => (asked.push(id), world.artifacts.cards.load(id)),
        all: () => (asked.push('all'), world.artifacts.cards.all()),
      },
      registry: {
        load: () => (asked.push('registry'), world.artifacts.registry.load()),
        save: world.artifacts.registry.save,
      },
    };
    world.file(placeOf('new'), anArtifact('new', requiring('a-9999')));
    expect(await register(world.ctx, counting, { path: placeOf('new') })).toMatchObject({ ok: true });
    expect(asked).toEqual(['new', 'a-9999', 'a-9999']);
    asked.length = 0;
    await refreshRegistry(counting);
    expect(asked.filter((each) => each.startsWith('a-'))).toEqual([]);
    expect(readRegistry(world.textOf(REGISTRY))?.size).toBe(10_002);
  });

  it('a card is read as it was written, and anything else is none', () => {
    const card = aCard('a', { agent: REACT, phase: 13, flaw: 'x', files: [{ path: 'b', sha256: 'c' }] });
    expect(readCard(writeCard(card))).toEqual(card);
    for (const text of ['', 'null', '[]', '{}', '{"artifact_id":"../x"}', writeCard(card).replace('active', 'alive')]) {
      expect(readCard(text)).toBeNull();
    }
  });
});

describe('age', () => {
  const later = (world: ArtifactWorld, days: number): number => world.ctx.store.nowMs() + days * DAY_MS;
  const ages = { deprecatedMs: AGE_DAYS.deprecated * DAY_MS, archivedMs: AGE_DAYS.archived * DAY_MS };
  const clean = async (world: ArtifactWorld, days: number, apply = true): Promise<readonly object[]> =>
    cleanArtifacts(world.artifacts, ages, later(world, days), { apply });

  it('Q14: deprecated, after 30 days archived, after 90 more deleted; nothing without being asked', async () => {
    const world = await artifactWorld();
    await world.make('old');
    expect(await clean(world, 10_000)).toEqual([]);
    await deprecate(world.artifacts, 'old' as ArtifactId, world.ctx.store.nowMs());
    expect(await clean(world, 29)).toEqual([]);
    expect(await clean(world, 31, false)).toEqual([{ id: 'old', from: 'deprecated', to: 'archived', kept: null }]);
    expect(await world.card('old')).toMatchObject({ status: 'deprecated' });
    await clean(world, 31);
    expect(await world.card('old')).toMatchObject({ status: 'archived' });
    expect(await clean(world, 120)).toEqual([]);
    await clean(world, 122);
    expect(await world.card('old')).toMatchObject({ status: 'deleted' });
    expect(readdirSync(join(world.folder, 'artifacts/phase-13-react'))).toEqual([]);
    expect(await world.make('old', { content: 'again' })).toBe('artifact-known');
  });

  it('Q14: what something in use requires is never deleted, nor through others, nor what has changed', async () => {
    const world = await artifactWorld();
    await world.make('deep');
    await world.make('base', requiring('deep'));
    await world.make('user', requiring('base'));
    await world.make('changed');
    await world.make('free');
    for (const id of ['deep', 'base', 'changed', 'free']) {
      const card = (await world.card(id)) as ArtifactCard;
      await saveCard(world.artifacts, { ...card, status: 'archived' });
    }
    world.file(placeOf('changed'), anArtifact('changed', { content: 'precious' }));
    const cleaned = await clean(world, 91);
    expect(cleaned.map((each) => ('kept' in each ? each.kept : 0))).toEqual([
      'something that is in use requires it',
      `${placeOf('changed')} has changed since it was registered`,
      'something that is in use requires it',
      null,
    ]);
    expect(await world.card('free')).toMatchObject({ status: 'deleted' });
    expect(await world.card('deep')).toMatchObject({ status: 'archived' });
    expect(world.textOf(placeOf('changed'))).toContain('precious');
  });

  it('Q14: a ring among cards ends the walk all the same', () => {
    const ring = [aCard('a', { required: ['b' as ArtifactId] }), aCard('b', { required: ['a' as ArtifactId] })];
    expect([...requiredArtifacts(ring)].toSorted()).toEqual(['a', 'b']);
  });
});

describe('what a worker of ours has made', () => {
  it('Q14: is registered by itself, active, with hash, phase and agent', async () => {
    const world = await artifactWorld();
    const id = await world.send();
    await answer(world, id, { artifact: { type: 'notes', content: { text: 'done' } }, next_steps: ['read it'] });
    const card = await world.card(`artifact-${id}`);
    expect(card).toMatchObject({ status: 'active', type: 'notes', agent: 'react', handoff: id, flaw: null });
    await world.sync();
    expect(JSON.parse(world.textOf(REGISTRY))).toMatchObject({ artifacts: [{ artifact_id: `artifact-${id}` }] });
    const before = world.textOf(REGISTRY);
    expect(await world.register(card?.path ?? '')).toEqual(card);
    await world.sync();
    expect(world.textOf(REGISTRY)).toBe(before);
  });

  it('Q14: is not active when its own validation failed, or a generated file is not there', async () => {
    const world = await artifactWorld();
    const [one, two] = [await world.send(), await world.send()];
    await answer(world, one, { artifact: { content: {} }, validation: { status: 'failed' } });
    await answer(world, two, { artifact: { content: { files: ['../nowhere'] } } });
    expect(await world.card(`artifact-${one}`)).toMatchObject({ status: 'created', flaw: 'artifact-not-valid' });
    expect(await world.card(`artifact-${two}`)).toMatchObject({ status: 'created', flaw: 'artifact-file' });
  });

  it('Q8, Q14: an answer never takes the place of the registry', async () => {
    const world = await artifactWorld();
    mkdirSync(join(world.folder, 'artifacts'));
    const request = { expected_output: { destination: REGISTRY } };
    const { aRequest } = await import('../folders/queue-world.ts');
    world.write('pending', 'sly', aRequest('sly', request));
    await world.sync();
    await answer(world, 'sly', { x: 1 });
    expect(world.read('completed', 'sly')).toMatchObject({
      output: { artifact_path: 'artifacts/phase-13-react/artifact-sly.json' },
    });
  });
});
