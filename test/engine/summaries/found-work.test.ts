/** Files in which somebody hands something over in a form of their own. */
import { describe, expect, it } from 'vitest';
import { firstBrokenRevision } from '../../../src/domain/facts.ts';
import { NO_LIMITS } from '../../../src/domain/limits.ts';
import { agentPrincipal, OPERATOR } from '../../../src/domain/principal.ts';
import { send } from '../../../src/engine/handoffs/send.ts';
import { projects } from '../../../src/engine/handoffs/projects.ts';
import { present } from '../../../src/foundation/assert.ts';
import { agentOf, blockOf, summaryWorld } from './summary-world.ts';

function bold(status: string, more = ''): string {
  return [
    '# Handoff: water the north beds',
    '',
    '**From:** Ivy (Field Lead)',
    '**To:** @basil',
    `**Status:** ${status}`,
    '**Created:** March 4, 2026',
    '**Weather:** dry',
    '',
    'All beds, before noon.',
    more,
  ].join('\n');
}

const FILE = { source: { file: 'notes/handoff-water.md' } };

describe('a handoff in a form of its own', () => {
  it('S4, D14: is offered to its recipient with all that was written, once', async () => {
    const world = summaryWorld();
    const text = bold('open');
    const [first, ...others] = await world.tell(text, FILE);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ fate: 'done', line: 3, from: 'ivy', to: 'basil', status: 'open' });
    expect(first).toMatchObject({ ingested: { did: 'offered' }, legacy: { form: 'bold-fields', sure: 'certain' } });
    const [handoff] = await world.handoffs();
    expect(handoff).toMatchObject({ from: 'ivy', to: 'basil', state: 'offered' });
    const body = await world.body(present(handoff, 'one').id);
    expect(body).toMatchObject({ input: { text }, leg: { project: 'shop' } });
    expect(JSON.stringify(body['context'])).toContain('"path":"Weather","text":"dry","line":7');
    const facts = await world.facts();
    expect(await world.tell(text, FILE)).toMatchObject([{ fate: 'known', ingested: { leg: handoff?.id } }]);
    expect(await world.facts()).toEqual(facts);
    expect(await world.tell(text, { source: { file: 'other.md' } })).toMatchObject([{ fate: 'done' }]);
  });

  it('S4: three that read it at once make one of it', async () => {
    const world = summaryWorld();
    const answers = await Promise.all([1, 2, 3].map(async () => world.tell(bold('open'), FILE)));
    expect(
      answers
        .flat()
        .map(({ fate }) => fate)
        .toSorted(),
    ).toEqual(['done', 'known', 'known']);
    expect(await world.handoffs()).toHaveLength(1);
  });

  it.each([
    ['done', 'completed'],
    ['failed', 'failed'],
    ['rejected', 'rejected'],
    ['expired', 'expired'],
    ['superseded', 'cancelled'],
  ])('D14: %s is recorded as %s; nobody is asked, told or counted', async (word, state) => {
    const world = summaryWorld();
    expect(await world.tell(bold(word))).toMatchObject([{ fate: 'done', ingested: { did: 'recorded', opened: null } }]);
    const [handoff] = await world.handoffs();
    expect(handoff).toMatchObject({ from: 'ivy', to: 'basil', state });
    expect(await world.openLegs()).toEqual([]);
    expect(await world.inbox('@ivy')).toEqual([]);
    expect(await world.inbox('@basil')).toEqual([]);
    expect(await projects(world.ctx, null)).toEqual([]);
    const trail = await world.trail(present(handoff, 'one').id);
    expect(firstBrokenRevision(trail)).toBeNull();
    expect(trail.map(({ detail }) => detail).join(' ')).toContain('so it stood in 1.md');
  });

  it.each([
    ['in review', 'draft'],
    ['blocked', 'draft'],
    ['frobnicated', 'draft'],
    ['draft', 'draft'],
    ['in progress', 'offered'],
    ['ready', 'offered'],
  ])('D14: %s is %s: what waits, or what nobody understands, is not begun', async (word, state) => {
    const world = summaryWorld();
    await world.tell(bold(word));
    expect(await world.handoffs()).toMatchObject([{ state }]);
  });

  it('D14: what lies in a folder for finished ones is finished, whatever it says; elsewhere only the nearest folder', async () => {
    const world = summaryWorld();
    for (const file of ['done/a.md', '/home/ivy/archive/garden/b.md', '/garden/done/c.md']) {
      await world.tell(bold('open'), { source: { file } });
    }
    expect((await world.handoffs()).map(({ state }) => state)).toEqual(['completed', 'offered', 'completed']);
  });

  it('S4: without room under a limit it waits for a place', async () => {
    const one = { outgoingMax: null, incomingMax: 1 };
    const world = summaryWorld({}, { ...NO_LIMITS, agents: new Map([[agentOf('basil'), one]]) });
    for (const file of ['a.md', 'b.md']) await world.tell(bold('open'), { source: { file } });
    expect((await world.handoffs()).map(({ state }) => state).toSorted()).toEqual(['blocked', 'offered']);
  });

  it('a guess is told and not obeyed; prose is answered too', async () => {
    const world = summaryWorld();
    const answers = await Promise.all([
      world.tell('# Handoff\n\n**To:** @basil\n**Date:** 2026-03-04\n**Status:** open\n'),
      world.tell('The handoff was fine. Everything is complete.\n'),
      world.tell(''),
      world.tell('\u0000\u0001\u0002'),
    ]);
    expect(answers.map((each) => each.map(({ fate }) => fate))).toEqual([
      ['unclear'],
      ['nothing'],
      ['nothing'],
      ['nothing'],
    ]);
    expect(answers[0]?.[0]?.says).toBe('a handoff that names no sender');
    expect(await world.handoffs()).toEqual([]);
  });

  it('S3: what an agent says in a session is never read so, and neither is anything when strict', async () => {
    const world = summaryWorld();
    expect(await world.tell(bold('open'), { source: { session: 's', turn: '1' } })).toEqual([]);
    expect(await world.tell(bold('open'), { strict: true })).toEqual([]);
    const line = { type: 'assistant', message: { role: 'assistant', content: bold('open') } };
    expect(await world.tell(JSON.stringify(line), { source: { file: 'x.jsonl' } })).toEqual([]);
    expect(await world.handoffs()).toEqual([]);
  });

  it('S4: a block goes before everything around it', async () => {
    const world = summaryWorld();
    expect(await world.tell(bold('open', blockOf({})))).toMatchObject([{ fate: 'done', from: 'research' }]);
    const quoted = blockOf({})
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n');
    expect(await world.tell(bold('open', `\n${quoted}`))).toMatchObject([
      { fate: 'quoted' },
      { fate: 'done', index: 1 },
    ]);
  });

  it('S4: an agent speaks for itself, and not about what others have done', async () => {
    const world = summaryWorld();
    const ivy = agentPrincipal(agentOf('ivy'));
    const basil = agentPrincipal(agentOf('basil'));
    expect(await world.tell(bold('open'), {}, ivy)).toMatchObject([{ fate: 'done' }]);
    expect(await world.tell(bold('open'), {}, basil)).toMatchObject([
      { refusal: { code: 'not-speaker', from: 'ivy' } },
    ]);
    expect(await world.tell(bold('done'), {}, ivy)).toMatchObject([
      { refusal: { code: 'not-speaker', from: 'basil' } },
    ]);
    expect(await world.handoffs()).toHaveLength(1);
  });

  it('a file that shows a handoff of ours is known by its id', async () => {
    const world = summaryWorld();
    const sent = await send(world.ctx, OPERATOR, { from: agentOf('ivy'), to: agentOf('basil'), input: {} });
    const id = sent.ok ? sent.value.id : '';
    const text = `---\nhandoff_id: ${id}\nfrom_agent: ivy\nto_agent: basil\nstatus: open\n---\n# Handoff\n`;
    expect(await world.tell(text)).toMatchObject([{ fate: 'known', ingested: { leg: id } }]);
    expect(await world.tell(text.replace('from_agent: ivy', 'from_agent: mallory'))).toMatchObject([{ fate: 'done' }]);
  });
});

