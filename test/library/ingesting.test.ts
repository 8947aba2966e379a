import { describe, expect, it, onTestFinished } from 'vitest';
import { BatonRefusal, openBaton, type Baton, type IngestOptions } from '../../src/index.ts';
import { commandDatabases } from '../cli/command-databases.ts';
import { makeWorkspace } from '../cli/workspaces.ts';
import { blockOf } from '../engine/summaries/summary-world.ts';

const OLD = '# Handoff: water\n\n**From:** Ivy\n**To:** @basil\n**Status:** open\n**Created:** March 4, 2026\n';

describe.each(commandDatabases)('baton.ingest on $name', (database) => {
  const open = async (as?: string): Promise<Baton> => {
    const { folder, address } = await makeWorkspace(database, 'project: garden\n');
    const baton = await openBaton({
      workspace: folder,
      ...(as === undefined ? {} : { as }),
      ...(address.kind === 'postgres' ? { database: address.url } : {}),
    });
    onTestFinished(() => baton.close());
    return baton;
  };

  it('S4: does what the blocks say, each with its own answer, once', async () => {
    const baton = await open();
    const text = `${blockOf({ to: '@build' })}\n${blockOf({ from: '@build', handoff_id: 'hoff-nobody' })}`;
    const asked = { text, session: 's-1', turn: '7' };
    const [first, second] = await baton.ingest(asked);
    expect(first).toMatchObject({ fate: 'done', line: 3, from: 'research', ingested: { did: 'completed' } });
    expect(second).toMatchObject({ fate: 'refused', refusal: { code: 'no-such-handoff' } });
    expect(second?.refusal?.message).toContain('hoff-nobody');
    expect(await baton.load(first?.ingested?.opened ?? '')).toMatchObject({ to: '@build', state: 'offered' });
    expect(await baton.ingest(asked)).toMatchObject([{ fate: 'known' }, { fate: 'refused' }]);
  });

  it('S4, D14: a file in a form of its own becomes a handoff; in a session it is only talk', async () => {
    const baton = await open();
    expect(await baton.ingest({ text: OLD, session: 's', turn: '1' })).toEqual([]);
    const [answer] = await baton.ingest({ text: OLD, file: 'handoff.md' });
    expect(answer).toMatchObject({ fate: 'done', ingested: { did: 'offered' }, legacy: { form: 'bold-fields' } });
    const taken = await baton.claim('@basil');
    expect(taken).toMatchObject({ id: answer?.ingested?.leg, from: '@ivy', input: { text: OLD } });
  });

  it('S2: strict answers problems at their places', async () => {
    const baton = await open();
    const odd = { text: blockOf({ phase: 'Development' }), file: 'a.md' };
    expect(await baton.ingest({ ...odd, strict: true })).toMatchObject([
      { fate: 'invalid', problems: [{ line: 5, column: 10, field: 'phase' }] },
    ]);
    expect(await baton.ingest(odd)).toMatchObject([{ fate: 'done', warnings: [{ field: 'phase' }] }]);
  });

  it('S4: whoever asks as an agent speaks for that one only', async () => {
    const baton = await open('@qa');
    expect(await baton.ingest({ text: blockOf({}), file: 'a.md' })).toMatchObject([
      { fate: 'refused', refusal: { code: 'not-speaker' } },
    ]);
    expect(await baton.ingest({ text: blockOf({}), file: 'a.md', as: '@research' })).toMatchObject([{ fate: 'done' }]);
  });

  it('a source that is none, or two, is refused before anything is read', async () => {
    const baton = await open();
    const wrong: readonly Partial<IngestOptions>[] = [
      {},
      { file: '' },
      { session: 's' },
      { turn: '1' },
      { file: 'a', session: 's', turn: '1' },
      { file: 'a', turn: '1' },
      { file: 'a', project: '' },
      { file: 7 as never },
      { file: 'a', text: null as never },
    ];
    for (const each of wrong) {
      const error = await baton.ingest({ text: blockOf({}), ...each }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BatonRefusal);
      expect([each, (error as BatonRefusal).code]).toEqual([each, 'bad-request']);
    }
    expect((await baton.find()).items).toEqual([]);
  });
});
