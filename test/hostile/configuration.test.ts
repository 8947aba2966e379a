import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { askEach, refused } from './answers.ts';

interface Mistake {
  readonly text: string;
  /** Line and column, then what is wrong. */
  readonly says: string;
}

const MISTAKES: readonly Mistake[] = [
  { text: 'projct: x\n', says: '1:1: there is no such field here: "projct"; did you mean project?\n' },
  { text: 'colour: red\n', says: '1:1: there is no such field here: "colour"\n' },
  {
    text: 'agents:\n  a: { limts: {} }\n',
    says: 'agents.a: there is no such field here: "limts"; did you mean limits?\n',
  },
  { text: 'limits: { constructor: { x: 1 } }\n', says: '1:11: limits: there is no such field here: "constructor"\n' },
  { text: 'project: 5\n', says: '1:10: project: a text, not 5\n' },
  { text: 'project: ""\n', says: '1:10: project: a text that is not empty, not ""\n' },
  { text: '- a\n- b\n', says: '1:1: an object, not ["a","b"]\n' },
  { text: 'just text\n', says: '1:1: an object, not "just text"\n' },
  { text: 'project: x\nlease_seconds: 0\n', says: '2:16: lease_seconds: 0: a number of seconds from 1 to 3600' },
  { text: 'lease_seconds: soon\n', says: '1:16: lease_seconds: "soon": a number of seconds from 1 to 3600' },
  { text: 'lease_seconds: .nan\n', says: '1:16: lease_seconds: NaN: a number of seconds from 1 to 3600' },
  { text: 'lease_seconds: 1e9\n', says: '1:16: lease_seconds: 1000000000: a number of seconds from 1 to 3600' },
  { text: 'limits:\n  incoming: -1\n', says: '2:13: limits.incoming: 0 or more, not -1\n' },
  { text: 'limits:\n  incoming: 1.5\n', says: '2:13: limits.incoming: a whole number, not 1.5\n' },
  {
    text: 'limits: { incomming: 1 }\n',
    says: '1:11: limits: there is no such field here: "incomming"; did you mean incoming?\n',
  },
  { text: 'agents:\n  a b: {}\n', says: '2:3: agents.a b: an agent name is' },
  { text: 'agents:\n  ../x: {}\n', says: '2:3: agents.../x: an agent name is' },
  { text: 'agents:\n  react: 5\n', says: '2:10: agents.react: an object, not 5\n' },
  { text: 'agents:\n  React: { limits: { incoming: 1 } }\n  react: {}\n', says: '3:3: agents.react: ' },
  { text: 'agents:\n  __proto__: { limits: { incoming: 1 } }\n', says: '2:3: ' },
  { text: 'project: a\nproject: b\n', says: '2:1: Map keys must be unique\n' },
  { text: 'limits:\n\tincoming: 1\n', says: '2:1: Tabs are not allowed as indentation' },
  { text: 'project: "open\n', says: ': Missing closing "quote' },
  { text: 'project: [1, 2\n', says: ': Flow sequence in block collection' },
  { text: 'project: *nobody\n', says: 'Unresolved alias' },
  { text: `project: x\nagents:\n  ${'- '.repeat(20_000)}x\n`, says: '3:67: nested deeper than 32' },
  { text: `project: ${'['.repeat(20_000)}\n`, says: '1:42: nested deeper than 32' },
  { text: `project: ${'{ a: '.repeat(20_000)}\n`, says: 'nested deeper than 32' },
  { text: `${'? '.repeat(20_000)}x\n`, says: '1:65: nested deeper than 32' },
  { text: Array.from({ length: 600 }, (_, n) => `${' '.repeat(n)}a:\n`).join(''), says: '66:1: nested deeper than 32' },
  { text: bomb(), says: 'Excessive alias count' },
  { text: `project: ${'x'.repeat(300_000)}\n`, says: 'larger than 262144 bytes' },
];

describe('a baton.yaml with mistakes', () => {
  it('is refused with file, line and column, and nothing is done', async () => {
    const workspaces = await Promise.all(MISTAKES.map((mistake) => makeWorkspace(sqlite, mistake.text)));
    const cases = MISTAKES.map((mistake, index) => ({ ...mistake, workspace: workspaces[index]! }));
    const asked = await askEach(cases, ({ workspace }) => workspace.run(['send', '--from', 'a', '--to', 'b']));
    const missed = asked.filter(({ question, answer }) => {
      const place = join(question.workspace.folder, 'baton.yaml');
      return (
        answer.code !== 5 ||
        answer.stdout !== '' ||
        !answer.stderr.includes(`${place}:`) ||
        !answer.stderr.includes(question.says)
      );
    });
    expect(
      missed.map(({ question, answer }) => ({ text: question.text.slice(0, 80), says: question.says, answer })),
    ).toEqual([]);
  });

  it('that is not UTF-8 is refused', async () => {
    const { run, folder } = await makeWorkspace(sqlite);
    writeFileSync(join(folder, 'baton.yaml'), Buffer.from([0x70, 0x3a, 0x20, 0xff]));
    expect(await run(['send', '--from', 'a', '--to', 'b'])).toEqual(refused(5, 'baton.yaml'));
  });

  it('tells several mistakes at once', async () => {
    const { run, folder } = await makeWorkspace(sqlite, 'project: 5\nlease_seconds: 0\n');
    const { stderr } = await run(['send', '--from', 'a', '--to', 'b']);
    const path = join(folder, 'baton.yaml');
    expect(stderr).toContain(`${path}:1:10: project`);
    expect(stderr).toContain(`${path}:2:16: lease_seconds`);
  });

  it('is fine when it is empty or has only comments', async () => {
    for (const text of ['', '# nothing\n', '---\n', 'agents: {}\n', 'agents:\n  react:\n']) {
      const { run } = await makeWorkspace(sqlite, text);
      expect(await run(['send', '--from', 'a', '--to', 'b'])).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

/** Ten lines that would become ten thousand million entries. */
function bomb(): string {
  const lines = Array.from({ length: 9 }, (_, depth) => {
    const item = depth === 0 ? '"x"' : `*a${depth - 1}`;
    return `a${depth}: &a${depth} [${Array.from({ length: 10 }, () => item).join(', ')}]`;
  });
  return `${lines.join('\n')}\n`;
}
