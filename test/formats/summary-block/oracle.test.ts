import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { findBlocks } from '../../../src/formats/summary-block/find.ts';
import { campaignSize } from '../../support/campaign-sizes.ts';

/** Fences as a whole markdown parser sees them. Comments are ours alone, and the generator makes none. */
const parser = new MarkdownIt('commonmark', { html: false, maxNesting: 1000 });

interface Seen {
  readonly line: number;
  readonly quoted: boolean;
  readonly yaml: string;
}

function asMarkdownIt(text: string): readonly Seen[] {
  const seen: Seen[] = [];
  let quotes = 0;
  for (const token of parser.parse(text, {})) {
    if (token.type === 'blockquote_open') quotes += 1;
    if (token.type === 'blockquote_close') quotes -= 1;
    if (token.type !== 'fence' || !/^\s*(?:ya?ml|handoff)?\s*$/.test(token.info)) continue;
    if (!/^handoff:/m.test(token.content)) continue;
    seen.push({ line: (token.map?.[0] ?? 0) + 1, quoted: quotes > 0, yaml: withoutBlanks(token.content) });
  }
  return seen;
}

function asOurs(text: string): readonly Seen[] {
  return findBlocks(text)
    .filter(({ place }) => place === 'top' || place === 'quote')
    .filter(({ yaml }) => /^handoff:/m.test(yaml))
    .map(({ line, place, yaml }) => ({ line, quoted: place === 'quote', yaml: withoutBlanks(yaml) }));
}

/** White space in empty lines means nothing, here as in YAML. */
function withoutBlanks(yaml: string): string {
  return yaml.replaceAll(/^[ \t]+$/gm, '').trimEnd();
}

const prefix = fc.array(
  fc.constantFrom('> ', '>', '- ', '* ', '1. ', '2) ', '  ', ' ', '    ', '\t', '   ', '+\t', '10. '),
  { maxLength: 3 },
);
const ink = fc.constantFrom(
  '```yaml',
  '```',
  '~~~yaml',
  '~~~',
  '````',
  '````yaml',
  '```text',
  'handoff:',
  'handoff:',
  'text',
  '',
  '',
  '# head',
  '---',
  '===',
  '***',
  '-',
  '`` ` ``',
);
const line = fc
  .tuple(prefix, ink)
  .map(([parts, rest]) => parts.join('') + rest)
  // The parser lets a quote go on behind four columns, which CommonMark does not.
  .filter((text) => !/(?:\t| {4})[ \t]*>/.test(text));
const markdown = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom('\n', '\r\n', '\r'))
  .map(([lines, end]) => lines.join(end));

describe('finding fences', () => {
  it('S1: finds the fences that a whole markdown parser finds, in the same lines and with the same content', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        expect(asOurs(text)).toEqual(asMarkdownIt(text));
      }),
      { numRuns: campaignSize('BATON_RUNS') },
    );
  });
});
