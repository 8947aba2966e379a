import { describe, expect, it } from 'vitest';
import { findBlocks } from '../../../src/formats/summary-block/find.ts';
import { readBlock } from '../../../src/formats/summary-block/read.ts';
import { findInTranscript, isTranscript, lastAgentMessage } from '../../../src/formats/summary-block/transcript.ts';
import { readPlainReport } from '../../../src/formats/summary-block/plain-report.ts';

const YAML = 'handoff:\n  phase: "QA"\n  from: "@a"\n  to: "None"\n  status: "complete"';
const BLOCK = `\`\`\`yaml\n${YAML}\n\`\`\``;

function places(text: string): readonly string[] {
  return findBlocks(text).map(
    ({ place, line, column, closed }) => `${place} ${line}:${column}${closed ? '' : ' open'}`,
  );
}

function behind(mark: string, text: string): string {
  return text
    .split('\n')
    .map((line) => mark + line)
    .join('\n');
}

describe('finding blocks', () => {
  it.each([
    ['backticks', BLOCK, ['top 1:1']],
    ['tildes', BLOCK.replaceAll('```', '~~~'), ['top 1:1']],
    ['longer fences', BLOCK.replaceAll('```', '`````'), ['top 1:1']],
    ['yml, in capitals, with more words', BLOCK.replace('yaml', 'YML title="x"'), ['top 1:1']],
    ['no language', BLOCK.replace('yaml', ''), ['top 1:1']],
    ['another language', BLOCK.replace('yaml', 'json'), []],
    ['YAML without handoff', '```yaml\nphase: "Testing"\n```', []],
    ['handoff that is not at the top', '```yaml\nwork:\n  handoff:\n    from: x\n```', []],
    ['a word that begins with handoff', '```yaml\nhandoffs:\n  - x\n```', []],
    ['as JSON', '```yaml\n{"handoff": {"from": "@a"}}\n```', ['top 1:1']],
    ['a byte order mark and CRLF', `\uFEFF${BLOCK.replaceAll('\n', '\r\n')}`, ['top 1:1']],
    ['returns alone', BLOCK.replaceAll('\n', '\r'), ['top 1:1']],
    ['three spaces', behind('   ', BLOCK), ['top 1:4']],
    ['four spaces are code', behind('    ', BLOCK), ['code 1:5']],
    ['a list', `- done\n\n${behind('  ', BLOCK)}`, ['top 3:3']],
    ['a list in a list', `1. a\n   - b\n${behind('     ', BLOCK)}`, ['top 3:6']],
    ['a quote', behind('> ', BLOCK), ['quote 1:3']],
    ['a quote in a list', `- ${behind('  > ', BLOCK).trimStart()}`, ['quote 1:5']],
    ['another fence', `\`\`\`\`markdown\n${BLOCK}\n\`\`\`\``, ['fence 2:1']],
    ['a fence of the same length', `\`\`\`markdown\n${BLOCK}`, ['fence 2:1 open']],
    ['a comment', `<!--\n${BLOCK}\n-->\n${BLOCK}`, ['comment 2:1', 'top 10:1']],
    ['after a quote', `> said\n${BLOCK}`, ['top 2:1']],
    ['several', `${BLOCK}\n\ntext\n\n${behind('> ', BLOCK)}\n\n${BLOCK}`, ['top 1:1', 'quote 11:3', 'top 19:1']],
    ['never closed', BLOCK.slice(0, -4), ['top 1:1 open']],
    ['nothing', '', []],
  ])('S1: finds them, and knows where they stand: %s', (_, text, expected) => {
    expect(places(text)).toEqual(expected);
  });

  it('S1: keeps the text as it was written, and the YAML without what was around it', () => {
    const text = `before\n\n${behind('> ', BLOCK)}\nafter`;
    const [block] = findBlocks(text);
    expect(block?.yaml).toBe(YAML);
    expect(text.slice(block?.start, block?.end)).toBe(block?.text);
    expect(block?.text.startsWith('```yaml\n> handoff:')).toBe(true);
    expect(block?.text.endsWith('> ```')).toBe(true);
  });

  it('S2: takes the template of an agent in the wild, with warnings', () => {
    const template = ['```yaml', 'handoff:', '  phase: "Development"', '  from: "@module-development-agent"'];
    template.push(
      '  to: "@security-compliance-agent"',
      '  status: "complete"',
      '  metrics:',
      '    plugins: [X]',
      '```',
    );
    const [block] = findBlocks(template.join('\n'));
    expect(block && readBlock(block, { strict: false })).toMatchObject({
      fields: { phase: 'Development', metrics: { plugins: ['X'] } },
      warnings: [{ field: 'phase' }],
    });
  });
});

