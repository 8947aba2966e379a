/** What can be done with a handoff that is there. */
import { EVIDENCE_KINDS } from '../../../domain/evidence.ts';
import type * as Moves from '../commands/moves.ts';
import type { CommandEntry, OptionEntry } from './entry.ts';
import { REPEATED } from './handing.ts';

const FENCE: OptionEntry = [
  '--fence <n>',
  'the number of your acceptance, as claim or accept printed it; needed for what is held with a lease (default: BATON_FENCE)',
];

const moves = async (): Promise<typeof Moves> => import('../commands/moves.ts');

export const MOVING: readonly CommandEntry[] = [
  {
    name: 'activate',
    takes: '<id>',
    summary: 'offer a draft to its recipient',
    example: 'activate hoff-0190… --as @me',
    load: async () => (await moves()).activate,
  },
  {
    name: 'accept',
    takes: '<id>',
    summary: 'take this one by hand',
    options: [
      ['--notes <text>', 'a word for the sender'],
      [
        '--lease <seconds>',
        'how long to keep it without a word (default: 900; documents: for ever), at most as long as its attempt may take',
      ],
    ],
    example: "accept hoff-0190… --as @dev --notes 'by tomorrow'",
    load: async () => (await moves()).accept,
  },
  {
    name: 'reject',
    takes: '<id>',
    summary: 'decline it, with a reason',
    options: [
      ['--type <type>', 'what kind of reason, such as skill_gap, unclear, capacity'],
      ['--reason <text>', 'why'],
      FENCE,
    ],
    example: "reject hoff-0190… --as @dev --type unclear --reason 'which login page?'",
    load: async () => (await moves()).reject,
  },
  {
    name: 'release',
    takes: '<id>',
    summary: 'give it back; the attempt does not count',
    options: [FENCE],
    example: 'release hoff-0190… --fence 1 --as @dev',
    load: async () => (await moves()).release,
  },
  {
    name: 'renew',
    takes: '<id>',
    summary: 'keep it for longer',
    options: [FENCE, ['--lease <seconds>', 'from now on (default: 900)']],
    example: 'renew hoff-0190… --fence 1 --as @dev',
    load: async () => (await moves()).renew,
  },
  {
    name: 'progress',
    takes: '<id>',
    summary: 'tell how far it is',
    options: [FENCE, ['--at <fraction>', 'from 0 to 1'], ['--says <text>', 'in words']],
    example: "progress hoff-0190… --fence 1 --at 0.5 --says 'tests pass' --as @dev",
    load: async () => (await moves()).progress,
  },
  {
    name: 'deliver',
    takes: '<id>',
    summary: 'say that it is done, with the result and evidence',
    options: [
      FENCE,
      ['--artifact <json|file|->', 'the result: JSON, a file with JSON, or - for standard input'],
      [
        '--evidence <deliverable=kind:value>',
        `kind is one of ${EVIDENCE_KINDS.join(', ')} (may be repeated)`,
        REPEATED,
      ],
    ],
    example: "deliver hoff-0190… --fence 1 --evidence 'login page=file:src/login.tsx' --as @dev",
    load: async () => (await moves()).deliver,
  },
  {
    name: 'fail',
    takes: '<id>',
    summary: 'say that this attempt failed',
    options: [FENCE, ['--code <code>', 'such as PROCESSING_ERROR'], ['--message <text>', 'what went wrong']],
    example: "fail hoff-0190… --fence 1 --code PROCESSING_ERROR --message 'no disk' --as @dev",
    load: async () => (await moves()).fail,
  },
  {
    name: 'block',
    takes: '<id>',
    summary: 'stop until somebody has answered a question',
    options: [FENCE, ['--question <text>', 'what has to be answered']],
    example: "block hoff-0190… --fence 1 --question 'which colour?' --as @dev",
    load: async () => (await moves()).block,
  },
  {
    name: 'unblock',
    takes: '<id>',
    summary: 'let it go on, with an answer',
    options: [['--answer <text>', 'the answer to its question']],
    example: "unblock hoff-0190… --answer 'blue' --as @me",
    load: async () => (await moves()).unblock,
  },
  {
    name: 'verify',
    takes: '<id>',
    summary: 'agree that delivered work is done, or refuse it',
    options: [
      ['--notes <text>', 'for the record'],
      ['--check <criterion=says>', 'a criterion that is met, and how you know (may be repeated)', REPEATED],
      ['--refuse <reason>', 'it is not done'],
      ['--rework', 'with --refuse: the doer gets it back'],
    ],
    example: "verify hoff-0190… --as @qa --check 'works on a phone=tried it'",
    load: async () => (await moves()).verify,
  },
  {
    name: 'cancel',
    takes: '<id>',
    summary: 'it is no longer wanted',
    options: [['--reason <text>', 'why']],
    example: 'cancel hoff-0190… --as @me',
    load: async () => (await moves()).cancel,
  },
  {
    name: 'retry',
    takes: '<id>',
    summary: 'once more what has failed, as a new handoff; prints its id',
    options: [
      ['--to <agent>', 'somebody else than the first time'],
      ['--input <json|file|->', 'corrected input'],
      ['--timeout <seconds>', 'for each attempt'],
      ['--queue', 'where a limit is reached, wait for a place'],
      ['--request-id <key>', 'the same key again answers the same handoff'],
    ],
    example: 'retry hoff-0190… --input fixed.json',
    load: async () => (await moves()).retry,
  },
];
