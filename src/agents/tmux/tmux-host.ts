/**
 * Agents in tmux, on a separate socket. Before every keystroke the pane is checked: it must still run the process that was
 * started in it, because text typed into a shell would be a command.
 */
import { orNull } from '../../foundation/or-null.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { startOf } from '../../foundation/process-identity.ts';
import type { Timers } from '../../foundation/clock.ts';
import type { Random } from '../../foundation/random.ts';
import type { Pane } from '../../domain/agent-session.ts';
import { endText, type AgentHost, type HostProblem, type HostStart, type PaneStatus } from '../agent-host.ts';
import { typedLine } from '../terminal-input.ts';
import type { RunTmux } from './tmux-command.ts';

/** The configuration of our tmux server. A dead pane stays, so that its screen and its exit code can be read. */
export const TMUX_CONFIGURATION = [
  'set -g remain-on-exit on',
  'set -g default-terminal tmux-256color',
  'set -g history-limit 5000',
  'set -g mouse off',
  'set -g status off',
  '',
].join('\n');

const COLUMNS = '150';
const ROWS = '45';
const KEYS = { enter: 'Enter', 'clear-line': 'C-u', interrupt: 'C-c' } as const;
/** Between a paste and the next key: Gemini CLI loses an Enter that comes within 200 ms. */
const AFTER_PASTE_MS = 300;
const STATUS_FORMAT = '#{pane_id} #{pane_pid} #{pane_dead} #{pane_dead_status}.#{pane_dead_signal} #{pane_in_mode}';
/** tmux sees the terminal close before it knows the exit code; before 3.3 it never reports a signal. */
const STATUS_READS_MAX = 10;
const STATUS_PAUSE_MS = 20;
/** A server that is just ending takes no new session; a moment later tmux starts another one. */
const START_TRIES = 20;
const START_PAUSE_MS = 50;
const NO_SERVER = /no server running|error connecting|No such file or directory|lost server|server exited/;
/** A server without sessions has no current target. The server of an agent that has just ended is one, until it exits. */
const NO_PANE = /can't find (?:pane|session|window)|no such (?:pane|session)|no current (?:target|session)/;

