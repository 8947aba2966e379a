/** Shapes of HTTP requests that are not operations. The published description is made from them. */
import * as z from 'zod';
import { OPEN_STATES, STATES, type State } from '../../domain/lifecycle.ts';
import { AGENT_NAME_RULE, HANDOFF_ID_RULE, readAgentId, readHandoffId } from '../../domain/names.ts';

const PAGE_MAX = 1_000;

function named<Name>(max: number, read: (text: string) => Name | null, rule: string) {
  return z
    .string()
    .max(max)
    .transform((text, context): Name => {
      const name = read(text);
      if (name !== null) return name;
      context.addIssue(rule);
      return z.NEVER;
    });
}

/** With or without `@`. */
export const AgentName = named(65, readAgentId, AGENT_NAME_RULE);
const HandoffName = named(128, readHandoffId, HANDOFF_ID_RULE);

/** Only a cursor that the server gave out. */
export const Cursor = z
  .string()
  .regex(/^[A-Za-z0-9:_.-]{1,100}$/, { message: 'not a cursor that this server gave out' });

function count(min: number, max: number): z.ZodPipe<z.ZodString, z.ZodTransform<number, string>> {
  return z
    .string()
    .regex(/^[0-9]{1,9}$/, { message: `a whole number from ${min} to ${max}` })
    .transform((given, context) => {
      const value = Number(given);
      if (value >= min && value <= max) return value;
      context.addIssue(`a whole number from ${min} to ${max}`);
      return z.NEVER;
    });
}

/** Several states come as several parameters or with commas. `open` stands for all states that are not final. */
const StateNames = z
  .array(z.string().max(200))
  .max(20)
  .transform((given, context): readonly State[] => {
    const words = given.flatMap((each) => each.split(',')).map((word) => word.trim().toLowerCase());
    const unknown = words.find((word) => word !== 'open' && !STATES.some((state) => state === word));
    if (unknown !== undefined) {
      context.addIssue(`${JSON.stringify(unknown)} is none of ${[...STATES, 'open'].join(', ')}`);
      return z.NEVER;
    }
    return [...new Set(words.flatMap((word) => (word === 'open' ? OPEN_STATES : [word as State])))];
  });

export const PageQuery = z.strictObject({ limit: count(1, PAGE_MAX).optional() });

export const EventsQuery = z.strictObject({
  after: Cursor.optional().describe('What Last-Event-ID says after a break; that header goes first.'),
  agent: AgentName.optional(),
  handoff: HandoffName.optional(),
  state: StateNames.optional().describe('The state that a fact leads to.'),
});

export const LoginBody = z.strictObject({ code: z.string().min(1).max(200) });
