/** Any program that reads lines from its terminal. It may call `baton hook command EVENT`; without that, files decide. */
import type { AgentAdapter } from '../agent-host.ts';
import { readPaneText } from '../context-meter.ts';

export const commandAdapter: AgentAdapter = {
  name: 'command',
  hasHooks: false,
  launch: ({ session }) => ({ argv: session.command, env: {}, files: [], primedBy: 'typing' }),
  resume: () => null,
  // Nobody knows an option that every program takes: that it can be found is all that is asked.
  check: () => [],
  activity: async () => null,
  recorded: async () => [],
  context: async ({ screen }) => readPaneText(await screen()),
  transcriptTail: async ({ screen }) => screen(),
};
