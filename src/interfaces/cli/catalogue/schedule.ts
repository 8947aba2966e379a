/** Schedules. */
import { addSchedule, removeSchedule, schedules } from '../../../operations/schedule.ts';
import type { CommandEntry } from './entry.ts';
import { commandOf } from './command-of.ts';

export const SCHEDULE_COMMANDS: readonly CommandEntry[] = [
  commandOf(addSchedule, {
    options: [['--prompt-file <file|->', 'the same as --text, read from a file']],
    load: async () => (await import('../commands/schedule.ts')).add,
  }),
  commandOf(schedules),
  commandOf(removeSchedule),
];
