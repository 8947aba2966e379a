import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AGENT_NAME_RULE, HANDOFF_ID_RULE } from '../../src/domain/names.ts';
import { everythingIn } from '../crash/soundness.ts';
import { makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { askEach, refused } from './answers.ts';

/** Paths, device names, look-alikes and what turns the direction of writing. */
const BAD_IDS = [
  '../../etc/passwd',
  '..',
  'a..b',
  'a/b',
  'a\\b',
  '/etc/passwd',
  'CON',
  'nul.txt',
  'com1.json',
  'a.',
  '-rf',
  '.hidden',
  '',
  ' ',
  ' a',
  'a ',
  'a\n',
  'a\tb',
  'Ａ',
  'é',
  'é',
  'hoff-\u202etxt.exe',
  'hoff-\u200b1',
  '\u001b[31m',
  '$(reboot)',
  '`reboot`',
  "'; DROP TABLE handoff; --",
  '%2e%2e',
  'a'.repeat(129),
];

const BAD_AGENTS = [
  '',
  '@',
  '@@react',
  'a b',
  '../x',
  'a..b',
  '-x',
  '.x',
  'x.',
  '@x/y',
  'é',
  '\u212a',
  'ｇrok',
  'grok\u202e',
  'grok\u200b',
  'gr\u001b[31mok',
  'a'.repeat(65),
  "x'; DROP TABLE agent; --",
];

describe('names from outside', () => {
  it('I20: an id that is no safe name is refused wherever it is given', async () => {
    const { run, open, folder } = await makeWorkspace(sqlite);
    const before = readdirSync(folder).toSorted();
    for (const { answer } of await askEach(BAD_IDS, (id) => run(['wait', '--timeout', '0', '--', id]))) {
      expect(answer).toEqual(refused(5, HANDOFF_ID_RULE));
    }
    const depend = (id: string): readonly string[] => ['send', '--from', 'a', '--to', 'b', '--depends', id];
    for (const { answer } of await askEach(BAD_IDS.slice(0, 8), (id) => run(depend(id)))) {
      expect(answer).toEqual(refused(5, HANDOFF_ID_RULE));
    }
    expect(readdirSync(folder).toSorted()).toEqual(before);
    const ctx = await open();
    expect((await everythingIn(ctx.store)).handoffs.size).toBe(0);
  });

  it('an agent name of a wrong form is refused wherever it is given', async () => {
    const { run, open } = await makeWorkspace(sqlite);
    const asked = await askEach(BAD_AGENTS, (name) => run(['send', `--from=${name}`, '--to', 'react']));
    for (const { answer } of asked) expect(answer).toEqual(refused(5, AGENT_NAME_RULE));
    const elsewhere = [
      ['send', '--from', 'a', '--to', 'x y'],
      ['send', '--from', 'a', '--to', 'b', '--as', 'x y'],
      ['wait', 'hoff-1', '--as', 'x y'],
      ['work', 'x y', '--', 'cat'],
      ['work', 'x', '--as', 'x y', '--', 'cat'],
    ];
    for (const { answer } of await askEach(elsewhere, (args) => run(args))) {
      expect(answer).toEqual(refused(5, `"x y": ${AGENT_NAME_RULE}`));
    }
    const ctx = await open();
    expect((await everythingIn(ctx.store)).handoffs.size).toBe(0);
  });

  it('the same name in other spellings is the same agent', async () => {
    const { run, send } = await makeWorkspace(sqlite);
    const ids = [await send('@Grok'), await send('grok'), await send(' GROK ')];
    for (const id of ids) {
      expect(await run(['work', '@gROK', '--once', '--', 'true'])).toMatchObject({ code: 0 });
      const { stdout } = await run(['wait', id, '--json']);
      expect(JSON.parse(stdout)).toMatchObject({ to: '@grok', state: 'completed' });
    }
  });
});

describe('text of others on a terminal', () => {
  const ATTACK = '\u001b[2J\u009b31m\u202eevil\u200b';

  it('is shown and not obeyed: results, failures and what commands say', async () => {
    const { run, send } = await makeWorkspace(sqlite);
    const id = await send('@react', { text: ATTACK });
    const command = 'printf "\\033[2Jsaid\\007" >&2; cat';
    const worked = await run(['work', '@react', '--once', '--', 'sh', '-c', command]);
    expect(worked.stderr).toContain('\\u001b[2Jsaid\\u0007');
    const shown = await run(['wait', id]);
    const told = await run(['wait', id, '--json']);
    for (const text of [worked.stderr, shown.stdout, shown.stderr, told.stdout]) {
      // eslint-disable-next-line no-control-regex -- these are the characters that must not be there
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/);
    }
    expect(JSON.parse(told.stdout)).toMatchObject({ input: { text: ATTACK }, result: { input: { text: ATTACK } } });
  });
});
