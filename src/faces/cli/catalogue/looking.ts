/** Reading what is there. */
import { STATES } from '../../../domain/lifecycle.ts';
import type { CommandEntry } from './entry.ts';
import { REPEATED } from './handing.ts';

export const LOOKING: readonly CommandEntry[] = [
  {
    name: 'list',
    summary: 'handoffs, newest first',
    options: [
      ['--agent <agent>', 'sent by or to this one'],
      ['--from <agent>', 'sent by this one'],
      ['--to <agent>', 'sent to this one'],
      [
        '--state <state>',
        'in this state; "open" is every one that is not final (may be repeated)',
        { ...REPEATED, choices: [...STATES, 'open'] },
      ],
      ['--task <id>', 'of this task'],
      ['--text <words>', 'with all these words in title, task or input'],
      ['--limit <n>', 'how many (default: 50)'],
      ['--after <cursor>', 'go on where the last page ended'],
    ],
    example: 'list --state open --agent @react',
    load: async () => (await import('../commands/list.ts')).list,
  },
  {
    name: 'show',
    takes: '<id>',
    summary: 'one handoff with everything that happened to it',
    example: 'show hoff-0190…',
    load: async () => (await import('../commands/show.ts')).show,
  },
  {
    name: 'trace',
    takes: '<id>',
    summary: 'the chain that a handoff belongs to, as a tree',
    options: [['--svg <file>', 'draw it into this file']],
    example: 'trace hoff-0190… --svg chain.svg',
    load: async () => (await import('../commands/trace.ts')).trace,
  },
  {
    name: 'inbox',
    takes: '<agent>',
    summary: 'what an agent has to hear of',
    options: [
      ['--clear', 'take what is shown as read'],
      ['--limit <n>', 'how many (default: 50)'],
    ],
    example: 'inbox @react --clear',
    load: async () => (await import('../commands/inbox.ts')).inbox,
  },
];
