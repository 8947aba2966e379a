/** Where identity is strict, a commit has to tell what the database says. */
import { describe, expect, it } from 'vitest';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { as, documentsWorld, gitIn, ON, type DocumentsWorld } from '../folders/documents-world.ts';
import { baton, tempFolder } from '../support/processes.ts';

interface Answer {
  readonly complaints: readonly { readonly rule: string; readonly says: string; readonly todo: string }[];
}

async function unproven(folder: string): Promise<readonly string[]> {
  gitIn(folder, 'add', '-A');
  const { stdout } = await baton(['check', '--staged', '--json'], { cwd: folder });
  const { complaints } = JSON.parse(stdout) as Answer;
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
});
