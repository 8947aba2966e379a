/** Commands of the operator. */
import { pause, pauses, resume } from '../../../operations/pause.ts';
import { resend, undelivered } from '../../../operations/undelivered.ts';
import type { CommandEntry } from './entry.ts';
import { commandOf } from './command-of.ts';

export const OPERATOR_COMMANDS: readonly CommandEntry[] = [
  commandOf(pause),
  commandOf(resume),
  commandOf(pauses),
  commandOf(undelivered),
  commandOf(resend),
];
