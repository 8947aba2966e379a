/** The real Claude Code shows the status line that `baton setup` has installed. */
import { spawnSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { needComponent } from '../support/components.ts';
import { until } from '../support/processes.ts';
import { agentProject } from './real-agents.ts';

const tmux = await needComponent('tmux');
const SOCKET = `baton-status-line-${process.pid}`;

it.skipIf(tmux === null)('claude shows how full it is, and what waits for it', async () => {
  const project = await agentProject(() => ({ text: 'Hello.' }));
  onTestFinished(() => project.close());
  const onTmux = (...args: readonly string[]): string =>
    spawnSync('tmux', ['-L', SOCKET, ...args], { encoding: 'utf8' }).stdout;
  onTestFinished(() => void onTmux('kill-server'));
  const typed = async (line: string): Promise<void> => {
    expect({ line, ...(await project.sh(line)) }).toMatchObject({ code: 0 });
  };
  await typed('baton init');
  await typed('baton setup claude --yes');
  await typed('baton send --from @lead --to @claude --title Paint');
  await typed(`tmux -L ${SOCKET} -f /dev/null new-session -d -x 150 -y 40 "TERM=xterm-256color claude 'say hello'"`);
  const screen = (): string => onTmux('capture-pane', '-p');
  await until('the status line is there', () => /\[ctx: \d+% used.*\] 1 handoff waits/.test(screen())).catch(
    (error: unknown) => {
      throw new Error(`${String(error)}\n${screen()}`);
    },
  );
});
