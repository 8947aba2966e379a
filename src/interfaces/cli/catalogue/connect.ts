/** Connecting agent programs with Baton. */
import type { CommandEntry } from './entry.ts';

export const CONNECT_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'setup',
    takes: '[vendor...]',
    summary: 'connect Claude Code, Codex and Gemini CLI with Baton: hooks, status line, MCP server, instructions',
    options: [
      ['--user', 'for all projects of this user, instead of this project'],
      ['--check', 'check what is installed, trusted and working; changes nothing'],
      ['--dry-run', 'show what would be changed'],
      ['--remove', 'remove what was installed, and nothing else'],
      ['-y, --yes', 'do not ask for confirmation'],
    ],
    note:
      'The default is every vendor whose program is on the PATH. The changes are shown as a diff first. Other settings stay as\n' +
      'they are. Baton never changes what an agent trusts or permits: it tells you what to approve.\n' +
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
      'Agents start it themselves (baton setup adds it to their settings). --as names the agent that uses the tools; with\n' +
      'identity: strict it is the agent of the token in BATON_TOKEN. Inside baton work it is the agent of the worker.',
    example: 'mcp --as @claude',
    load: async () => (await import('../commands/mcp.ts')).mcp,
  },
];
