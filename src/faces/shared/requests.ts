/**
 * What can be asked for, as it is written down in JSON: one shape per request, from which every face reads and from which
 * the published descriptions are made. Who asks is never part of it.
 */
import * as z from 'zod';
import type { Json, JsonObject } from '../../foundation/json.ts';
import { EVIDENCE_KINDS } from '../../domain/evidence.ts';
import { KINDS } from '../../domain/handoff.ts';
import { OPEN_STATES, STATES, type State } from '../../domain/lifecycle.ts';
import {
  AGENT_NAME_RULE,
  HANDOFF_ID_RULE,
  readAgentId,
  readHandoffId,
  type AgentId,
  type HandoffId,
} from '../../domain/names.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { isStorableText, WEEK_SECONDS } from '../../domain/record-values.ts';
import { RETRIES_MAX } from '../../domain/retry.ts';
import { secondsShape } from '../../dialects/seconds-shape.ts';

const TEXT_MAX = 500;
/** A purpose or a reason may be longer than a title. */
const LONG_TEXT_MAX = 20_000;
const LIST_MAX = 100;
const PAGE_MAX = 1_000;
/** A connection that waits is one that is open: whoever wants to wait longer asks again. */
const WAIT_SECONDS_MAX = 300;

/** An `@` before it is welcome. */
export const AgentName = z
  .string()
  .max(65)
  .transform((text, context): AgentId => {
    const agent = readAgentId(text);
    if (agent !== null) return agent;
    context.addIssue(AGENT_NAME_RULE);
    return z.NEVER;
  });

export const HandoffName = z
  .string()
  .max(128)
  .transform((text, context): HandoffId => {
    const id = readHandoffId(text);
    if (id !== null) return id;
    context.addIssue(HANDOFF_ID_RULE);
    return z.NEVER;
  });

function text(max: number): z.ZodString {
  return z
    .string()
    .min(1)
    .max(max)
    .refine(isSound, { message: `1 to ${max} characters of text` });
}

function isSound(given: string): boolean {
  return given.trim() !== '' && isStorableText(given);
}

const Text = text(TEXT_MAX);
const LongText = text(LONG_TEXT_MAX);
/** Checked for depth, size and keys before it comes here. */
const AnyJson = z.unknown().transform((value) => value as Json);
const JsonMap = z.record(z.string(), z.unknown()).transform((value) => value as JsonObject);
export const Fence = z
  .int()
  .min(1)
  .describe('The number of your acceptance, from the claim; needed for what is held with a lease.');
const Lease = secondsShape(1, WEEK_SECONDS);
const Distinct = z
  .array(Text)
  .max(LIST_MAX)
  .refine((texts) => new Set(texts).size === texts.length, { message: 'one stands there twice' });

export const SendBody = z
  .strictObject({
    from: AgentName.optional().describe('Only an operator says it; for everybody else it is who the token says.'),
    to: AgentName,
    input: AnyJson.optional(),
    schema: Text.optional().describe('The name of a file in schemas/ that the input follows.'),
    context: JsonMap.optional(),
    title: Text.optional(),
    task: Text.optional(),
    priority: z.enum(PRIORITIES).optional(),
    kind: z.enum(KINDS).optional(),
    draft: z.boolean().optional().describe('Not offered before it is activated; documents are drafts by default.'),
    deliverables: Distinct.optional(),
    criteria: Distinct.optional(),
    verifiers: z.array(AgentName).max(LIST_MAX).optional(),
    dependsOn: z.array(HandoffName).max(LIST_MAX).optional(),
    parent: HandoffName.optional().describe('The leg that this one follows from.'),
    queue: z.boolean().optional().describe('Where a limit is reached, wait for a place.'),
    timeoutSeconds: secondsShape(1, WEEK_SECONDS).optional().describe('For each attempt, from pick-up.'),
    notBefore: z.iso.datetime({ offset: true }).optional(),
    retry: z
      .strictObject({
        max: z.int().min(0).max(RETRIES_MAX).optional(),
        delaySeconds: secondsShape(0, WEEK_SECONDS).optional(),
        multiplier: z.number().min(1).max(100).optional(),
      })
      .optional(),
  })
  .describe('A new handoff.');
export type SendBody = z.output<typeof SendBody>;

export const ClaimBody = z.strictObject({
  agent: AgentName.optional().describe('Only for whoever has no name: it has to be the one of the token.'),
  waitSeconds: secondsShape(0, WAIT_SECONDS_MAX).optional(),
  leaseSeconds: Lease.optional(),
});

