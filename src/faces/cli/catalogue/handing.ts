/** Making handoffs, and doing what they ask for. */
import { PRIORITIES } from '../../../domain/priority.ts';
import type { CommandEntry, OptionEntry } from './entry.ts';

export const REPEATED = { repeated: true } as const;

const WHAT_IS_ASKED: readonly OptionEntry[] = [
  ['--title <text>', 'a line for people'],
  ['--task <id>', 'the task it belongs to'],
  ['--priority <level>', 'urgent, high, normal or low', { choices: PRIORITIES }],
  ['--deliverable <text>', 'what has to be shown with evidence (may be repeated)', REPEATED],
  ['--criterion <text>', 'what a verifier has to check (may be repeated)', REPEATED],
  ['--verifier <agent>', 'who has to agree that it is done (may be repeated)', REPEATED],
  ['--depends <id>', 'wait until this one is completed (may be repeated)', REPEATED],
  ['--parent <id>', 'the leg it follows from (default: BATON_HANDOFF_ID)'],
  ['--queue', 'where a limit is reached, wait for a place'],
  ['--request-id <key>', 'the same key and content again answers the same handoff'],
];

export const HANDING: readonly CommandEntry[] = [
  {
    name: 'init',
    takes: '[dir]',
    summary: 'make a workspace here; safe to repeat',
    options: [
      ['--database <url>', 'prepare this PostgreSQL database too'],
      ['--git-hook', 'let git run baton check --staged before each commit; a hook that is there stays'],
      ['--remove-git-hook', 'take that out again, and nothing else'],
    ],
    example: 'init my-project',
    shares: 'json',
    load: async () => (await import('../commands/init.ts')).init,
  },
  {
    name: 'send',
    summary: 'offer work to an agent; prints its id',
    options: [
      ['--from <agent>', 'who sends'],
      ['--to <agent>', 'who is to do it'],
      ['--input <json|file|->', 'what it needs: JSON, a file with JSON, or - for standard input'],
      ['--schema <name>', 'the schema that the input follows'],
      [
        '--context <json|file|name>',
        'what else it has to know: an object, or project-context or tech-stack of context/ (may be repeated)',
        REPEATED,
      ],
      ...WHAT_IS_ASKED,
      ['--timeout <seconds>', 'for each attempt, from pick-up'],
      ['--request <file|->', 'a whole request of the file queue, instead of the options above'],
      ['--wait', 'wait for the result and print it'],
    ],
    example: 'send --from @me --to @react --input \'{"x":1}\' --wait',
    load: async () => (await import('../commands/send.ts')).send,
  },
  {
    name: 'create',
    summary: 'write a governed handoff as a draft; prints its id',
    options: [
      ['--document', 'a document with a purpose, deliverables and a verifier'],
      ['--from <agent>', 'who hands over'],
      ['--to <agent>', 'who is to take it'],
      ['--purpose <text>', 'why it is handed over'],
      ['--context <text>', 'what one has to know'],
      ['--meeting <id>', 'the meeting it comes from'],
      ['--skill <name>', 'the skill it needs'],
      ['--target-completion <date>', 'when it should be done; warns, never expires'],
      ...WHAT_IS_ASKED,
    ],
    example: "create --document --from @me --to @dev --task T-1 --title 'Login' --deliverable 'login page'",
    load: async () => (await import('../commands/create.ts')).create,
  },
  {
    name: 'work',
    takes: '<agent> [command...]',
    summary: 'run a program on everything offered to an agent: handoff on its stdin, answer on its stdout',
    options: [
      ['--concurrency <n>', 'how many at a time (default: 1)'],
      ['--once', 'wait for the first one, do it, then end'],
    ],
    example: 'work @react --concurrency 4 -- node render.mjs',
    load: async () => (await import('../commands/work.ts')).work,
  },
  {
    name: 'claim',
    takes: '<agent>',
    summary: 'take the next one by hand; prints it with its fence',
    options: [
      ['--wait <seconds>', 'wait for one to come'],
      [
        '--lease <seconds>',
        'how long to keep it without a word (default: 900), at most as long as its attempt may take (queue: 300)',
      ],
    ],
    example: 'claim @react --wait 60',
    load: async () => (await import('../commands/claim.ts')).claim,
  },
  {
    name: 'wait',
    takes: '<id>',
    summary: 'wait until a handoff is settled; prints its result',
    options: [['--timeout <seconds>', 'give up after this long']],
    example: 'wait hoff-0190… --timeout 60',
    load: async () => (await import('../commands/wait.ts')).wait,
  },
  {
    name: 'demo',
    summary: 'play a relay between agents',
    options: [
      ['--server <url>', "play it against this server, with an operator's token in BATON_TOKEN"],
      ['--pace <seconds>', 'how long each step lasts (default: 0; against a server 1)'],
    ],
    note:
      'In a workspace that baton serve serves, it is played there, and can be watched on the board. Anywhere else it is\n' +
      'played in a workspace of its own that is gone afterwards.',
    example: 'demo',
    shares: 'place',
    load: async () => (await import('../commands/demo.ts')).demo,
  },
];
