/** The views as shapes: for the published description, and for the tests that hold every answer against it. */
import * as z from 'zod';
import { KINDS } from '../../domain/handoff.ts';
import { STATES } from '../../domain/lifecycle.ts';
import { PRIORITIES } from '../../domain/priority.ts';

const Instant = z.iso.datetime();
const State = z.enum(STATES as readonly [string, ...string[]]);
const Agent = z.string().regex(/^@/);
const AnyJson = z.unknown();
const Texts = z.array(z.string());

const handoffFields = {
  id: z.string(),
  state: State,
  from: Agent,
  to: Agent,
  kind: z.enum(KINDS),
  priority: z.enum(PRIORITIES),
  title: z.string().nullable(),
  task: z.string().nullable(),
  revision: z.int().describe('Grows by one with everything that happens to it; it is the ETag.'),
  attempt: z.int(),
  fence: z.int().describe('The number of the newest acceptance; whoever settles shows it.'),
  createdAt: Instant,
  since: Instant.describe('When the present state was entered.'),
  notBefore: Instant.optional(),
  root: z.string().optional(),
  parent: z.string().optional(),
  retryOf: z.string().optional(),
  heldBy: Agent.optional(),
  until: Instant.optional(),
  blockedOn: z.object({ reason: z.enum(['dependency', 'place', 'question']), text: z.string().optional() }).optional(),
  dependsOn: Texts.optional(),
  deliverables: Texts.optional(),
  criteria: Texts.optional(),
  verifiers: z.array(Agent).optional(),
  claims: z.array(z.record(z.string(), AnyJson)).optional(),
  warnings: Texts.optional().describe(
    'What the writer of this change should know, such as a text that looks like a secret; only in the answer to it.',
  ),
};

const wholeFields = {
  ...handoffFields,
  input: AnyJson,
  schema: z.string().optional(),
  context: z.record(z.string(), AnyJson).optional(),
  result: AnyJson.optional(),
  failure: z.object({ code: z.string(), message: z.string() }).optional(),
};

export const HandoffShape = z.strictObject(handoffFields);
export const WholeShape = z.strictObject(wholeFields);

const FactShape = z.strictObject({
  handoff: z.string(),
  revision: z.int(),
  at: Instant,
  by: z.string(),
  deed: z.string(),
  from: State.nullable(),
  to: State,
  attempt: z.int(),
  fence: z.int(),
  detail: AnyJson.optional(),
  hash: z.string(),
});

export const ShownShape = z.strictObject({
  ...wholeFields,
  facts: z.array(FactShape),
  may: Texts.describe('The moves that whoever asks may make now.'),
});
export const FactsShape = z.strictObject({ items: z.array(FactShape) });
export const ChainShape = z.strictObject({ root: z.string(), items: z.array(HandoffShape) });

export const PageShape = z.strictObject({
  items: z.array(HandoffShape),
  next: z.string().nullable().describe('Goes on as `after`; null: there is no more.'),
  cursor: z.string().describe('Where to begin with /api/events to miss nothing of this list.'),
});

const Room = z.strictObject({ open: z.int(), max: z.int().nullable() });
export const AgentsShape = z.strictObject({
  items: z.array(
    z.strictObject({
      agent: Agent,
      configured: z.boolean(),
      roles: Texts,
      incoming: Room,
      outgoing: Room,
      working: z.int(),
      waiting: z.int(),
      waitingSince: Instant.nullable(),
      workers: z.int(),
      worksHere: z.boolean(),
    }),
  ),
});

export const SummaryShape = z.strictObject({
  minutes: z.array(
    z.strictObject({ at: Instant, created: z.int(), completed: z.int(), failed: z.int(), other: z.int() }),
  ),
  boundsSeconds: z.array(z.number()),
  timeInState: z.record(
    z.string(),
    z.strictObject({ count: z.int(), totalMs: z.number(), maxMs: z.number(), within: z.array(z.int()) }),
  ),
  failures: z.array(z.strictObject({ code: z.string(), count: z.int() })),
  open: z.record(z.string(), z.int()),
  oldestWaiting: z.array(HandoffShape),
});

export const SessionShape = z.strictObject({
  principal: z.string(),
  agent: Agent.nullable(),
  roles: Texts,
  scopes: Texts,
  csrf: z.string().nullable(),
  project: z.string().nullable(),
  version: z.string(),
  now: Instant,
});

export const InboxShape = z.strictObject({ items: z.array(z.looseObject({ key: z.string() })) });

export const QuarantineShape = z.strictObject({
  items: z.array(z.strictObject({ name: z.string(), place: z.string(), says: z.string(), at: Instant })),
});

export const ProblemShape = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('The words that the command line uses too.'),
    code: z.string(),
    retryable: z.boolean().describe('Whether the same request can succeed later without being changed.'),
  })
  .describe('RFC 9457, with what belongs to the code beside it.');
