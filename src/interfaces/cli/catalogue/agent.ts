/** Running agents and their handovers. */
import { ADAPTERS } from '../../../domain/agent-session.ts';
import { SUCCESSION_REASONS } from '../../../domain/succession.ts';
import type { CommandEntry } from './entry.ts';

export const AGENT_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'agent start',
    takes: '[command...]',
    summary: 'start an agent as a persona in its own tmux pane; prints its number',
    options: [
      ['--persona <name>', 'the persona: data/personas/NAME/skill.md (and guardrails.md, experience.md)'],
      ['--agent <kind>', 'claude (default), codex, gemini, or command for any other program', { choices: ADAPTERS }],
      ['--cwd <dir>', 'its working directory (default: this folder)'],
    ],
    note:
      'After --, the program and its first arguments, where it is not the one that the kind is named after. Hooks and the\n' +
      'permission to write its handoff document come with the command line; your own settings are not changed.',
    example: 'agent start --persona dev --agent claude',
    load: async () => (await import('../commands/agent.ts')).startOne,
  },
  {
    name: 'agent list',
    summary: 'list running agents with number, persona, state and used context',
    options: [['--all', 'include agents that have ended']],
    example: 'agent list',
    load: async () => (await import('../commands/agent.ts')).listAgents,
  },
  {
    name: 'agent show',
    takes: '<id>',
    summary: 'show an agent: its used context, its handover, its terminal, and how to attach to it',
    example: 'agent show 1',
    load: async () => (await import('../commands/agent.ts')).showAgent,
  },
  {
    name: 'agent handoff',
    takes: '[id]',
    summary:
      'replace an agent by a successor of the same persona: it writes a handoff document, the successor takes over',
    options: [
      ['--reason <reason>', `${SUCCESSION_REASONS.join(', ')} (default: manual)`, { choices: SUCCESSION_REASONS }],
      ['--context <text>', 'what the agent should mention in its document'],
      ['--substitute', 'if the agent can no longer write: Baton writes a marked substitute from what it can see'],
      ['--no-wait', 'start the handover and let the server finish it'],
      ['--manual', 'without tmux: print the lines to paste to the two agents, and wait for the file'],
      ['--persona <name>', 'with --manual: whose session ends'],
    ],
    note: 'Exit code 8: the handover failed; the message says why and what to do. The outgoing agent keeps running.',
    example: "agent handoff 1 --reason context_limit --context 'mention the failing test'",
    load: async () => (await import('../commands/agent-handoff.ts')).handOff,
  },
  {
    name: 'agent stop',
    takes: '<id>',
    summary: 'end an agent without a successor',
    example: 'agent stop 1',
    load: async () => (await import('../commands/agent.ts')).stopAgent,
  },
];
