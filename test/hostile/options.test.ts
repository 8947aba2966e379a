import { describe, expect, it } from 'vitest';
import { everythingIn } from '../crash/soundness.ts';
import { makeWorkspace, sqlite } from '../cli/workspaces.ts';
import { askEach, refused } from './answers.ts';

const SEND = ['send', '--from', 'me', '--to', 'react'];
const WEEK_SECONDS = 604_800;

describe('options with wrong values', () => {
  it('a time that is none is refused with its bounds', async () => {
    const { run, open } = await makeWorkspace(sqlite);
    const times = ['-1', '0', '0.5', '1e12', 'abc', '', ' ', 'NaN', 'Infinity', '5 months', `${WEEK_SECONDS + 1}`];
    for (const { question, answer } of await askEach(times, (time) => run([...SEND, `--timeout=${time}`]))) {
      const says = `--timeout ${JSON.stringify(question)}: seconds from 1 to ${WEEK_SECONDS}`;
      expect(answer).toEqual(refused(5, says));
    }
    const waits = ['-1', '1e12', 'abc', ''];
    for (const { question, answer } of await askEach(waits, (time) => run(['wait', 'hoff-1', '--timeout', time]))) {
      expect(answer).toEqual(refused(5, `--timeout ${JSON.stringify(question)}: seconds from 0 to`));
    }
    const ctx = await open();
    expect((await everythingIn(ctx.store)).handoffs.size).toBe(0);
  });

  it('a count that is none is refused with its bounds', async () => {
    const { run } = await makeWorkspace(sqlite);
    const counts = ['0', '-1', '1001', '1.5', '1e2', 'many', ''];
    const asked = await askEach(counts, (count) => run(['work', 'react', '--concurrency', count, '--', 'cat']));
    for (const { question, answer } of asked) {
      expect(answer).toEqual(refused(5, `--concurrency ${JSON.stringify(question)}: a whole number from 1 to 1000`));
    }
  });

  it('texts that are empty, too long or not storable are refused', async () => {
    const { run } = await makeWorkspace(sqlite);
    const options = ['--title', '--task', '--schema', '--request-id'];
    const cases = options.flatMap((option) => ['', '   ', 'x'.repeat(501)].map((text) => ({ option, text })));
    for (const { question, answer } of await askEach(cases, ({ option, text }) => run([...SEND, option, text]))) {
      expect(answer).toEqual(refused(5, `${question.option}: 1 to 500 characters of text`));
    }
    const [priority] = await askEach(['now'], (word) => run([...SEND, '--priority', word]));
    expect(priority?.answer).toEqual(refused(5, '--priority "now": one of urgent, high, normal, low'));
  });

  it('what a shell or a database would obey is only text', async () => {
    const { run } = await makeWorkspace(sqlite);
    const title = `'; DROP TABLE handoff; -- $(touch owned) \`touch owned\` "%s" \\ ${'\u{1F600}'}`;
    const sent = await run([...SEND, '--title', title, '--task', title, '--request-id', title]);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    await run(['work', 'react', '--once', '--', 'cat']);
    const { stdout } = await run(['wait', sent.stdout.trim(), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ title, task: title });
  });

  it('unknown options and missing arguments are wrong usage', async () => {
    const { run } = await makeWorkspace(sqlite);
    const cases = [
      { args: [...SEND, '--nonsense'], says: "baton: unknown option '--nonsense'" },
      { args: [...SEND, '--prioritty', 'high'], says: '(Did you mean --priority?)' },
      { args: [...SEND, 'extra'], says: "baton: too many arguments for 'send'" },
      { args: ['init', 'a', 'b'], says: "baton: too many arguments for 'init'" },
      { args: ['work'], says: "baton: missing required argument 'agent'" },
      { args: ['wait', '--timeout'], says: "baton: option '--timeout <duration>' argument missing" },
      { args: ['wait', '--', '--json'], says: '"--json": an id is' },
    ];
    for (const { question, answer } of await askEach(cases, ({ args }) => run(args))) {
      expect(answer).toEqual(refused(question.says.includes('an id') ? 5 : 2, question.says));
    }
  });
});
