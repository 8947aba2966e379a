import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hexDigestOf } from '../../src/foundation/digest.ts';
import { showArtifact } from '../../src/engine/artifacts/read.ts';
import type { ArtifactId } from '../../src/domain/names.ts';
import { OPERATOR } from '../../src/domain/principal.ts';
import { tempFolder } from '../support/processes.ts';
import { anArtifact, artifactWorld, placeOf, requiring } from './artifact-world.ts';

describe('what cannot be registered', () => {
  it.each([
    '../outside.json',
    'artifacts/../baton.yaml',
    '/etc/passwd',
    'artifacts//x.json',
    'artifacts/./x.json',
    'src/x.json',
    'artifacts',
    'artifacts/.registry/known/x.json',
    'artifacts/registry.json',
    'artifacts/a\\..\\x.json',
    '',
  ])('Q14, I20: %j leads elsewhere', async (path) => {
    const world = await artifactWorld();
    expect(await world.register(path)).toBe('artifact-unfit');
  });

  it('Q14, I20: links are followed neither at the end of a path nor on it', async () => {
    const world = await artifactWorld();
    const outside = tempFolder();
    writeFileSync(join(outside, 'x.json'), JSON.stringify(anArtifact('x')));
    mkdirSync(join(world.folder, 'artifacts/real'), { recursive: true });
    symlinkSync(join(outside, 'x.json'), join(world.folder, 'artifacts/real/x.json'));
    symlinkSync(outside, join(world.folder, 'artifacts/linked'));
    linkSync(join(outside, 'x.json'), join(world.folder, 'artifacts/real/second.json'));
    expect(await world.register('artifacts/real/x.json')).toBe('artifact-unfit');
    expect(await world.register('artifacts/linked/x.json')).toBe('artifact-unfit');
    expect(await world.register('artifacts/real/second.json')).toBe('artifact-unfit');
    expect(await world.card('x')).toBeNull();
  });

  it.each([
    ['half of a file', '{"artifact_id":"x",'],
    ['a list', '[]'],
    ['no id', JSON.stringify({ artifact_type: 't', content: 1 })],
    ['an id that leads elsewhere', JSON.stringify(anArtifact('../x'))],
    ['a key that is none', '{"artifact_id":"x","artifact_type":"t","content":{"__proto__":{"files":["a"]}}}'],
    ['a huge one', JSON.stringify(anArtifact('x', { content: 'x'.repeat(1024 * 1024) }))],
    ['files that are no list', JSON.stringify(anArtifact('x', { content: { files: 'all' } }))],
    ['a requirement that is no id', JSON.stringify(anArtifact('x', requiring('../../y')))],
  ])('Q14: %s', async (_what, text) => {
    const world = await artifactWorld();
    world.file(placeOf('x'), text);
    expect(await world.register(placeOf('x'))).toBe('artifact-unfit');
    expect(await world.artifacts.cards.all()).toEqual([]);
  });

  it('Q14: nothing is registered into a folder that is a link', async () => {
    const world = await artifactWorld();
    const outside = tempFolder();
    world.file(placeOf('x'), anArtifact('x'));
    symlinkSync(outside, join(world.folder, 'artifacts/.registry'));
    await expect(world.register(placeOf('x'))).rejects.toThrow('not a folder of its own');
    rmSync(join(world.folder, 'artifacts/.registry'));
    expect(await world.register(placeOf('x'))).toMatchObject({ status: 'active' });
  });
});

describe('an id', () => {
  it('Q14: is that of one content; the same again changes nothing', async () => {
    const world = await artifactWorld();
    const first = await world.make('one');
    expect(await world.make('one')).toEqual(first);
    expect(await world.make('one', { content: 'another' })).toBe('artifact-known');
    world.file('artifacts/elsewhere/one.json', anArtifact('one'));
    expect(await world.register('artifacts/elsewhere/one.json')).toBe('artifact-known');
    expect(await world.card('one')).toEqual(first);
  });

  it('Q14: moves with its file', async () => {
    const world = await artifactWorld();
    await world.make('one');
    world.file('artifacts/elsewhere/one.json', world.textOf(placeOf('one')));
    rmSync(join(world.folder, placeOf('one')));
    expect(await world.register('artifacts/elsewhere/one.json')).toMatchObject({ status: 'active' });
    expect(await world.card('one')).toMatchObject({ path: 'artifacts/elsewhere/one.json' });
  });

  it('Q14: may be mended until it is active', async () => {
    const world = await artifactWorld();
    expect(await world.make('one', { validation: { status: 'failed' } })).toBe('artifact-not-valid');
    expect(await world.card('one')).toMatchObject({ status: 'created', flaw: 'artifact-not-valid' });
    expect(await world.make('one', { content: 'mended' })).toMatchObject({ status: 'active', flaw: null });
  });

  it('Q14: of artifacts that require each other, the later is refused with the ring', async () => {
    const world = await artifactWorld();
    expect(await world.make('self', requiring('self'))).toBe('artifact-ring');
    expect(await world.make('a', requiring('b'))).toBe('artifact-lacks');
    expect(await world.make('b', requiring('c'))).toBe('artifact-lacks');
    expect(await world.make('c', requiring('a'))).toBe('artifact-ring');
    expect(await world.card('c')).toBeNull();
  });
});

