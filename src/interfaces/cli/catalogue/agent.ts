/** Running agents and their handovers. */
import { ADAPTERS } from '../../../domain/agent-session.ts';
import { SUCCESSION_REASONS } from '../../../domain/succession.ts';
import type { CommandEntry } from './entry.ts';

export const AGENT_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'agent start',
    takes: '[command...]',
    summary: 'start an agent in a tmux pane of its own, primed as a persona; prints its number',
    options: [
      ['--persona <name>', 'who it is: data/personas/NAME/skill.md (and guardrails.md, experience.md)'],
      ['--agent <kind>', 'claude (default), codex, gemini, or command for any other program', { choices: ADAPTERS }],
      ['--cwd <dir>', 'where it works (default: this folder)'],
    ],
    note:
      'After --, the program and its first arguments, where it is not the one that the kind is named after. Hooks and the\n' +
      'permission to write its handoff document come with the command line; your own settings are not changed.',
    example: 'agent start --persona dev --agent claude',
    load: async () => (await import('../commands/agent.ts')).startOne,
  },
  {
    name: 'agent list',
    summary: 'the agents that run: number, persona, state, context in use',
    options: [['--all', 'also those that have ended']],
    example: 'agent list',
    load: async () => (await import('../commands/agent.ts')).listAgents,
  },
  {
    name: 'agent show',
    takes: '<id>',
    summary: 'one agent: how full it is, how far its handover is, what its terminal shows, how to attach to it',
    example: 'agent show 1',
    load: async () => (await import('../commands/agent.ts')).showAgent,
  },
  {
    name: 'agent handoff',
    takes: '[id]',
    summary: 'let an agent write its own handoff document and a successor of the same persona take over',
    options: [
      ['--reason <reason>', `${SUCCESSION_REASONS.join(', ')} (default: manual)`, { choices: SUCCESSION_REASONS }],
      ['--context <text>', 'what the agent should mention in its document'],
      ['--substitute', 'the agent cannot write any more: Baton writes a marked substitute from what can be seen'],
      ['--no-wait', 'begin it and leave it to the server'],
      ['--manual', 'without tmux: prints the lines that you give to the two agents, and waits for the file'],
      ['--persona <name>', 'with --manual: whose session ends'],
    ],
    note: 'Exit code 8: it failed; what happened and what to do is said, and the outgoing agent is still there.',
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