export function tmuxHost(run: RunTmux, { timers, random }: { timers: Timers; random: Random }): AgentHost {
  const statusOf = async (pane: Pane, readsLeft = STATUS_READS_MAX): Promise<PaneStatus> => {
    const answer = await run(['display-message', '-p', '-t', pane.pane, STATUS_FORMAT]);
    if (answer.code !== 0) {
      // A server whose last pane was closed ends, so a missing server means a missing pane.
      return isAbsent(answer.says) ? { kind: 'gone' } : { kind: 'no-host', says: answer.says };
    }
    const [id = '', pid = '', dead = '', status = '', mode = ''] = answer.output.trim().split(' ');
    // tmux 3.3 prints empty fields and no error if the pane does not exist.
    if (pid === '') return { kind: 'gone' };
    if (id !== pane.pane || Number(pid) !== pane.pid) {
      return { kind: 'changed', says: `process ${pid} runs in it; the agent was process ${pane.pid}` };
    }
    if (dead === '1' && status === '.' && readsLeft > 0) {
      await timers.sleep(STATUS_PAUSE_MS);
      return statusOf(pane, readsLeft - 1);
    }
    if (dead === '1') return { kind: 'dead', status: status.startsWith('.') ? null : Number.parseInt(status, 10) };
    const startedAt = startOf(pane.pid);
    if (startedAt !== null && pane.startedAt !== '' && startedAt !== pane.startedAt) {
      return { kind: 'changed', says: `process ${pid} is another one than the agent, with the same number` };
    }
    return { kind: 'alive', copyMode: Number(mode) > 0 };
  };

  /** Keys reach the program only outside of copy mode. */
  const ensureReady = async (pane: Pane): Promise<Result<true, HostProblem>> => {
    for (let tries = 0; tries < 2; tries += 1) {
      const paneStatus = await statusOf(pane);
      if (paneStatus.kind !== 'alive') return err(problemOf(paneStatus, pane));
      if (!paneStatus.copyMode) return ok(true);
      if (tries === 0) await run(['send-keys', '-t', pane.pane, '-X', 'cancel']);
    }
    return failed(`pane ${pane.pane} does not leave copy mode`);
  };

  const find = async (name: string): Promise<Result<Pane | null, HostProblem>> => {
    const answer = await run(['list-panes', '-t', `=${name}`, '-F', '#{pane_id} #{pane_pid}']);
    if (answer.code !== 0) return isAbsent(answer.says) ? ok(null) : failed(answer.says);
    const [pane = '', pid = ''] = (answer.output.split('\n')[0] ?? '').split(' ');
    return ok(pane === '' ? null : { session: name, pane, pid: Number(pid), startedAt: startOf(Number(pid)) ?? '' });
  };

  const start = async (wanted: HostStart, triesLeft = START_TRIES): Promise<Result<Pane, HostProblem>> => {
    const { name, cwd, argv, env, secrets = {} } = wanted;
    const known = await find(name);
    if (!known.ok) return known;
    if (known.value !== null) return ok(known.value);
    // `env` replaces itself by the program, so the pane's process is the agent and not a shell.
    const variables = Object.entries(env).map(([variable, value]) => `${variable}=${value}`);
    const place = ['new-session', '-d', '-s', name, '-x', COLUMNS, '-y', ROWS, '-c', cwd];
    const answer = await run([...place, 'env', ...variables, ...withSecrets(secrets), ...argv]);
    const made = await find(name);
    if (made.ok && made.value !== null) return ok(made.value);
    if (answer.code !== 0 && NO_SERVER.test(answer.says) && triesLeft > 0) {
      await timers.sleep(START_PAUSE_MS);
      return start(wanted, triesLeft - 1);
    }
    return failed(answer.says === '' ? `tmux made no session ${name}` : answer.says);
  };

  return {
    start: (wanted) => start(wanted),
    find,
    status: (pane) => statusOf(pane),
    paste: async (pane, text) => {
      const ready = await ensureReady(pane);
      if (!ready.ok) return ready;
      const buffer = `baton-${Buffer.from(random.bytes(8)).toString('hex')}`;
      const loaded = await run(['load-buffer', '-b', buffer, '-'], typedLine(text));
      if (loaded.code !== 0) return failed(loaded.says);
      const pasted = await run(['paste-buffer', '-p', '-d', '-b', buffer, '-t', pane.pane]);
      if (pasted.code !== 0) return failed(pasted.says);
      await timers.sleep(AFTER_PASTE_MS);
      return ok(true);
    },
    press: async (pane, key) => {
      const ready = await ensureReady(pane);
      if (!ready.ok) return ready;
      const answer = await run(['send-keys', '-t', pane.pane, KEYS[key]]);
      return answer.code === 0 ? ok(true) : failed(answer.says);
    },
    screen: async (pane) => (await run(['capture-pane', '-p', '-t', pane.pane])).output.trimEnd(),
    end: async (pane, how) => {
      const paneStatus = await statusOf(pane);
      if (how === 'hang-up') {
        if (paneStatus.kind === 'alive' || paneStatus.kind === 'dead') await run(['kill-pane', '-t', pane.pane]);
      } else if (
        paneStatus.kind === 'alive' ||
        (paneStatus.kind === 'no-host' && startOf(pane.pid) === pane.startedAt)
      ) {
        // It may have ended by itself meanwhile.
        orNull(() => process.kill(pane.pid, how === 'ask' ? 'SIGTERM' : 'SIGKILL'));
      }
    },
  };
}

function isAbsent(says: string): boolean {
  return NO_PANE.test(says) || NO_SERVER.test(says);
}

function failed(says: string): Result<never, HostProblem> {
  return err({ code: 'host_failed', says });
}

/** A shell that reads each file into its variable and then becomes the program: no value is on any command line. */
function withSecrets(secrets: Readonly<Record<string, string>>): readonly string[] {
  const names = Object.keys(secrets);
  if (names.length === 0) return [];
  const reads = names.map((name) => `${name}=$(cat "$1") && export ${name} && shift`).join(' && ');
  return ['/bin/sh', '-c', `${reads} && exec "$@"`, 'sh', ...Object.values(secrets)];
}

function problemOf(paneStatus: Exclude<PaneStatus, { readonly kind: 'alive' }>, { pane }: Pane): HostProblem {
  switch (paneStatus.kind) {
    case 'gone':
      return { code: 'pane_gone', says: `pane ${pane} is not there any more` };
    case 'dead':
      return { code: 'pane_gone', says: `the program in pane ${pane} has ended (${endText(paneStatus.status)})` };
    case 'changed':
      return { code: 'pane_changed', says: `pane ${pane}: ${paneStatus.says}` };
    case 'no-host':
      return { code: 'host_failed', says: paneStatus.says };
  }
}
