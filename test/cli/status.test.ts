/** Looking at a workspace from a terminal: what needs a person, who is at work, what waits, and what happens. */
import { describe, expect, it } from 'vitest';
import { databases, makeWorkspace } from './workspaces.ts';

describe.each(databases)('baton status on $name', (database) => {
  it('says what needs a person and how to answer, who is at work, and for whom nobody works', async () => {
    const workspace = await makeWorkspace(database);
    const asking = await workspace.send('@painter', {}, ['--title', 'fence']);
    await workspace.run(['accept', asking, '--as', '@painter']);
    await workspace.run(['block', asking, '--fence', '1', '--question', 'which\ncolour?', '--as', '@painter']);
    const held = await workspace.send('@react', {}, ['--title', 'profile']);
    await workspace.run(['accept', held, '--as', '@react']);
    const review = await workspace.send('@dev', {}, ['--deliverable', 'page', '--verifier', '@qa']);
    await workspace.run(['accept', review, '--as', '@dev']);
    await workspace.run(['deliver', review, '--fence', '1', '--evidence', 'page=note:done', '--as', '@dev']);
    await workspace.send('@docs');

    const { stdout, stderr, code } = await workspace.run(['status']);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toContain('2 need a person\n');
    expect(stdout).toContain('asks: which');
    expect(stdout).not.toContain('\ncolour');
    expect(stdout).toContain(`→ baton unblock ${asking} --answer TEXT`);
    expect(stdout).toMatch(new RegExp(`1 at work\n {2}@react {2}${held} `));
    expect(stdout).toContain('2 waiting\n');
    expect(stdout).toContain('nobody works as @docs\n    → baton work @docs -- COMMAND');

    const seen = JSON.parse((await workspace.run(['status', '--json'])).stdout) as Record<string, unknown>;
    expect(seen).toMatchObject({
      attention: [
        { why: 'question', handoff: { id: asking } },
        { why: 'review', handoff: { id: review } },
      ],
      atWork: [{ id: held }],
      open: { blocked: 1, accepted: 1, delivered: 1, offered: 1 },
      isWhole: true,
    });
  });

  it('shows an agent only what is its own', async () => {
    const workspace = await makeWorkspace(database);
    await workspace.send('@react');
    const seen = await workspace.run(['status', '--json', '--as', '@stranger']);
    expect(JSON.parse(seen.stdout)).toMatchObject({ attention: [], atWork: [], waiting: [], open: {} });
  });
});

describe.each(databases)('baton ready on $name', (database) => {
  it('lists what can be taken now, the urgent first, and nothing that has to wait', async () => {
    const workspace = await makeWorkspace(database);
    const plain = await workspace.send('@react');
    const urgent = await workspace.send('@react', {}, ['--priority', 'urgent']);
    await workspace.send('@react', {}, ['--not-before', '2099-01-01T00:00:00Z']);
    await workspace.send('@react', {}, ['--depends', plain]);
    const { stdout } = await workspace.run(['ready', '@react', '--json']);
    const { items } = JSON.parse(stdout) as { readonly items: readonly { readonly id: string }[] };
    expect(items.map(({ id }) => id)).toEqual([urgent, plain]);
  });
});

describe.each(databases)('baton tail on $name', (database) => {
  it('prints the newest facts, oldest first', async () => {
    const workspace = await makeWorkspace(database);
    const first = await workspace.send('@react');
    const second = await workspace.send('@react');
    await workspace.run(['accept', first, '--as', '@react']);
    const { stdout } = await workspace.run(['tail', '--lines', '2', '--json']);
    const facts = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { handoff: string; deed: string });
    expect(facts.map(({ handoff, deed }) => [handoff, deed])).toEqual([
      [second, 'create'],
      [first, 'accept'],
    ]);
  });

  it('follows until it is interrupted', async () => {
    const workspace = await makeWorkspace(database);
    const tail = workspace.start(['tail', '-f']);
    const id = await workspace.send('@react');
    await expect.poll(() => tail.stdout()).toContain(id);
    tail.signal('SIGINT');
    expect((await tail.ended).code).toBe(130);
  });
});
