/** What a line of an export may hold, field by field. Everything else is refused: it would be lost without a word. */
import * as z from 'zod';
import { KINDS } from '../../domain/handoff.ts';
import { MOVES, STATES } from '../../domain/lifecycle.ts';
import { readAgentId, readHandoffId } from '../../domain/names.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { INSTANT_MAX } from '../../domain/record-values.ts';

const SESSION_MAX = 200;
const FILE_USER_MAX = 64;
const TOKEN_ID_MAX = 64;

const Id = z.string().refine((text) => readHandoffId(text) === text, 'not the id of a handoff');
const Agent = z.string().refine((text) => readAgentId(text) === text, 'not the name of an agent');
const Instant = z.int().min(0).max(INSTANT_MAX);
const Milliseconds = z.int().min(0).max(INSTANT_MAX);
const Duration = Milliseconds.nullable();
/** As large as both databases can count. */
const Count = z.int32().min(0);
const Text = z.string();
const NonNegative = z.number().min(0);

const Evidence = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('file'), path: Text, sha256: Text }),
  z.strictObject({ kind: z.literal('commit'), commit: Text }),
  z.strictObject({ kind: z.literal('command'), command: Text, exitCode: z.int(), outputSha256: Text }),
  z.strictObject({ kind: z.literal('shadow'), handoff: Text, tree: Text, trail: Text }),
  z.strictObject({ kind: z.literal('url'), url: Text }),
  z.strictObject({ kind: z.literal('note'), text: Text }),
]);

const Terms = z.strictObject({
  retry: z.strictObject({
    retriesMax: Count,
    delayMs: Milliseconds,
    multiplier: NonNegative,
    capMs: Milliseconds,
    retryOn: z.array(Text),
  }),
  attemptTimeoutMs: Duration,
  draftMs: Duration,
  offeredMs: Duration,
  blockedMs: Duration,
  dependsOn: z.array(Id),
  artifacts: z.array(Id).optional(),
  deliverables: z.array(Text),
  criteria: z.array(Text),
  verifiers: z.array(Agent),
});

const Record = z.strictObject({
  id: Id,
  revision: Count,
  state: z.enum(STATES),
  kind: z.enum(KINDS),
  from: Agent,
  to: Agent,
  priority: z.enum(PRIORITIES),
  title: Text.nullable(),
  task: Text.nullable(),
  lineage: z.strictObject({ root: Id.nullable(), parent: Id.nullable(), retryOf: Id.nullable(), hops: Count }),
  terms: Terms,
  createdAt: Instant,
  since: Instant,
  offeredAt: Instant,
  notBefore: Instant,
  attempt: Count,
  excused: Count,
  fence: Count,
  custody: z
    .discriminatedUnion('by', [
      z.strictObject({ by: z.literal('process'), holder: Agent, session: Text.min(1).max(SESSION_MAX) }),
      z
        .strictObject({
          by: z.literal('hand'),
          holder: Agent,
          untilAt: Instant.nullable(),
          file: Text.min(1)
            .max(FILE_USER_MAX)
            .refine((user) => !user.startsWith('token:'), 'not the user of a program')
            .optional(),
          token: Text.min(1).max(TOKEN_ID_MAX).optional(),
        })
        .refine(({ file, token }) => file === undefined || token === undefined, 'file and token exclude each other'),
    ])
    .nullable(),
  blockedOn: z
    .discriminatedUnion('reason', [
      z.strictObject({ reason: z.enum(['dependency', 'place', 'artifact']) }),
      z.strictObject({ reason: z.literal('question'), text: Text }),
    ])
    .nullable(),
  claims: z.array(z.strictObject({ deliverable: Text, evidence: z.array(Evidence) })),
  trail: Text,
});

const FactShape = z.strictObject({
  revision: Count,
  at: Instant,
  by: Text,
  deed: z.enum(['create', 'renew', 'progress', ...MOVES]),
  from: z.enum(STATES).nullable(),
  to: z.enum(STATES),
  attempt: Count,
  fence: Count,
  detail: z.string().refine((text) => text === '' || isJson(text), 'neither empty nor JSON'),
  hash: Text,
});

/** Any value, as long as there is one; its own limits are looked at where it is written. */
const Given = z.unknown().refine((value) => value !== undefined, 'missing');

/** What a body carries beside its input is its own business. */
const Body = z.looseObject({ input: Given, schema: Text.optional(), context: z.looseObject({}).optional() });

const Outcome = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('result'), result: Given }),
  z.strictObject({ kind: z.literal('failure'), code: Text, message: Text }),
]);

export const LineShape = z.strictObject({
  handoff: Record,
  body: Body,
  outcome: Outcome.nullable(),
  facts: z.array(FactShape),
  sha256: Text,
});

/** Of a line whose checksum says that we have written it: only what is needed to find its handoff. */
export const HeadShape = z.object({ handoff: z.object({ id: Id, revision: Count, trail: Text }) });

export const HeaderShape = z.object({ baton: z.literal('export'), version: z.int(), exportedAt: z.string() });

export const FooterShape = z.strictObject({
  end: z.literal(true),
  count: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
