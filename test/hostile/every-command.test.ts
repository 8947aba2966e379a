import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../../src/interfaces/cli/catalogue/all-commands.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { askEach } from './answers.ts';

/**
 * `demo` and `init` take nothing that could be wrong, and `hook` never answers with another code than 0, which an agent's
 * program would take for a veto; what they answer is tested where they live.
 */
const COMMANDS = CATALOGUE.filter(({ name }) => name !== 'demo' && name !== 'hook');

const HOSTILE = [
  '',
  '../../etc/passwd',
  "'; DROP TABLE handoff; --",
  '-'.repeat(3),
  '\u202egnorw',
  'x'.repeat(5_000),
  '{"a":',
];

/** In turn, so that each command and each argument has its share. */
function shareOf<Case>(all: readonly Case[]): readonly Case[] {
  const share = campaignSize('BATON_HOSTILE_SHARE');
  return all.filter((_each, index) => index % share === 0);
}

describe('every command', () => {
  it('has an example that names it, and a summary', () => {
    for (const { name, example, summary } of CATALOGUE) {
      expect(example.startsWith(name)).toBe(true);
      expect(summary).not.toBe('');
    }
  });

  it('with an option that nobody knows is wrong usage', async () => {
    const { run } = await makeWorkspace(sqlite);
    const asked = await askEach(shareOf(COMMANDS), ({ name }) => run([...name.split(' '), '--nonsense']));
    for (const { question, answer } of asked) {
      expect([question.name, answer.code, answer.stdout]).toEqual([question.name, 2, '']);
      expect(answer.stderr).toContain("unknown option '--nonsense'");
    }
  });

  // Hundreds of commands, more with every one that there is.
  it('with hostile arguments gives usage or a clear answer, never a look into our inside', async () => {
    const { run, send } = await makeWorkspace(sqlite);
    await send('react');
    const all = COMMANDS.filter(({ takes, name }) => takes !== undefined && name !== 'init').flatMap((entry) =>
      HOSTILE.map((argument) => ({ entry, argument })),
    );
    const cases = shareOf(all);
    const asked = await askEach(cases, ({ entry, argument }) => run([...entry.name.split(' '), argument]));
    // A file may be named in any way that its system allows.
    const isMade = ({ question, answer }: (typeof asked)[number]): boolean =>
      answer.code === 0 && /file|path/.test(question.entry.takes ?? '');
    const refusedBadly = asked.filter((each) => !isMade(each));
    const unclear = refusedBadly.filter(
      ({ answer }) => ![2, 3, 4, 5].includes(answer.code ?? -1) || answer.stderr === '',
    );
    expect(
      unclear.map(({ question, answer }) => ({ name: question.entry.name, argument: question.argument, answer })),
    ).toEqual([]);
  });

  it('with hostile values for each of its options does the same', async () => {
    const { run } = await makeWorkspace(sqlite);
    const cases = COMMANDS.flatMap(({ name, takes, options = [] }) =>
      options
        .filter(([flags]) => flags.includes('<'))
        .map(([flags]) => ({ name, args: takes === undefined ? [] : ['hoff-1'], flag: flags.split(' ')[0] ?? '' })),
    );
    const hostile = '\u0007\u202e\n$(touch owned)';
    const asked = await askEach(shareOf(cases), ({ name, args, flag }) =>
      run([...name.split(' '), ...args, `${flag}=${hostile}`]),
    );
    const strange = asked.filter(({ answer }) => answer.code === 1 || answer.code === null);
    expect(strange.map(({ question, answer }) => ({ question, answer }))).toEqual([]);
  });

  it('outside of a workspace says where it looked and how to make one', async () => {
    const { run } = await makeWorkspace(sqlite);
    for (const args of [['list'], ['show', 'hoff-1'], ['claim', 'react'], ['token', 'list'], ['sync']]) {
      const answer = await run([...args, '--workspace', '/nowhere/at/all']);
      expect(answer).toMatchObject({ code: 3, stdout: '' });
      expect(answer.stderr).toContain('make a workspace with: baton init');
    }
  });
});