describe('transcripts', () => {
  const claude = [
    { type: 'user', sessionId: 's1', uuid: 'u1', message: { role: 'user', content: `do it\n${BLOCK}` } },
    {
      type: 'assistant',
      sessionId: 's1',
      uuid: 'u2',
      message: { content: [{ type: 'text', text: `done\n\n${BLOCK}` }] },
    },
    {
      type: 'user',
      uuid: 'u3',
      message: { content: [{ type: 'tool_result', content: [{ type: 'text', text: BLOCK }] }] },
    },
    { type: 'user', uuid: 'u4', message: { content: [{ type: 'tool_result', content: BLOCK }] } },
    { type: 'assistant', uuid: 'u5', message: { content: [{ type: 'tool_use', input: { text: BLOCK } }] } },
    { type: 'assistant', uuid: 'u6', message: { content: [{ type: 'text', text: behind('> ', BLOCK) }] } },
    {
      type: 'assistant',
      uuid: 'u7',
      message: {
        content: [
          { type: 'text', text: BLOCK },
          { type: 'text', text: BLOCK },
        ],
      },
    },
  ];
  const codex = [
    { type: 'session_meta', payload: { id: 'c1' } },
    { type: 'response_item', payload: { type: 'function_call_output', output: BLOCK } },
    { type: 'event_msg', payload: { type: 'agent_message', message: BLOCK } },
    {
      type: 'response_item',
      payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: BLOCK }] },
    },
    { type: 'item.completed', item: { id: 'i9', type: 'agent_message', text: BLOCK } },
  ];
  const lines = (entries: readonly object[]): string => entries.map((entry) => JSON.stringify(entry)).join('\n');

  it('S1: only what the agent itself said acts (Claude Code)', () => {
    const found = findInTranscript(`${lines(claude)}\n{"type":"assistant","message":{"content":[{"type":"te`);
    expect(found.map(({ place, said, index }) => `${said?.session} ${said?.turn} ${index} ${place}`)).toEqual([
      's1 u1 0 other',
      's1 u2 0 top',
      's1 u3 0 tool',
      's1 u4 0 tool',
      's1 u5 0 tool',
      's1 u6 0 quote',
      's1 u7 0 top',
      's1 u7 1 top',
    ]);
    expect(found[1]).toMatchObject({ line: 3, said: { line: 2 } });
  });

  it('S1: only what the agent itself said acts (Codex), and once', () => {
    const found = findInTranscript(lines(codex));
    expect(found.map(({ place, said }) => `${said?.session} ${said?.turn} ${place}`)).toEqual([
      'c1 line-2 tool',
      'c1 line-4 top',
      'c1 i9 top',
    ]);
  });

  it('tells transcripts from other texts', () => {
    expect(isTranscript(lines(claude))).toBe(true);
    expect(isTranscript(lines(codex))).toBe(true);
    expect(isTranscript(BLOCK)).toBe(false);
    expect(isTranscript('{ not json')).toBe(false);
    expect(isTranscript('{"a":1}')).toBe(false);
    expect(isTranscript('')).toBe(false);
    expect(lastAgentMessage(lines(claude))).toMatchObject({ text: BLOCK, said: { turn: 'u7' } });
  });

  it('takes lines of any kind without a fault', () => {
    const odd = ['null', '[]', '1', '{}', '{"type":1}', '{"type":"assistant","message":"handoff"}', '{"handoff":', ''];
    expect(findInTranscript(odd.join('\n'))).toEqual([]);
    expect(
      findInTranscript(
        `{"type":"assistant","message":{"content":${'['.repeat(50_000)}"handoff"${']'.repeat(50_000)}}}`,
      ),
    ).toEqual([]);
  });
});

describe('the plain form', () => {
  const PLAIN =
    '## TESTING COMPLETE\n\n✅ Tests passed: 25/25\n❌ Failed: 3\n- ✅ **Coverage**: 95%\n✅ Styles follow the rules\n\n**Next Agent:** @qa-agent (REQUIRED)\n';

  it('S3: results become metrics, the heading a phase, and the next agent is named', () => {
    const weak = readPlainReport(`Intro.\n\n${PLAIN}`);
    expect(weak).toMatchObject({ line: 3, warnings: [] });
    expect(weak?.fields).toMatchObject({
      phase: 'Testing',
      to: 'qa-agent',
      status: 'complete',
      form: 'weak',
      from: null,
    });
    expect(weak?.fields.metrics).toEqual({ tests_passed: '25/25', failed: 3, coverage: '95%' });
  });

  it('S3: other titles are phases as they are written', () => {
    expect(readPlainReport('# ✅ MODULE DEVELOPMENT COMPLETE\n**Next Agent**: None')?.fields).toMatchObject({
      phase: 'MODULE DEVELOPMENT',
      to: null,
    });
  });

  it.each([
    ['prose', 'The work is COMPLETE now.\n\n**Next Agent:** @b'],
    ['a heading in small letters', '## Testing complete\n\n**Next Agent:** @b'],
    ['not complete', '## TESTING NOT COMPLETE\n\n**Next Agent:** @b'],
    ['incomplete', '## TESTING INCOMPLETE\n\n**Next Agent:** @b'],
    ['a part', '## TESTING 50% COMPLETE\n\n**Next Agent:** @b'],
    ['a question', '## IS TESTING COMPLETE?\n\n**Next Agent:** @b'],
    ['a condition', '## WHEN TESTING IS COMPLETE\n\n**Next Agent:** @b'],
    ['no next agent', '## TESTING COMPLETE\n\nWell done.'],
    ['a next agent in prose', '## TESTING COMPLETE\n\nThe next agent is @b.'],
    ['the wrong order', '**Next Agent:** @b\n\n## TESTING COMPLETE'],
    ['in a fence', `\`\`\`\n${PLAIN}\n\`\`\``],
    ['in a quote', behind('> ', PLAIN)],
    ['a failure', '## TESTING FAILED\n\n**Next Agent:** @b'],
  ])('S3: no status is guessed from %s', (_, text) => {
    expect(readPlainReport(text)).toBeNull();
  });

  it('S3: a next agent that is no name is nobody, with a warning', () => {
    expect(readPlainReport('## TESTING COMPLETE\n**Next Agent:** whoever is free')).toMatchObject({
      fields: { to: null },
      warnings: [{ line: 2, field: 'to' }],
    });
  });
});