describe('files of other kinds', () => {
  const ROUTE = {
    handoff_id: 'h-1',
    from_agent: 'ivy',
    to_agent: 'basil',
    status: 'pending',
    created_at: '2026-03-04',
  };

  it('D14: a JSON handoff is taken, also in one line with a type', async () => {
    const world = summaryWorld();
    const pretty = JSON.stringify(ROUTE, null, 2);
    const oneLine = JSON.stringify({ type: 'handoff', ...ROUTE });
    expect(await world.tell(pretty, { source: { file: 'handoff-1.json' } })).toMatchObject([{ fate: 'done' }]);
    expect(await world.tell(oneLine, { source: { file: 'handoff-2.json' } })).toMatchObject([{ fate: 'done' }]);
    expect((await world.handoffs()).map(({ state, to }) => `${to} ${state}`)).toEqual([
      'basil offered',
      'basil offered',
    ]);
  });

  it('D14: lines of JSON are one handoff each, with their line', async () => {
    const world = summaryWorld();
    const lines = ['ivy', 'rose'].map((from) =>
      JSON.stringify({ ...ROUTE, handoff_id: `h-${from}`, from_agent: from }),
    );
    const answers = await world.tell(`${lines.join('\n\n')}\n`, { source: { file: 'handoffs.jsonl' } });
    expect(answers).toMatchObject([
      { fate: 'done', line: 1, from: 'ivy', index: 0 },
      { fate: 'done', line: 3, from: 'rose', index: 1 },
    ]);
  });

  it('S1, S2: a YAML file with the fields of a block is one, with its problems at their places', async () => {
    const world = summaryWorld();
    const yaml = 'handoff:\n  phase: "Development"\n  from: "@ivy"\n  to: "@basil"\n  status: complete\n';
    const answers = await world.tell(yaml, { source: { file: 'summary.yaml' } });
    expect(answers).toMatchObject([
      { fate: 'done', ingested: { did: 'completed' }, warnings: [{ line: 2, column: 10, field: 'phase' }] },
    ]);
    expect((await world.handoffs()).map(({ to, state }) => `${to} ${state}`).toSorted()).toEqual([
      'basil offered',
      'ivy completed',
    ]);
    expect(await world.tell(yaml, { source: { file: 'summary.yaml' } })).toMatchObject([{ fate: 'known' }]);
  });

  it('D14: a YAML file with other fields is a handoff in a form of its own', async () => {
    const world = summaryWorld();
    const yaml = 'handoff:\n  from_agent: "IVY"\n  to_agent: "BASIL"\n  story: "03.14"\n  status: "ready"\n';
    expect(await world.tell(yaml, { source: { file: 'HANDOFF-TO-BASIL.yaml' } })).toMatchObject([
      { fate: 'done', from: 'ivy', to: 'basil', ingested: { did: 'offered' } },
    ]);
  });

  it('hostile files have an answer', async () => {
    const world = summaryWorld();
    const texts = [
      '[{"to":'.repeat(5_000),
      `handoff: ${'['.repeat(5_000)}`,
      '{"__proto__": {"to": "x"}}',
      '\uD800{',
      '{',
    ];
    for (const text of texts) {
      for (const file of ['a.json', 'a.yaml', 'a.jsonl', 'a.md']) {
        const answers = await world.tell(text, { source: { file } });
        expect([file, text.slice(0, 20), answers.length]).toEqual([file, text.slice(0, 20), 1]);
      }
    }
    expect(await world.handoffs()).toEqual([]);
  });

  it('D14: a text that is too large to be kept is refused, not cut', async () => {
    const world = summaryWorld();
    const [answer] = await world.tell(bold('open', 'x'.repeat(1_100_000)));
    expect(answer).toMatchObject({ fate: 'refused', refusal: { code: 'not-json' } });
    const many = Array.from({ length: 9_000 }, (_, n) => `- key ${n}: ${'v'.repeat(60)}`).join('\n');
    expect(await world.tell(bold('open', many))).toMatchObject([{ fate: 'done' }]);
    const [kept] = await world.handoffs();
    expect((await world.body(present(kept, 'one').id))['input']).toEqual({ text: bold('open', many) });
  });
});
