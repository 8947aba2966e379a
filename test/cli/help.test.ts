import { describe, expect, it } from 'vitest';
import { BATON, type Ended, quickBaton, start, tempFolder } from '../support/processes.ts';

const COMMANDS = ['init', 'send', 'work', 'wait', 'demo', 'export', 'import', 'backup', 'doctor'];
/** What a terminal would obey. */
const ESCAPE = '\u001b';

describe('baton --help', () => {
  it('names every command and every exit code', async () => {
    const { code, stdout, stderr } = await quickBaton(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    for (const exitCode of Array.from({ length: 10 }, (_, index) => index)) expect(stdout).toContain(` ${exitCode} `);
  });

  it.each(COMMANDS)('%s --help has an example that begins with it', async (command) => {
    const { code, stdout, stderr } = await quickBaton([command, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^Example:\n  \\$ baton ${command}\\b`, 'm'));
  });

  it('tells its version', async () => {
    expect(await quickBaton(['--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n', stderr: '' });
  });
});

describe('wrong usage', () => {
  it.each([
    [['sned'], "baton: unknown command 'sned'\n  (Did you mean send?)\n  Run baton --help for a list of commands.\n"],
    [
      ['send', '--form', 'x'],
      "baton: unknown option '--form'\n  (Did you mean --from?)\n  Run baton send --help for its arguments.\n",
    ],
    [['token', 'crate'], "baton: unknown command 'crate'\n  Run baton token --help for its arguments.\n"],
    [['wait'], "baton: missing required argument 'id'\n  Run baton wait --help for its arguments.\n"],
    [['wait', 'a', 'b'], "baton: too many arguments for 'wait'. Expected 1 argument but got 2.\n"],
    [['send', '--from'], "baton: option '--from <agent>' argument missing\n"],
    [
      ['work', '@react'],
      'baton: work needs an agent or a command, for example: baton work @react --agent codex, or baton work @react -- cat\n',
    ],
    [
      ['send', '--from', 'a', '--to', 'b', '--database', 'mysql://x/y'],
      'baton: --database takes postgres://… or the path',
    ],
  ])('%j is answered with 2 and a way on', async (args, says) => {
    const { code, stdout, stderr } = await quickBaton(args, { cwd: tempFolder() });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
  });

  it.each([
    [['nonsense', '--json'], "unknown command 'nonsense'"],
    [['sned', '--json'], "unknown command 'sned' (Did you mean send?)"],
    [['list', '--nonsense', '--json'], "unknown option '--nonsense'"],
    [['--json', 'wait'], "unknown option '--json'"],
    [['wait', '--json'], "missing required argument 'id'"],
    [['token', '--json'], "unknown option '--json'"],
  ])('%j is answered with one line of JSON', async (args, message) => {
    const { code, stdout, stderr } = await quickBaton(args, { cwd: tempFolder() });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(`${JSON.stringify({ error: { code: 'usage', message } })}\n`);
  });

  it('what belongs to the command of a worker is not a wish for JSON', async () => {
    const { code, stderr } = await quickBaton(['wrok', '@react', '--', 'x', '--json'], { cwd: tempFolder() });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^baton: unknown command 'wrok'\n/)]);
  });

  it('no command at all shows the help as an error', async () => {
    const { code, stdout, stderr } = await quickBaton([]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: baton');
  });
});

describe('without a terminal', () => {
  it('nothing is asked and nothing is coloured, in CI neither', async () => {
    const folder = tempFolder();
    for (const args of [['init'], ['demo'], ['wait', 'hoff-x'], ['--help']]) {
      const { stdout, stderr } = await quickBaton(args, { cwd: folder, env: { CI: '1', TERM: 'xterm' } });
      expect(stdout + stderr).not.toContain(ESCAPE);
    }
  });
});

describe('on a terminal', () => {
  /** `script` gives the command a terminal of its own. */
  async function onTerminal(env: Record<string, string>, words = 'wait hoff-x'): Promise<Ended> {
    const command = `"${process.execPath}" "${BATON}" ${words}`;
    return start('script', ['-qec', command, '/dev/null'], { cwd: tempFolder(), env: { TERM: 'xterm', ...env } }).ended;
  }

  it('errors are coloured, unless NO_COLOR or a dumb terminal asks otherwise', async () => {
    expect((await onTerminal({})).stdout).toContain(`${ESCAPE}[31mbaton${ESCAPE}[39m: no baton.yaml`);
    expect((await onTerminal({ NO_COLOR: '1' })).stdout).toMatch(/^baton: no baton.yaml/);
    expect((await onTerminal({ TERM: 'dumb' })).stdout).toMatch(/^baton: no baton.yaml/);
  });

  it('what goes into a file or a pipe is not coloured, whatever the other output is', async () => {
    expect((await onTerminal({}, 'demo 2> /dev/null')).stdout).toContain(`${ESCAPE}[32marrived`);
    expect((await onTerminal({}, 'demo 2> /dev/null | cat')).stdout).not.toContain(ESCAPE);
  });
});
