/** Sending handoffs and working on them. */
import { VENDORS } from '../../../domain/vendors.ts';
import { claim as CLAIM } from '../../../operations/claim.ts';
import { send as SEND } from '../../../operations/send.ts';
import { TEMPLATES } from '../../../workspace/templates.ts';
import { optionsOf } from '../options.ts';
import { commandOf } from './command-of.ts';
import type { Chapter, CommandEntry, OptionEntry } from './entry.ts';
import { SEND_COMMAND, SENDING_AND_WORKING } from './send.ts';

export const REPEATED = { repeated: true } as const;

/** Fields that a document takes in other options, or not at all. */
const NOT_OF_DOCUMENTS = ['input', 'text', 'schema', 'context', 'kind', 'draft', 'timeoutMs', 'notBefore', 'retry'];

const DOCUMENT_OPTIONS: readonly OptionEntry[] = [
  ['--document', 'a document with a purpose, deliverables and a verifier'],
  ['--purpose <text>', 'why the work is wanted'],
  ['--context <text>', 'what the recipient has to know'],
  ['--meeting <id>', 'the meeting that the work comes from'],
  ['--skill <name>', 'the skill that the work needs'],
  ['--target-completion <date>', 'when the work should be done; a late document is reported, but does not expire'],
];

const SEND_AND_WORK_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    takes: '[dir]',
    summary: 'create a workspace; safe to repeat',
    options: [
      [
        '--database <url>',
        'use this PostgreSQL database, and write its URL to baton.yaml, without its password (use PGPASSWORD)',
      ],
      [
        '--template <name>',
        'queue: other programs use files; documents: markdown in git; relay: three agents',
        { choices: TEMPLATES },
      ],
      ['--queue', 'the same as --template queue'],
      [
        '--git-hook',
        'install git hooks that check handoffs before a commit and sync after a pull; existing hooks stay',
      ],
      ['--remove-git-hook', 'remove these hooks and nothing else'],
    ],
    example: 'init my-project',
    shares: 'json',
    load: async () => (await import('../commands/init.ts')).init,
  },
  SEND_COMMAND,
  {
    name: 'create',
    summary: 'write a governed handoff as a draft; prints its id',
    get options() {
      return [...DOCUMENT_OPTIONS, ...optionsOf(SEND.input, NOT_OF_DOCUMENTS)];
    },
    example: "create --document --from @me --to @dev --task T-1 --title 'Login' --deliverable 'login page'",
    load: async () => (await import('../commands/create.ts')).create,
  },
  {
    name: 'work',
    takes: '<agent> [command...]',
    summary: 'run a worker for an agent: an AI agent or any program',
    options: [
      [
        '--agent <vendor>',
        'run claude, codex or gemini without a terminal on each handoff; with claude,codex the second is used when the first is at its usage limit',
        { choices: VENDORS },
      ],
      ['--model <name>', 'the model that the agent uses (default: its own)'],
      ['--cwd <dir>', 'the working directory (default: this folder)'],
      ['--worktree', 'give each attempt its own git worktree and branch; the branch becomes evidence'],
      ['--text', 'treat the output of the program as text, even if it is JSON'],
      [
        '--timeout <duration>',
        'the time limit of an attempt, if the sender set none (default: 2h with --agent, else 5m)',
      ],
      ['--retries <n>', 'the number of retries, if the sender set none (default: 1 with --agent, else 3)'],
      ['--concurrency <n>', 'how many handoffs at a time (default: 1)'],
      ['--once', 'wait for one handoff, work on it, then exit'],
    ],
    note:
      'A program gets the handoff as JSON on standard input. Its output is the result: JSON as it is, anything else as\n' +
      '{ "text": … }. With --agent, arguments after -- are passed to the agent, such as --permission-mode acceptEdits.',
    example: 'work @reviewer --agent codex',
    load: async () => (await import('../commands/work.ts')).work,
  },
  commandOf(CLAIM),
  {
    name: 'demo',
    summary: 'run a demo: a relay between three agents',
    options: [
      ['--server <url>', "run it against this server, with an operator's token in BATON_TOKEN"],
      ['--pace <duration>', 'how long each step lasts (default: 0; against a server 1)'],
    ],
    note:
      'If baton serve runs in this workspace, the demo runs there and you can watch it on the board. Otherwise it runs in\n' +
      'a temporary workspace that is removed afterwards.',
    example: 'demo',
    shares: 'place',
    load: async () => (await import('../commands/demo.ts')).demo,
  },
];

/** The commands of agents, which start without the other chapters. */
export const SEND_AND_WORK: Chapter = [SENDING_AND_WORKING, SEND_AND_WORK_COMMANDS];
