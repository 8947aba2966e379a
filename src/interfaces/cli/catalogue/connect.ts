/** Connecting agent programs with Baton. */
import type { CommandEntry } from './entry.ts';

export const CONNECT_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'setup',
    takes: '[vendor...]',
    summary: 'connect Claude Code, Codex and Gemini CLI with Baton: hooks, status line, MCP server, instructions',
    options: [
      ['--user', 'for all projects of this user, instead of this project'],
      ['--check', 'tell what is installed, trusted and working; changes nothing'],
      ['--dry-run', 'show what would be changed'],
      ['--remove', 'take out what was installed, and nothing else'],
      ['-y, --yes', 'do not ask on a terminal'],
    ],
    note:
      'Without a vendor: those whose program is on the PATH. The change is shown as a diff first. Settings of others stay as\n' +
      'they are, and Baton never writes into what an agent trusts or permits: it says what you have to approve.\n' +
      'Claude Code gets a status line (context used, handoffs that wait) where you have none of your own.\n' +
      'The agents are called @claude, @codex and @gemini unless --as names one.',
    example: 'setup claude codex',
    load: async () => (await import('../commands/setup.ts')).setup,
  },
  {
    name: 'mcp',
    summary: 'serve the Model Context Protocol on standard input and output, for agents',
    options: [],
    note:
      'Agents start it themselves (baton setup enters it in their settings). --as says whose tools these are; with\n' +
      'identity: strict a token in BATON_TOKEN says it. Inside of baton work it is the agent of the worker.',
    example: 'mcp --as @claude',
    load: async () => (await import('../commands/mcp.ts')).mcp,
  },
];
