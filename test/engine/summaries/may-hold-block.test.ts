/** What an agent's hook asks before it loads the reader of blocks: it may say yes too often, and never no too often. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mayHoldBlock } from '../../../src/formats/summary-block/may-hold-block.ts';
import { campaignSize } from '../../support/campaign-sizes.ts';
import { summaryWorld } from './summary-world.ts';

const line = fc
  .tuple(
    fc.constantFrom('', '', '', '> ', '- ', '  ', '    ', '\uFEFF'),
    fc.constantFrom(
      '```yaml',
      '```',
      '~~~ YML',
      '~~~',
      '````handoff',
      '```ts',
      '<!--',
      '-->',
      '',
      'text',
      'next agent',
      'handoff:',
      '"handoff": ',
      '  status: complete',
      '  from: dev',
      '{ handoff: { from: dev } }',
      'HANDOFF:',
      '# TESTING COMPLETE',
      '## complete',
      '**Next Agent:** qa',
      '__NEXT AGENT__: none',
      '{',
      '}',
      '{"type":"x"}',
    ),
  )
  .map((parts) => parts.join(''));
const markdown = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n', '\r'))
  .map(([lines, end]) => lines.join(end));
const transcript = fc.array(markdown, { minLength: 1, maxLength: 3 }).map((texts) =>
  texts
    .map((text) => ({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } }))
    .map((entry) => JSON.stringify(entry))
    .join('\n'),
);

it('S4: whatever the reader finds in the last words of an agent, its hook has not passed over', async () => {
  const { tell } = summaryWorld();
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(markdown, markdown, transcript), async (text) => {
      const answers = await tell(text, { source: { session: 's', turn: 't' }, preview: true });
      if (answers.length === 0) return;
      found += 1;
      expect(mayHoldBlock(text)).toBe(true);
    }),
    { numRuns: campaignSize('BATON_RUNS') },
  );
  expect(found).toBeGreaterThan(0);
});

it('does not load the reader for what agents say on most turns', () => {
  const said = [
    'Done. The handoff is in `src/handoff.ts`, and the next agent can go on.',
    'Fixed:\n```ts\nconst a = 1;\n```\nAll tests pass.',
    'The build is COMPLETE.',
  ];
  expect(said.filter(mayHoldBlock)).toEqual([]);
});