const EvidenceItem = z.strictObject({
  deliverable: Text,
  kind: z.enum(EVIDENCE_KINDS),
  value: LongText,
});

/** One shape for each move that somebody can make. */
export const MOVE_BODIES = {
  activate: z.strictObject({}),
  accept: z.strictObject({ notes: LongText.optional(), leaseSeconds: Lease.optional() }),
  reject: z.strictObject({ fence: Fence.optional(), type: Text, reason: LongText }),
  release: z.strictObject({ fence: Fence.optional() }),
  renew: z.strictObject({ fence: Fence.optional(), leaseSeconds: Lease.optional() }),
  progress: z
    .strictObject({ fence: Fence.optional(), fraction: z.number().min(0).max(1).optional(), says: LongText.optional() })
    .refine(({ fraction, says }) => fraction !== undefined || says !== undefined, {
      message: 'progress needs a fraction or something to say',
    }),
  deliver: z.strictObject({
    fence: Fence.optional(),
    result: AnyJson.optional(),
    evidence: z.array(EvidenceItem).max(LIST_MAX).optional(),
  }),
  fail: z.strictObject({ fence: Fence.optional(), code: Text, message: LongText }),
  block: z.strictObject({ fence: Fence.optional(), question: LongText }),
  unblock: z.strictObject({ answer: LongText.optional() }),
  verify: z
    .strictObject({
      notes: LongText.optional(),
      criteria: z
        .array(z.strictObject({ criterion: Text, says: z.string().max(LONG_TEXT_MAX).optional() }))
        .max(LIST_MAX)
        .optional(),
      refuse: LongText.optional().describe('Not agreed, and why; without rework the handoff is rejected.'),
      rework: z.boolean().optional().describe('With refuse: the doer gets it back.'),
    })
    .refine(({ refuse, rework }) => rework !== true || refuse !== undefined, {
      message: 'rework needs refuse with the reason',
    })
    .refine(({ refuse, criteria }) => refuse === undefined || criteria === undefined, {
      message: 'criteria and refuse exclude each other',
    }),
  cancel: z.strictObject({ reason: LongText.optional() }),
  retry: z.strictObject({
    input: AnyJson.optional(),
    timeoutSeconds: secondsShape(1, WEEK_SECONDS).optional(),
    queue: z.boolean().optional(),
  }),
} as const;
export type MoveName = keyof typeof MOVE_BODIES;
export type MoveBody<Name extends MoveName> = z.output<(typeof MOVE_BODIES)[Name]>;
export const MOVE_NAMES = Object.keys(MOVE_BODIES) as readonly MoveName[];

/** Where a list goes on: what an answer has said, and nothing else. */
const Cursor = z.string().regex(/^[A-Za-z0-9:_.-]{1,100}$/, { message: 'not a cursor that was given out' });

function count(min: number, max: number): z.ZodPipe<z.ZodString, z.ZodTransform<number, string>> {
  return z
    .string()
    .regex(/^[0-9]{1,9}$/)
    .transform((given, context) => {
      const value = Number(given);
      if (value >= min && value <= max) return value;
      context.addIssue(`a whole number from ${min} to ${max}`);
      return z.NEVER;
    });
}

/** Several are given as several parameters, or with commas; `open` stands for all that are not final. */
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

export const ListQuery = z.strictObject({
  agent: AgentName.optional().describe('Sender or recipient.'),
  from: AgentName.optional(),
  to: AgentName.optional(),
  state: StateNames.optional(),
  task: Text.optional(),
  text: LongText.optional().describe('All of these words, in any order, in title, task or body.'),
  limit: count(1, PAGE_MAX).optional(),
  after: Cursor.optional(),
});

export const WaitQuery = z.strictObject({ seconds: count(0, WAIT_SECONDS_MAX).optional() });
export const ShowQuery = z.strictObject({ wait: count(0, WAIT_SECONDS_MAX).optional() });
export const PageQuery = z.strictObject({ limit: count(1, PAGE_MAX).optional() });

export const EventsQuery = z.strictObject({
  after: Cursor.optional().describe('What Last-Event-ID says after a break; that header goes first.'),
  agent: AgentName.optional(),
  handoff: HandoffName.optional(),
  state: StateNames.optional().describe('The state that a fact leads to.'),
});

export const LoginBody = z.strictObject({ code: z.string().min(1).max(200) });
