/** What agents call on every turn, and nothing beside it. */
import { send as SEND } from '../../../operations/send.ts';
import { commandOf } from './command-of.ts';
import type { CommandEntry } from './entry.ts';

/** The title of its chapter. */
export const SENDING_AND_WORKING = 'Sending and working';

export const SEND_COMMAND: CommandEntry = commandOf(SEND, {
  summary: 'offer work to an agent; prints its id',
  note: '--context also takes project-context and tech-stack: the files of these names in context/.',
  options: [
    ['--request <file|->', 'a complete request of the file queue, instead of the options above'],
    ['--prompt-file <file|->', 'the same as --text, read from a file'],
    ['--wait', 'wait for the result and print it'],
    ['--wait-timeout <duration>', 'wait, but at most this long; the work continues'],
  ],
  load: async () => (await import('../commands/send.ts')).send,
});
