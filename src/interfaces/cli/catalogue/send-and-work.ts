/** Sending handoffs and working on them. */
import { VENDORS } from '../../../domain/vendors.ts';
import { send as SEND } from '../../../operations/send.ts';
import { TEMPLATES } from '../../../workspace/templates.ts';
import { optionsOf } from '../options.ts';
import type { CommandEntry } from './entry.ts';
import { CLAIM_COMMAND, commandOf } from './operations.ts';

export const REPEATED = { repeated: true } as const;

/** Fields that a document takes in other options, or not at all. */
const NOT_OF_DOCUMENTS = ['input', 'text', 'schema', 'context', 'kind', 'draft', 'timeoutMs', 'notBefore', 'retry'];

export const SEND_AND_WORK_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    takes: '[dir]',
    summary: 'make a workspace here; safe to repeat',
    options: [
      [
        '--database <url>',
        'prepare this PostgreSQL database, and name it in baton.yaml; its password stays in PGPASSWORD',
      ],
      [
        '--template <name>',
        'queue: other programs use files; documents: markdown in git; relay: three agents',
        { choices: TEMPLATES },
      ],
      ['--queue', 'the same as --template queue'],
      ['--git-hook', 'let git check handoffs before a commit and take in what it brings; hooks that are there stay'],
      ['--remove-git-hook', 'remove that hook and nothing else'],
    ],
    example: 'init my-project',
    shares: 'json',
    load: async () => (await import('../commands/init.ts')).init,
  },
  commandOf(SEND, {
    summary: 'offer work to an agent; prints its id',
    note: '--context also takes project-context and tech-stack: the files of these names in context/.',
    options: [
      ['--request <file|->', 'a whole request of the file queue, instead of the options above'],
      ['--prompt-file <file|->', 'the same as --text, with the words in a file'],
      ['--wait', 'wait for the result and print it'],
      ['--wait-timeout <duration>', 'wait, and give up after this long; the work goes on'],
    ],
    load: async () => (await import('../commands/send.ts')).send,
  }),
  {
    name: 'create',
    summary: 'write a governed handoff as a draft; prints its id',
    options: [
      ['--document', 'a document with a purpose, deliverables and a verifier'],
      ['--purpose <text>', 'why it is handed over'],
      ['--context <text>', 'what the recipient has to know'],
      ['--meeting <id>', 'the meeting it comes from'],
      ['--skill <name>', 'the skill it needs'],
      ['--target-completion <date>', 'when it should be done; a late one is reported and does not expire'],
      ...optionsOf(SEND.input, NOT_OF_DOCUMENTS),
    ],
    example: "create --document --from @me --to @dev --task T-1 --title 'Login' --deliverable 'login page'",
    load: async () => (await import('../commands/create.ts')).create,
  },
  {
    name: 'work',
    takes: '<agent> [command...]',
    summary: 'work on everything offered to an agent, with an AI agent or with any program',
    options: [
      [
        '--agent <vendor>',
        'run claude, codex or gemini without a terminal on each handoff; claude,codex asks the second when the first is at its usage limit',
        { choices: VENDORS },
      ],
      ['--model <name>', 'the model that the agent uses (default: its own)'],
      ['--cwd <dir>', 'the folder in which it works (default: this one)'],
      ['--worktree', 'each attempt gets a git worktree and a branch of its own; the branch is handed on as evidence'],
      ['--text', 'take what the program prints as text, even where it is JSON'],
      ['--timeout <duration>', 'for each attempt whose sender named none (default: 2h with --agent, else 5m)'],
      ['--retries <n>', 'after a failed attempt, where the sender named none (default: 1 with --agent, else 3)'],
      ['--concurrency <n>', 'how many at a time (default: 1)'],
      ['--once', 'wait for the first one, do it, then end'],
    ],
    note:
      'A program gets the handoff as JSON on standard input. What it prints is the result: JSON as it is, anything else as\n' +
      '{ "text": … }. With --agent what stands after -- is passed on to it, such as --permission-mode acceptEdits.',
    example: 'work @reviewer --agent codex',
    load: async () => (await import('../commands/work.ts')).work,
  },
  CLAIM_COMMAND,
  {
    name: 'demo',
    summary: 'run a demo: a relay between three agents',
    options: [
      ['--server <url>', "play it against this server, with an operator's token in BATON_TOKEN"],
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
