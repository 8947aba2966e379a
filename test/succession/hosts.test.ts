/** One suite for every host: real tmux, and its twin. */
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemTimers } from '../../src/foundation/clock.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import type { Pane } from '../../src/domain/agent-session.ts';
import type { AgentHost } from '../../src/agents/agent-host.ts';
import { scriptedHost } from './scripted-host.ts';
import { runTmuxOn } from '../../src/agents/tmux/tmux-command.ts';
import { TMUX_CONFIGURATION, tmuxHost } from '../../src/agents/tmux/tmux-host.ts';
import { needComponent } from '../support/components.ts';
import { tempFolder, until } from '../support/processes.ts';

const tmux = await needComponent('tmux');

interface HostUnderTest {
  readonly host: AgentHost;
  readonly folder: string;
  /** Prints each line that it gets after `got `, and ends at `quit`. */
  readonly program: readonly string[];
  readonly scroll: (pane: Pane) => Promise<void>;
  readonly replace: (pane: Pane) => Promise<void>;
  /** What may be told of a program that ended with 7: tmux 3.3 loses an exit code now and then when the machine is busy. */
  readonly sevens: readonly (number | null)[];
}

const ECHO =
  'printf "started in %s as %s\\n" "$PWD" "$WHO"; while read -r line; do [ "$line" = quit ] && exit 7; echo "got $line"; done';

interface TmuxUnderTest extends HostUnderTest {
  readonly killServer: () => Promise<void>;
  /** Starts a server that has no session, as it is for a moment after its last one has ended. */
  readonly startEmptyServer: () => Promise<void>;
}

async function makeTmux(): Promise<TmuxUnderTest> {
  const folder = realpathSync(tempFolder());
  const configuration = join(folder, 'tmux.conf');
  writeFileSync(configuration, TMUX_CONFIGURATION);
  const run = runTmuxOn(`baton-test-${process.pid}-${Math.random().toString(36).slice(2)}`, configuration);
  const killServer = async (): Promise<void> => void (await run(['kill-server']));
  onTestFinished(killServer);
  const host = tmuxHost(run, { timers: systemTimers, random: systemRandom });
  return {
    host,
    killServer,
    startEmptyServer: async () => void (await run(['start-server', ';', 'set-option', '-g', 'exit-empty', 'off'])),
    folder,
    program: ['/bin/sh', '-c', ECHO],
    scroll: async (pane) => void (await run(['copy-mode', '-t', pane.pane])),
    sevens: [7, null],
    replace: async (pane) => void (await run(['respawn-pane', '-k', '-t', pane.pane, 'sleep', '300'])),
  };
}

async function makeScripted(): Promise<HostUnderTest> {
  const host = scriptedHost((start, terminal) => {
    terminal.print(`started in ${start.cwd} as ${start.env['WHO'] ?? ''}\n`);
    return {
      line: (text) => (text === 'quit' ? terminal.exit(7) : terminal.print(`got ${text}\n`)),
      asked: () => true,
    };
  });
  return {
    host,
    folder: '/w',
    program: ['echo'],
    scroll: async ({ session }) => host.setCopyMode(session, true),
    sevens: [7],
    replace: async ({ session }) => host.replaceProgram(session),
  };
}

it.skipIf(tmux === null)('X9: a program can be started in the moment in which the tmux before it ends', async () => {
  const { host, folder, program, killServer } = await makeTmux();
  for (let round = 0; round < 12; round += 1) {
    const answer = await host.start({ name: 'one', cwd: folder, argv: program, env: {} });
    expect(answer).toMatchObject({ ok: true });
    await killServer();
  }
});

it.skipIf(tmux === null)('X9: a program can be started while tmux runs without a session', async () => {
  const { host, folder, program, startEmptyServer } = await makeTmux();
  await startEmptyServer();
  expect(await host.find('one')).toEqual({ ok: true, value: null });
  const gone: Pane = { session: 'one', pane: '%0', pid: 1, startedAt: '' };
  expect(await host.status(gone)).toEqual({ kind: 'gone' });
  expect(await host.start({ name: 'one', cwd: folder, argv: program, env: {} })).toMatchObject({ ok: true });
});

