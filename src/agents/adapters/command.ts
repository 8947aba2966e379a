/** Any program that reads lines from its terminal. It may call `baton hook command EVENT`; without hooks, files decide. */
import type { AgentAdapter } from '../agent-host.ts';
import { readPaneText } from '../context-meter.ts';

export const commandAdapter: AgentAdapter = {
  name: 'command',
  hasHooks: false,
  launch: ({ session }) => ({ argv: session.command, env: {}, files: [], primedBy: 'typing' }),
  resume: () => null,
  // No option works for every program, so only the existence of the program is checked.
  check: () => [],
  activity: async () => null,
  recorded: async () => [],
  context: async ({ screen }) => readPaneText(await screen()),
  transcriptTail: async ({ screen }) => screen(),
};
