import { addSchedule } from '../../../operations/schedule.ts';
import type { Run } from '../catalogue/entry.ts';
import { withSender } from '../sender.ts';
import { commandFor } from './run-operation.ts';
import { withPrompt } from './send.ts';

export const add: Run = async (args, options, output) =>
  commandFor(addSchedule)(args, withPrompt(await withSender(options)), output);
