/** Looking at a workspace from a terminal: what needs a person, who is at work, what waits, and what happens. */
import { describe, expect, it } from 'vitest';
import { shortIdOf, type HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { commandDatabases } from './command-databases.ts';
import { agentOf, makeWorkspace } from './workspaces.ts';

describe.each(commandDatabases)('baton status on $name', (database) => {
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
    expect(stdout).toContain(`→ baton unblock ${shortIdOf(asking)} --answer TEXT`);
    expect(stdout).toMatch(new RegExp(`1 at work\n {2}@react {2}${shortIdOf(held)} `));
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

  it('names what ended badly, why, and how to retry it, until somebody does', async () => {
    const workspace = await makeWorkspace(database);
    const id = await workspace.send('@react', {}, ['--retries', '0', '--title', 'render']);
    await workspace.run(['accept', id, '--as', '@react']);
    await workspace.run([
      'fail',
      id,
      '--fence',
      '1',
      '--code',
      'X',
      '--message',
      'no disk\nat line 9',
      '--as',
      '@react',
    ]);
    const { stdout } = await workspace.run(['status']);
    expect(stdout).toMatch(/^1 needs a person\n {2}[0-9a-f]{8} {2}@me → @react {2}.* {2}render\n {4}failed: no disk\n/);
    expect(stdout).toContain(`→ baton retry ${shortIdOf(id)}`);
    expect((await workspace.run(['status', '--as', '@react'])).stdout).toContain('0 need a person');
    await workspace.run(['retry', id, '--as', '@me']);
    expect((await workspace.run(['status'])).stdout).toContain('0 need a person');
  });

  it('shows an agent only what is its own', async () => {
    const workspace = await makeWorkspace(database);
    await workspace.send('@react');
    const seen = await workspace.run(['status', '--json', '--as', '@stranger']);
    expect(JSON.parse(seen.stdout)).toMatchObject({ attention: [], atWork: [], waiting: [], open: {} });
  });
});

describe.each(commandDatabases)('baton list on $name', (database) => {
  it('tells attempt, next attempt and last failure in 80 columns', async () => {
    const workspace = await makeWorkspace(database);
    const title = 'a title that is much longer than its room '.repeat(3);
    const failing = await workspace.send('@react', {}, ['--title', title, '--retry-delay', '1h']);
    await workspace.run(['accept', failing, '--as', '@react']);
    const failed = [
      'fail',
      failing,
      '--fence',
      '1',
      '--code',
      'PROCESSING_ERROR',
      '--message',
      'the disk is full',
      '--as',
      '@react',
    ];
    expect(await workspace.run(failed)).toMatchObject({ code: 0 });
    const waiting = await workspace.send('@docs', {}, ['--depends', shortIdOf(failing)]);

    const { stdout } = await workspace.run(['list'], { env: { COLUMNS: '80' } });
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^id {8}state {4}from {2}to {6}try {2}age {2,}title$/);
    expect(lines[1]).toMatch(new RegExp(`^${shortIdOf(waiting)} {2}blocked {2}@me {3}@docs`));
    expect(lines[2]).toBe(`  waits for ${shortIdOf(failing)}`);
    expect(lines[3]).toMatch(new RegExp(`^${shortIdOf(failing)} {2}offered {2}@me {3}@react {2}1 .* a title .*…$`));
    expect(lines[4]).toMatch(/^ {2}next attempt in \d+ (?:min|h); PROCESSING_ERROR: the disk is full$/);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines[3]).toHaveLength(80);

    const whole = await workspace.run(['list', '--json', '--to', '@react']);
    expect(JSON.parse(whole.stdout)).toMatchObject({
      items: [
        {
          id: failing,
          attempt: 1,
          attemptsMax: 4,
          lastFailure: { code: 'PROCESSING_ERROR', message: 'the disk is full' },
        },
      ],
    });
  });
});

describe.each(commandDatabases)('baton show on $name', (database) => {
  it('says how often it is tried and for how long, and what agents have where the sender named nothing', async () => {
    const workspace = await makeWorkspace(database);
    const usual = await workspace.send('@react');
    expect((await workspace.run(['show', usual])).stdout).toMatch(
      /^attempts +at most 4, each at most 5 min; where baton work --agent does it: at most 2, each at most 2 h$/m,
    );
    const own = await workspace.send('@react', {}, ['--timeout', '90s', '--retries', '0']);
    expect((await workspace.run(['show', own])).stdout).toMatch(/^attempts +at most 1, each at most 90 s$/m);
    const half = await workspace.send('@react', {}, ['--retries', '2']);
    expect((await workspace.run(['show', half])).stdout).toMatch(
      /^attempts +at most 3, each at most 5 min; where baton work --agent does it: at most 3, each at most 2 h$/m,
    );
  });
});

describe.each(commandDatabases)('a short id on $name', (database) => {
  it('is taken where an id is taken, and refused with the candidates where it stands for two', async () => {
    const workspace = await makeWorkspace(database);
    const id = await workspace.send('@react');
    const short = shortIdOf(id);
    expect((await workspace.run(['accept', short, '--as', '@react'])).stdout).toBe(`${id} accepted (fence 1)\n`);
    expect((await workspace.run(['deliver', short, '--fence', '1', '--as', '@react'])).stdout).toBe(
      `${id} completed\n`,
    );
    expect(JSON.parse((await workspace.run(['wait', short, '--json'])).stdout)).toMatchObject({ id });
    expect(JSON.parse((await workspace.run(['trace', short, '--json'])).stdout)).toMatchObject({ root: id });
    const twins = ['hoff-01a1ea4e-7564-74e2-811f-bfb87f7f60b5', 'hoff-01a1ea4e-7564-74e2-811f-bfb87f000000'];
    const ctx = await workspace.open();
    const me = agentOf('me');
    for (const twin of twins) {
      await send(ctx, agentPrincipal(me), { from: me, to: agentOf('react'), input: {}, id: twin as HandoffId });
    }
    const found = await workspace.run(['list', '--json', '--text', 'bfb87f7']);
    expect(JSON.parse(found.stdout)).toMatchObject({ items: [{ id: twins[0] }] });
    expect(await workspace.run(['show', 'bfb87f'])).toMatchObject({
      code: 3,
      stderr: `baton: the short id bfb87f is ambiguous; write more digits: ${twins.join(', ')}\n`,
    });
    expect((await workspace.run(['show', 'bfb87'])).stderr).toContain('there is no handoff bfb87 here');
  });
});

describe.each(commandDatabases)('baton ready on $name', (database) => {
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

describe.each(commandDatabases)('baton tail on $name', (database) => {
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
    await expect.poll(() => tail.stdout()).toContain(shortIdOf(id));
    tail.signal('SIGINT');
    expect((await tail.ended).code).toBe(130);
  });
});