describe.each([
  ['tmux', makeTmux, tmux !== null],
  ['its scripted twin', makeScripted, true],
])('a host: %s', (_name, make, isHere) => {
  const started = async (): Promise<HostUnderTest & { readonly pane: Pane }> => {
    const made = await make();
    const { host, folder, program } = made;
    const answer = await host.start({ name: 'one', cwd: folder, argv: program, env: { WHO: 'dev' } });
    if (!answer.ok) throw new Error(answer.refusal.says);
    await shows(host, answer.value, `started in ${folder} as dev`);
    return { ...made, pane: answer.value };
  };
  const shows = async (host: AgentHost, pane: Pane, text: string): Promise<unknown> =>
    until(`the terminal shows ${text}`, async () => (await host.screen(pane)).includes(text));

  it.runIf(isHere)('X6: starts a program once for a name; a second try finds the first', async () => {
    const { host, folder, program, pane } = await started();
    expect(await host.status(pane)).toEqual({ kind: 'alive', copyMode: false });
    expect(await host.start({ name: 'one', cwd: folder, argv: program, env: {} })).toEqual({ ok: true, value: pane });
    expect(await host.find('one')).toEqual({ ok: true, value: pane });
    expect(await host.find('two')).toEqual({ ok: true, value: null });
  });

  it.runIf(isHere)('X3: a line is sent by Enter, and by nothing else; a cleared one is gone', async () => {
    const { host, pane } = await started();
    expect(await host.paste(pane, 'not this')).toEqual({ ok: true, value: true });
    await host.press(pane, 'clear-line');
    await host.paste(pane, 'hello\u0003 there\n');
    await host.press(pane, 'enter');
    await shows(host, pane, 'got hello there');
    expect(await host.screen(pane)).not.toContain('got not this');
  });

  it.runIf(isHere)('X3: copy mode is left before a key is pressed', async () => {
    const { host, pane, scroll } = await started();
    await scroll(pane);
    expect(await host.status(pane)).toEqual({ kind: 'alive', copyMode: true });
    await host.paste(pane, 'while scrolled');
    await scroll(pane);
    await host.press(pane, 'enter');
    await shows(host, pane, 'got while scrolled');
  });

  it.runIf(isHere)('nothing is typed where another program runs now, or none', async () => {
    const one = await started();
    await one.replace(one.pane);
    expect((await one.host.status(one.pane)).kind).toBe('changed');
    expect(await one.host.paste(one.pane, 'rm -r x')).toMatchObject({ ok: false, refusal: { code: 'pane_changed' } });
    const two = await started();
    const beside = await two.host.start({ name: 'beside', cwd: two.folder, argv: two.program, env: {} });
    await two.host.paste(two.pane, 'quit');
    await two.host.press(two.pane, 'enter');
    await expect.poll(async () => (await two.host.status(two.pane)).kind).toBe('dead');
    const end = await two.host.status(two.pane);
    expect(two.sevens).toContain(end.kind === 'dead' ? end.status : end.kind);
    expect(await two.host.press(two.pane, 'enter')).toMatchObject({ ok: false, refusal: { code: 'pane_gone' } });
    await two.host.end(two.pane, 'hang-up');
    // Once while tmux goes on with another pane, and once after its last one.
    expect(await two.host.status(two.pane)).toEqual({ kind: 'gone' });
    if (beside.ok) await two.host.end(beside.value, 'hang-up');
    await until('the last one is gone', async () => (await two.host.status(two.pane)).kind === 'gone');
  });

  it.runIf(isHere)('X6: is ended by asking, and for sure', async () => {
    for (const how of ['ask', 'kill'] as const) {
      const { host, pane } = await started();
      await host.end(pane, how);
      await until('it has ended', async () => (await host.status(pane)).kind === 'dead');
      await host.end(pane, how);
      expect((await host.status(pane)).kind).toBe('dead');
    }
  });
});
