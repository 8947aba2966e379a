/** What `succession:` and `wake:` in `baton.yaml` may say. */
import * as z from 'zod';
import { ADAPTERS } from '../domain/agent-session.ts';
import { optionalFields } from './optional-fields.ts';

const DAY_SECONDS = 24 * 60 * 60;
const Seconds = z.number().min(0.1).max(DAY_SECONDS);
const Command = z.array(z.string().min(1).max(4_000)).min(1).max(100);

export const SuccessionShape = optionalFields({
  automatic: z
    .enum(['on', 'off'])
    .describe('on: an agent that is full or near its usage limit hands over by itself; default off.'),
  fallback: z
    .array(z.enum(ADAPTERS))
    .max(ADAPTERS.length)
    .describe('After a usage limit: which agents may take over, in order of preference.'),
  commands: optionalFields({
    claude: Command,
    codex: Command,
    gemini: Command,
    command: Command,
  }).describe('The program of an agent with its first arguments, where it is not the one of that name.'),
  document_seconds: Seconds.describe('From the instruction to the document; default 300.'),
  idle_seconds: Seconds.describe(
    'For how long an agent without a document must be idle before that is an error; default 5.',
  ),
  quiet_seconds: Seconds.describe(
    'A whole document that has not changed for so long is finished, also without a hook; default 10.',
  ),
  dialog_seconds: Seconds.describe('A dialog that is open for longer is told to the operator; default 30.'),
  ready_seconds: Seconds.describe('For a successor to start; default 15.'),
  priming_seconds: Seconds.describe('For its first turn; default 120.'),
  acknowledge_seconds: Seconds.describe('For its answer to the handover; default 300.'),
}).describe('Session succession: an agent passes on its own work.');

export const WakeShape = optionalFields({
  hooks: z
    .enum(['on', 'off'])
    .describe('on: hooks tell an agent of work for it, when its session starts and when it ends a turn; default on.'),
  typing: z
    .enum(['on', 'off'])
    .describe(
      'on: baton serve types a line into the terminal of an idle agent that it started; a line that a person has begun there is cleared; default off.',
    ),
}).describe('How an interactive agent learns of work for it.');

export type SuccessionText = z.infer<typeof SuccessionShape>;
