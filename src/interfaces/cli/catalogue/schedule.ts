/** Schedules. */
import { addSchedule, removeSchedule, schedules } from '../../../operations/schedule.ts';
import type { CommandEntry } from './entry.ts';
import { commandOf } from './operations.ts';

export const SCHEDULE_COMMANDS: readonly CommandEntry[] = [
  commandOf(addSchedule, {
    options: [['--prompt-file <file|->', 'the same as --text, with the words in a file']],
    load: async () => (await import('../commands/schedule.ts')).add,
  }),
  commandOf(schedules),
  commandOf(removeSchedule),
];
