/** A block that is read again, repeated in other words, or only an example. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { agentPrincipal } from '../../../src/domain/principal.ts';
import type { HandoffId } from '../../../src/domain/names.ts';
import { send } from '../../../src/engine/handoffs/send.ts';
import type { BlockAnswer } from '../../../src/engine/handoffs/ingest-text.ts';
import { agentOf, blockOf, summaryWorld, type SummaryWorld } from './summary-world.ts';

const fates = (answers: readonly BlockAnswer[]): readonly string[] => answers.map(({ fate }) => fate);

async function sent(world: SummaryWorld, to: string): Promise<HandoffId> {
  const lead = agentOf('lead');
  const answer = await send(world.ctx, agentPrincipal(lead), { from: lead, to: agentOf(to), input: {} });
  if (!answer.ok) throw new Error(answer.refusal.code);
  return answer.value.id;
}

describe('a block that was read before', () => {
  const own = `# Login\n\nThe login works.\n\n${blockOf({ to: '@planning' }).replace('# Summary\n\n', '')}`;
  const other = blockOf({ from: '@other', to: 'None' });

  it.each([
    ['another block is put above it', 'a.md', `${other}\n${own}`],
    ['another block is put between it and its words', 'a.md', own.replace('```yaml', `${other}\nThen:\n\n\`\`\`yaml`)],
    ['its words are corrected', 'a.md', own.replace('works', 'works now')],
    ['its file is renamed', 'b.md', own],
    ['its file is renamed and another block is put above it', 'b.md', `${other}\n${own}`],
    ['its file is checked out with CRLF', 'a.md', own.replaceAll('\n', '\r\n')],
    ['its file is checked out with CRLF under another name', 'b.md', own.replaceAll('\n', '\r\n')],
    [
      'its fence and the spaces around it change',
      'a.md',
      own.replaceAll('```', '~~~~').replace('"@planning"', '"@planning"  '),
    ],
  ])('S4: is known when %s', async (_, file, text) => {
    const world = summaryWorld();
    expect(fates(await world.tell(own, { source: { file: 'a.md' } }))).toEqual(['done']);
    const again = await world.tell(text, { source: { file } });
    expect(again.filter(({ from }) => from === 'research').map(({ fate }) => fate)).toEqual(['known']);
    expect((await world.summaries()).filter(({ from }) => from === 'research')).toHaveLength(1);
  });

  it('S4: the same block after other words in another file is another report, and so is the second one in a log', async () => {
    const world = summaryWorld();
    await world.tell(own, { source: { file: 'summaries/1.md' } });
    const later = own.replace('The login works.', 'The login works again after the fix.');
    expect(fates(await world.tell(later, { source: { file: 'summaries/2.md' } }))).toEqual(['done']);
    expect(fates(await world.tell(`${own}\n${own}`, { source: { file: 'summaries/1.md' } }))).toEqual([
      'known',
      'done',
    ]);
  });

  it('S4: in a conversation the same words count again in a later turn, and once in each', async () => {
    const world = summaryWorld();
    const turn = (name: string) => world.say({}, { source: { session: 's', turn: name } });
    expect((await turn('1')).fate).toBe('done');
    expect((await turn('1')).fate).toBe('known');
    expect((await turn('2')).fate).toBe('done');
  });

  it('S4: a turn that the hook told is known in the transcript of Claude Code and Codex', async () => {
    const world = summaryWorld();
    const text = blockOf({});
    await world.tell(text, { source: { session: 's', turn: 'p1' } });
    const claude = [
      { type: 'user', sessionId: 's', uuid: 'u0', promptId: 'p1', message: { role: 'user', content: 'go' } },
      {
        type: 'assistant',
        sessionId: 's',
        uuid: 'u1',
        message: { role: 'assistant', content: [{ type: 'text', text }] },
      },
    ];
    expect(fates(await world.tell(lines(claude)))).toEqual(['known']);
    const codex = [
      { type: 'session_meta', payload: { id: 's' } },
      { type: 'turn_context', payload: { turn_id: 'p1' } },
      {
        type: 'response_item',
        payload: { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text }] },
      },
    ];
    expect(fates(await world.tell(lines(codex)))).toEqual(['known']);
  });

  it('S1: transcripts of Gemini CLI are read, as lines and as one object; a message that is written again counts once', async () => {
    const text = blockOf({});
    const head = { sessionId: 'g', projectHash: 'h', startTime: '2026-01-01T00:00:00Z' };
    const messages = [
      { id: 'm1', type: 'user', content: [{ text: blockOf({ from: '@user' }) }] },
      { id: 'm2', type: 'user', content: [{ functionResponse: { response: { output: blockOf({ from: '@tool' }) } } }] },
      { id: 'm3', type: 'gemini', content: text },
      { id: 'm3', type: 'gemini', content: text, toolCalls: [{ name: 'write_file' }] },
      { id: 'm4', type: 'gemini', content: text },
    ];
    const world = summaryWorld();
    const answers = await world.tell(lines([head, ...messages]), { source: { file: 'session.jsonl' } });
    expect(fates(answers)).toEqual(['quoted', 'quoted', 'done', 'done']);
    expect(await world.summaries()).toMatchObject([
      { source: { session: 'g', turn: 'm3' } },
      { source: { session: 'g', turn: 'm4' } },
    ]);
    const whole = JSON.stringify({ ...head, messages }, null, 2);
    const again = await world.tell(whole, { source: { file: 'session.json' } });
    expect(new Set(fates(again.filter(({ from }) => from === 'research')))).toEqual(new Set(['known']));
  });
});

describe('what an agent says again in other words', () => {
  it.each(['', ', all in one millisecond'])(
    'S4: does not settle a leg that was open beside the one it has settled%s',
    async (clock) => {
      if (clock !== '') vi.spyOn(Date, 'now').mockReturnValue(Date.now());
      const world = summaryWorld();
      const [first, second] = [await sent(world, 'build'), await sent(world, 'build')];
      await world.say({ from: '@build', handoff_id: first });
      const again = await world.say({ from: '@build', metrics: { files: 3 } });
      expect(again).toMatchObject({ fate: 'refused', refusal: { code: 'leg-settled', settled: first, open: second } });
      expect((await world.record(second)).state).toBe('offered');
      // Whoever takes it up may report on it without naming it.
      await world.say({ from: '@build', status: 'in_progress', handoff_id: second });
      expect((await world.say({ from: '@build' })).ingested).toMatchObject({ did: 'completed', leg: second });
    },
  );

  it('S4: does not settle a leg that came later, and opens nothing again', async () => {
    const world = summaryWorld();
    const first = await sent(world, 'build');
    const turn = (name: string) => ({ source: { session: 's', turn: name } });
    await world.say({ from: '@build', to: '@qa', handoff_id: first }, turn('1'));
    const before = await world.facts();
    expect((await world.say({ from: '@build', to: '@qa', retry_count: 1 }, turn('2'))).refusal).toMatchObject({
      code: 'leg-settled',
      settled: first,
      open: null,
    });
    expect(await world.facts()).toEqual(before);
    const second = await sent(world, 'build');
    expect((await world.say({ from: '@build', to: '@qa' }, turn('3'))).refusal).toMatchObject({ open: second });
    expect((await world.record(second)).state).toBe('offered');
    const task = await world.say({ from: '@build', to: '@qa', context: { task: 'task-9' } }, turn('4'));
    expect(task.fate).toBe('refused');
    expect((await world.say({ from: '@build', handoff_id: second }, turn('5'))).fate).toBe('done');
  });

  it('S4: is still about the same leg when its file is rewritten', async () => {
    const world = summaryWorld();
    const first = await sent(world, 'build');
    const source = { file: 'build.md' };
    expect((await world.say({ from: '@build' }, { source })).ingested?.leg).toBe(first);
    const second = await sent(world, 'build');
    const edited = await world.say({ from: '@build', metrics: { files: 4 } }, { source });
    expect(edited.refusal).toMatchObject({ code: 'leg-settled', settled: first, open: second });
  });

  it('S5: comes back along its own chain all the same', async () => {
    const world = summaryWorld();
    const turn = (name: string) => ({ source: { session: 's', turn: name } });
    const first = await sent(world, 'build');
    await world.say({ from: '@build', to: '@tester', handoff_id: first }, turn('1'));
    await world.say({ from: '@tester', status: 'failed', on_failure: { route_to: '@build' } });
    expect(await world.say({ from: '@build', to: '@tester' }, turn('2'))).toMatchObject({ fate: 'done' });
  });
});

describe('retry', () => {
  it('S4: ends at the limit of attempts, however often it is said', async () => {
    const world = summaryWorld();
    const id = await sent(world, 'build');
    const did: (string | undefined)[] = [];
    for (let time = 0; time < 12 && did.at(-1) !== 'failed'; time += 1) {
      did.push((await world.say({ from: '@build', status: 'retry', on_failure: { retry: 100 } })).ingested?.did);
    }
    expect(did).toEqual(['re-offered', 're-offered', 're-offered', 'failed']);
    expect((await world.record(id)).state).toBe('failed');
  });

  it('S4: refuses a next agent that it would not ask', async () => {
    const world = summaryWorld();
    await sent(world, 'build');
    const before = await world.facts();
    expect(await world.say({ from: '@build', to: '@other', status: 'retry' })).toMatchObject({
      fate: 'refused',
      refusal: { code: 'retry-elsewhere', from: 'build', to: 'other' },
    });
    expect(await world.facts()).toEqual(before);
    expect((await world.say({ from: '@build', to: '@build', status: 'retry' })).fate).toBe('done');
  });
});

describe('the next agent', () => {
  it('S4: gets what was said, besides metrics and context', async () => {
    const world = summaryWorld();
    const text = `# Login\n\nThe form is in src/login.ts; the captcha is missing.\n\n${blockOf({ to: '@planning' }).split('\n').slice(2).join('\n')}\nAsk me.\n`;
    const [answer] = await world.tell(text);
    const { input } = await world.body(answer!.ingested!.opened!);
    expect(input).toMatchObject({
      summary: '# Login\n\nThe form is in src/login.ts; the captcha is missing.\n\nAsk me.',
    });
    expect(JSON.stringify(input)).not.toContain('```');
  });

  it('S4: gets of several only its own, and a long one cut off', async () => {
    const world = summaryWorld();
    const part = (words: string, from: string) =>
      `${words}\n\n${blockOf({ from, to: '@planning' }).split('\n').slice(2).join('\n')}`;
    const answers = await world.tell(`${part('First.', '@a')}\n${part('x'.repeat(40_000), '@b')}`);
    const inputs = await Promise.all(
      answers.map(async ({ ingested }) => (await world.body(ingested!.opened!))['input']),
    );
    expect(inputs[0]).toMatchObject({ summary: 'First.' });
    expect(JSON.stringify(inputs[1])).toContain('… (cut off here)');
    expect(JSON.stringify(inputs[1]).length).toBeLessThan(17_000);
  });
});

describe('examples', () => {
  const specification = readFileSync(new URL('../../specs/002-summary-blocks.md', import.meta.url), 'utf8');

  it.each(['002-summary-blocks.md', 'summaries/page.md', 'page.md', '-'])(
    'S4: the specification itself runs none of its examples, as %s',
    async (file) => {
      const world = summaryWorld();
      const answers = await world.tell(specification, { source: { file } });
      expect(answers.length).toBeGreaterThan(6);
      expect(new Set(answers.map(({ fate }) => fate))).toEqual(new Set(['quoted']));
      expect(answers.every(({ rule, says }) => rule !== null && (says ?? '') !== '')).toBe(true);
      expect(await world.facts()).toEqual([]);
    },
  );

  const block = blockOf({}).split('\n').slice(2).join('\n');
  it.each([
    ['a page that goes on after it', 'how.md', `# How we hand over\n\n${block}\n## Why\n\nBecause.\n`, 'text-goes-on'],
    ['a page of the documentation', 'docs/how.md', `# How we hand over\n\n${block}`, 'documentation'],
    ['the readme', 'README.md', `# Shop\n\n${block}`, 'documentation'],
    ['a section of examples', 'done.md', `# Shop\n\n## Examples\n\n${block}`, 'example-heading'],
    ['words that say so', 'done.md', `# Shop\n\nFor example:\n\n${block}`, 'example-heading'],
    ['a form', 'done.md', `# Shop\n\n${block.replace('@research', '@agent-name')}`, 'placeholders'],
  ])('S4: %s is not obeyed, and the answer says why', async (_, file, text, rule) => {
    const world = summaryWorld();
    expect(await world.tell(text, { source: { file } })).toMatchObject([{ fate: 'quoted', rule }]);
    expect(await world.facts()).toEqual([]);
  });

  it.each([
    ['ends-file', 'done.md', `# Example shop deployed\n\nWell done.\n\n${block}\nBye!\n`],
    ['agents-folder', 'docs/summaries/1.md', `# Done\n\n${block}\n## Notes\n\nNone.\n`],
    ['whole-file', 'done.yaml', block.split('\n').slice(1, -2).join('\n')],
  ])('S4: a report is obeyed because of a rule: %s', async (rule, file, text) => {
    const world = summaryWorld();
    expect(await world.tell(text, { source: { file } })).toMatchObject([{ fate: 'done', rule }]);
  });

  it('S4: of a message only the last block is a report; blocks that stand together at its end are one', async () => {
    const world = summaryWorld();
    const source = { session: 's', turn: '1' };
    const other = block.replace('@research', '@other');
    const answers = await world.tell(`It looks so:\n\n${other}\nAnd mine is:\n\n${block}\nBye.`, { source });
    expect(answers).toMatchObject([
      { fate: 'quoted', rule: 'earlier-in-message', from: 'other' },
      { fate: 'done', rule: 'ends-message', from: 'research' },
    ]);
    const both = await world.tell(`Both are done.\n\n${other}\n${block}`, { source: { session: 's', turn: '2' } });
    expect(fates(both)).toEqual(['done', 'done']);
  });
});

function lines(entries: readonly object[]): string {
  return entries.map((entry) => JSON.stringify(entry)).join('\n');
}
