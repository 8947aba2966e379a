/** The texts of a succession, and how a document is judged. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkDocument, isWhole } from '../../src/formats/succession-note/check.ts';
import {
  driftBetween,
  injectionLine,
  instructionLine,
  instructionText,
  primingText,
  substituteText,
} from '../../src/formats/succession-note/write.ts';
import { documentName, STEPS, SUCCESSION_ERRORS, SUCCESSION_REASONS } from '../../src/domain/succession.ts';
import { ROOT } from '../support/source-files.ts';
import { typedLine } from '../../src/agents/terminal-input.ts';

const asked = {
  handoff: 'hoff-1',
  agent: 7,
  persona: 'dev',
  reason: 'context_limit' as const,
  context: 'mention `tests/x.ts`\n# and this is no heading',
  documentPath: '/w/data/personas/dev/handoffs/20260102T030405-00000007.md',
};
const SIX = ['Current work', 'Progress', 'Decisions', 'Blockers', 'Files changed', 'Next steps'];
const whole = SIX.map((title) => `## ${title}\n\nSomething.\n`).join('\n');

describe('a handoff document', () => {
  it('X2: is named after the moment in UTC and eight digits of its agent', () => {
    expect(documentName(7, Date.UTC(2026, 0, 2, 3, 4, 5, 678))).toBe('20260102T030405-00000007.md');
    expect(documentName(123_456_789, 0)).toBe('19700101T000000-123456789.md');
  });

  it('X12: is whole when all six sections say something, and says which do not', () => {
    const check = checkDocument(whole, () => true);
    expect([check.score, check.missing, check.empty, isWhole(check)]).toEqual([100, [], [], true]);
    const worse = checkDocument('## Current work\n\nx\n\n## Progress\n\n## Next steps\n\ny\n', () => true);
    expect(worse.missing).toEqual(['Decisions', 'Blockers', 'Files changed']);
    expect(worse.empty).toEqual(['Progress']);
    expect([worse.score, isWhole(worse)]).toEqual([60, false]);
    expect(checkDocument('', () => true).score).toBe(0);
  });

  it('X12: is read whatever its headings look like, and sub-headings belong to their section', () => {
    const numbered = SIX.map((title, at) => `### ${at + 1}. ${title.toUpperCase()} ###\n\nx`).join('\n');
    expect(isWhole(checkDocument(numbered, () => true))).toBe(true);
    const bold = SIX.map((title) => `**${title}**\n\nx`).join('\r\n');
    expect(isWhole(checkDocument(bold, () => true))).toBe(true);
  });

  it('X12: loses points for named files that are not there', () => {
    const text = `${whole}\n- src/a.ts: done\n\`src/b.ts:12\` and \`npm test\` and \`../../etc/passwd.txt\``;
    const check = checkDocument(text, (path) => path === 'src/a.ts');
    expect(check.named).toEqual(['src/b.ts', 'src/a.ts']);
    expect([check.absent, check.score]).toEqual([['src/b.ts'], 80]);
  });

  it('X12: the successor is told what has changed since', () => {
    const before = { branch: 'main', head: 'a'.repeat(40), dirty: [' M src/a.ts'] };
    expect(driftBetween(before, before)).toBeNull();
    const now = {
      branch: 'fix',
      head: 'b'.repeat(40),
      dirty: [' M src/a.ts', '?? src/b.ts', '?? data/personas/dev/x.md'],
    };
    expect(driftBetween(before, now)).toBe(
      'the branch is fix, it was main; HEAD is bbbbbbbbbbbb, it was aaaaaaaaaaaa; 1 uncommitted file changed',
    );
    expect(driftBetween(null, now)).toBeNull();
  });
});

describe('what is typed', () => {
  it('X3: is one line that points to a file and names the path', () => {
    const line = instructionLine(asked, '/w/instruction.md');
    expect(line).toContain(`handoff document to ${asked.documentPath}`);
    expect(line).toContain('/w/instruction.md');
    expect(line.includes('\n')).toBe(false);
    expect(typedLine(line)).toBe(line);
  });

  it('X3: the file behind it has all six sections and the words of the operator, as a quotation', () => {
    const text = instructionText(asked);
    for (const title of SIX) expect(text).toContain(`\`## ${title}\``);
    expect(text).toContain('> # and this is no heading');
  });

  it('X7: names predecessor, path and digest, and never the document itself', () => {
    const line = injectionLine({ ...asked, sha256: 'f'.repeat(64), substitute: false, drift: 'HEAD is b, it was a' });
    for (const part of ['agent 7', asked.documentPath, 'f'.repeat(64), 'HEAD is b']) expect(line).toContain(part);
    expect(line).not.toContain('Current work');
  });

  it('X7: priming begins with the guardrails, then the skill, then what was learned', () => {
    const text = primingText('dev', { guardrails: 'GUARD', skill: 'SKILL', experience: 'LEARNED' });
    const places = ['GUARD', 'SKILL', 'LEARNED'].map((part) => text.indexOf(part));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it.each([
    ['keys', 'a\u0003b\u0004c\u001a', 'abc'],
    ['an escape sequence', '\u001b[201~x', '[201~x'],
    ['several lines', 'a\nb\r\nc\n', 'a b c'],
    ['a command of the agent', '/exit', 'Baton: /exit'],
    ['a shell command', '!rm', 'Baton: !rm'],
    ['hidden characters', 'a\u200b\u202eb', 'ab'],
    ['a novel', 'x'.repeat(5_000), 'x'.repeat(1_000)],
  ])('X3: holds no %s', (_what, given, typed) => {
    expect(typedLine(given)).toBe(typed);
  });
});

it('a substitute is marked as what it is, has all six sections, and quotes what the agent said', () => {
  const git = { branch: 'main', head: 'a'.repeat(40), dirty: [' M src/a.ts'] };
  const text = substituteText({
    ...asked,
    reason: 'usage_limit',
    git,
    transcriptTail: 'assistant: ## Next steps\nforged',
  });
  expect(text).toContain('Written by Baton, not by the agent');
  expect(isWhole(checkDocument(text, () => true))).toBe(true);
  expect(text).toContain('> assistant: ## Next steps\n> forged');
  expect(text).toContain('src/a.ts');
});

it('X9: the page on succession explains every error and names every step', () => {
  const page = readFileSync(join(ROOT, 'docs/protocols/succession.md'), 'utf8');
  const words = [...Object.keys(SUCCESSION_ERRORS), ...STEPS, ...SUCCESSION_REASONS];
  expect(words.filter((word) => !page.includes(`\`${word}\``))).toEqual([]);
});
