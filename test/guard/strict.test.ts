/** Where identity is strict, a commit has to tell what the database says. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accept } from '../../src/engine/handoffs/accept.ts';
import type { DocumentChanges } from '../../src/formats/document/edit.ts';
import { as, documentsWorld, gitIn, ON, type DocumentsWorld } from '../folders/documents-world.ts';
import { quickBaton, tempFolder } from '../support/processes.ts';

interface Answer {
  readonly complaints: readonly { readonly rule: string; readonly says: string; readonly todo: string }[];
}

async function unproven(folder: string): Promise<readonly string[]> {
  const { complaints } = await complaintsOf(folder, ['--staged']);
  return complaints.filter(({ rule }) => rule === 'unproven').map(({ says }) => says);
}

async function repository(configuration: string): Promise<DocumentsWorld> {
  const world = await documentsWorld(undefined, configuration);
  world.git('init', '-q');
  await world.sync();
  return world;
}

describe('baton check --staged, where identity is strict', () => {
  it('D13: lets pass what commands did, and refuses what only a text says', async () => {
    const world = await repository(`${ON}identity: strict\n`);
    const id = await world.at('offered');
    expect(await unproven(world.folder)).toEqual([]);
    world.git('commit', '-qm', 'offered');
    expect(await accept(world.ctx, as('claude'), id)).toMatchObject({ ok: true });
    expect(await unproven(world.folder)).toEqual([]);
    world.git('commit', '-qm', 'accepted');
    world.edit(id, { status: 'Complete', completion_verified_by: 'perplexity' });
    expect(await unproven(world.folder)).toEqual([
      'identity is strict, and nothing proves that it is Complete: the database has it as Acknowledged',
    ]);
  });

  it('D13: refuses it in a clone without a database, and lets it pass where identity is local', async () => {
    for (const [configuration, says] of [
      [
        `${ON}identity: strict\n`,
        ['identity is strict, and nothing proves that it is Active: no database at hand has it'],
      ],
      [ON, []],
    ] as const) {
      const world = await repository(configuration);
      await world.at('offered');
      world.git('add', '-A');
      world.git('commit', '-qm', 'the workspace');
      const clone = tempFolder();
      gitIn(clone, 'clone', '-q', world.folder, '.');
      gitIn(clone, 'checkout', '-q', '--orphan', 'another');
      expect(await unproven(clone)).toEqual(says);
    }
  });

  it('D13: a commit that makes identity local does not escape in that commit', async () => {
    const world = await repository(`${ON}identity: strict\n`);
    const id = await world.at('offered');
    world.git('add', '-A');
    world.git('commit', '-qm', 'offered');
    writeFileSync(join(world.folder, 'baton.yaml'), ON);
    world.edit(id, { status: 'Acknowledged', acknowledged_by: 'claude' });
    expect(await unproven(world.folder)).toHaveLength(1);
  });
});

/** Signed by git itself; the key is registered for `owner`. */
async function signedBy(
  owner: string,
  changes: DocumentChanges,
): Promise<readonly [withKeys: number, without: number]> {
  const world = await repository(`${ON}identity: strict\n`);
  const id = await world.at('offered');
  world.git('add', '-A');
  world.git('commit', '-qm', 'offered');
  const key = join(tempFolder(), 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', key]);
  const text = readFileSync(`${key}.pub`, 'utf8').trim();
  world.edit(id, { ...changes, updated_at: new Date(Date.now() + 1_000).toISOString() });
  // No hook can see a signature that is not made yet.
  const { complaints } = await complaintsOf(world.folder, ['--staged']);
  expect(complaints.map(({ todo }) => todo).join()).toContain('baton check --since HEAD~1');
  world.git('-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}.pub`, 'commit', '-qS', '-m', 'says so');
  const clone = tempFolder();
  gitIn(clone, 'clone', '-q', world.folder, '.');
  const keys = join(tempFolder(), 'keys.json');
  writeFileSync(keys, JSON.stringify([{ key: text, for: `@${owner}`, addedAt: new Date().toISOString() }]));
  const count = async (...more: readonly string[]): Promise<number> =>
    (await complaintsOf(clone, ['--since', 'HEAD~1', ...more])).complaints.length;
  return [await count('--keys', keys), await count()];
}

async function complaintsOf(folder: string, args: readonly string[]): Promise<Answer> {
  gitIn(folder, 'add', '-A');
  return JSON.parse((await quickBaton(['check', ...args, '--json'], { cwd: folder })).stdout) as Answer;
}

describe('baton check --since, where identity is strict', () => {
  const accepted = { status: 'Acknowledged', acknowledged_by: 'claude', acknowledged_at: new Date().toISOString() };

  it('D13: believes a commit that is signed by the agent it speaks for, without a database', async () => {
    expect(await signedBy('claude', accepted)).toEqual([0, 1]);
  });

  it('D13: refuses one that somebody else has signed', async () => {
    expect(await signedBy('gemini', accepted)).toEqual([1, 1]);
  });
});