describe('what makes an artifact active', () => {
  it('Q14: schema, requirements, generated files and validation, asked for in this order', async () => {
    const world = await artifactWorld();
    const wrong = { ...requiring('base'), content: { files: ['src/a.tsx'] }, validation: { status: 'failed' } };
    const schemas = { check: async () => ({ ok: false, refusal: { code: 'schema-unknown', schema: 's', known: [] } }) };
    const strict = { ...world.ctx, rules: { ...world.ctx.rules, schemas } };
    const { register } = await import('../../src/engine/artifacts/register.ts');
    world.file(placeOf('x'), anArtifact('x', wrong));
    const asked = { path: placeOf('x'), schema: 's' };
    expect(await register(strict as never, world.artifacts, asked)).toMatchObject({
      refusal: { code: 'schema-unknown' },
    });
    expect(await world.register(placeOf('x'))).toBe('artifact-lacks');
    await world.make('base');
    expect(await world.register(placeOf('x'))).toBe('artifact-file');
    world.file('src/a.tsx', 'export {};');
    expect(await world.register(placeOf('x'))).toBe('artifact-not-valid');
    expect(await world.make('x', { ...wrong, validation: { status: 'passed' } })).toMatchObject({
      status: 'active',
      required: ['base'],
      files: [{ path: 'src/a.tsx', sha256: hexDigestOf('export {};') }],
    });
  });

  it.each(['../a.tsx', '/etc/passwd', 'linked/a.tsx', 'link.tsx', 'a folder', 'nowhere.tsx'])(
    'Q14, I20: a generated file %j is none',
    async (path) => {
      const world = await artifactWorld();
      const outside = tempFolder();
      writeFileSync(join(outside, 'a.tsx'), '');
      symlinkSync(outside, join(world.folder, 'linked'));
      symlinkSync(join(outside, 'a.tsx'), join(world.folder, 'link.tsx'));
      mkdirSync(join(world.folder, 'a folder'));
      expect(await world.make('x', { content: { files: [{ path }] } })).toBe('artifact-file');
    },
  );

  it('Q14: a file whose text is in the content need not lie anywhere', async () => {
    const world = await artifactWorld();
    const content = { files: [{ path: 'a.tsx', content: 'export {};' }] };
    expect(await world.make('x', { content })).toMatchObject({ status: 'active', files: [] });
  });

  it('Q14: what requires an archived or unknown one is not; what is deprecated still serves', async () => {
    const world = await artifactWorld();
    await world.make('old');
    await world.make('new', { metadata: { supersedes: ['old'] } });
    expect(await world.card('old')).toMatchObject({ status: 'deprecated' });
    expect(await world.make('user', requiring('old'))).toMatchObject({ status: 'active' });
  });
});

it('Q14: a changed file is found out, and dependents are known', async () => {
  const world = await artifactWorld();
  world.file('src/a.tsx', 'export {};');
  await world.make('base', { content: { files: ['src/a.tsx'] } });
  await world.make('user', requiring('base'));
  const look = async (): Promise<unknown> => showArtifact(world.ctx, OPERATOR, world.artifacts, 'base' as ArtifactId);
  expect(await look()).toMatchObject({ changed: [], dependents: ['user'], file: { artifact_id: 'base' } });
  world.file('src/a.tsx', 'export {}; // touched');
  world.file(placeOf('base'), anArtifact('base', { content: 'other' }));
  expect(await look()).toMatchObject({ changed: [{ path: placeOf('base') }, { path: 'src/a.tsx' }] });
  rmSync(join(world.folder, placeOf('base')));
  expect(await look()).toMatchObject({ file: null, changed: [{ says: 'it is gone' }, { path: 'src/a.tsx' }] });
});
