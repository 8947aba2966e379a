/** What is read without commander is what commander would have read, for every command of the catalogue. */
import { describe, expect, it } from 'vitest';
import { allOptionsOf } from '../../src/interfaces/cli/catalogue/all-options.ts';
import { CATALOGUE, CHAPTERS } from '../../src/interfaces/cli/catalogue/all-commands.ts';
import type { Chapter, CommandEntry } from '../../src/interfaces/cli/catalogue/entry.ts';
import type { Output } from '../../src/interfaces/cli/output.ts';
import { plainArguments } from '../../src/interfaces/cli/plain-arguments.ts';
import { runProgram } from '../../src/interfaces/cli/program.ts';

const OUTPUT = { json: true } as Output;

interface Read {
  readonly name: string;
  readonly args: readonly string[];
  readonly options: object;
}

/** Null: commander complains. */
async function byCommander(given: readonly string[]): Promise<Read | null> {
  let read: Read | null = null;
  const listening = (entry: CommandEntry): CommandEntry => ({
    ...entry,
    load: () =>
      Promise.resolve((args: readonly string[], options: object) => {
        read = { name: entry.name, args: [...args], options: { ...options } };
        return Promise.resolve(0);
      }),
  });
  const chapters = CHAPTERS.map(([title, entries]): Chapter => [title, entries.map(listening)]);
  await runProgram(given, chapters, '1.2.3', OUTPUT).catch(() => null);
  return read;
}

function plainly(given: readonly string[]): Read | null {
  const read = plainArguments(given, CHAPTERS);
  return read === null ? null : { name: read.entry.name, args: read.args, options: read.options };
}

/** The arguments that a command needs, and then every option of it, one after the other and all together. */
function usesOf(entry: CommandEntry): readonly (readonly string[])[] {
  const needed = (entry.takes ?? '')
    .split(' ')
    .flatMap((text) => (text.startsWith('<') ? [`for-${text.slice(1, 3)}`] : []));
  const each = allOptionsOf(entry).map(([flags, , details]) => {
    const [flag = '', value] = flags.split(' ');
    const use = value === undefined ? [flag] : [flag, `v:${flag.slice(2)}`];
    return details?.repeated === true ? [...use, ...use.slice(0, 1), 'again'] : use;
  });
  const start = entry.name.split(' ');
  const uses = each.map((use) => [...start, ...use, ...needed]);
  return [
    [...start, ...needed],
    ...uses,
    [...start, ...needed, ...each.flat()],
    [...start, 'too', 'many', 'of', 'them'],
  ];
}

describe('arguments', () => {
  it.each(CATALOGUE.map((entry) => [entry.name, entry] as const))(
    'of %s are read as by commander',
    async (_name, entry) => {
      for (const given of usesOf(entry)) {
        const read = plainly(given);
        const expected = await byCommander(given);
        expect([given, read ?? expected]).toEqual([given, expected]);
      }
    },
  );

  it('that agents give on every turn need no commander', () => {
    const send = [
      'send',
      '--from',
      '@me',
      '--to',
      '@you',
      '--input',
      '{"x":1}',
      '--json',
      '--context',
      'a',
      '--context',
      'b',
    ];
    expect(plainly(send)).toEqual({
      name: 'send',
      args: [],
      options: { from: '@me', to: '@you', input: '{"x":1}', json: true, context: ['a', 'b'] },
    });
    expect(plainly(['show', 'hoff-1', '--as', '@me'])).toEqual({
      name: 'show',
      args: ['hoff-1'],
      options: { as: '@me' },
    });
    expect(plainly(['token', 'list'])).toEqual({ name: 'token list', args: [], options: {} });
    expect(plainly(['send', '--input', '-'])?.options).toEqual({ input: '-' });
  });

  it.each([
    [[]],
    [['--version']],
    [['nonsense']],
    [['token']],
    [['help', 'send']],
    [['send', '--help']],
    [['send', '-h']],
    [['send', '--text', '--version']],
    [['send', '--text', '-V']],
    [['send', '--text', '-1']],
    [['send', '--text', '--']],
    [['send', '--text=a']],
    [['send', '--text']],
    [['send', '--', '--text']],
    [['send', 'argument']],
    [['send', '--tex', 'a']],
    [['--json', 'send']],
    [['show']],
    [['show', 'one', 'two']],
    [['work', '@me', '--', 'cat']],
  ])('are left to commander: %j', (given) => {
    expect(plainly(given)).toBeNull();
  });
});
