/** The shapes of the views, for the published description and for the tests of every answer. */
import * as z from 'zod';
import { ARTIFACT_STATUSES } from '../../domain/artifacts.ts';
import { ATTENTION_REASONS } from '../../domain/attention.ts';
import { zodFields } from '../../formats/zod-shape.ts';
import { TOKEN_EVENTS } from '../../stores/token-store.ts';
import { CARRIED_SHAPES, FACT_VIEW, HANDOFF_VIEW, shapesOf } from './views.ts';

const Instant = z.iso.datetime();
const Agent = z.string().regex(/^@/);
const Texts = z.array(z.string());

function listOf<Shape extends z.ZodType>(item: Shape): z.ZodObject<{ items: z.ZodArray<Shape> }, z.core.$strict> {
  return z.strictObject({ items: z.array(item) });
}

const handoffFields = zodFields(shapesOf(HANDOFF_VIEW), 'shown');
const wholeFields = { ...handoffFields, ...zodFields(CARRIED_SHAPES, 'shown') };

export const HandoffShape = z.strictObject(handoffFields).meta({ id: 'Handoff' });
const Failure = z.strictObject({ code: z.string(), message: z.string(), at: Instant });
const Progress = z.strictObject({ fraction: z.number().nullable(), says: z.string().nullable(), at: Instant });
/** A handoff in a list, with its last failure and its progress. */
const RowShape = z
  .strictObject({
    ...handoffFields,
    attemptsMax: z.int().describe('How many attempts there may be.'),
    lastFailure: Failure.optional().describe('Of the last attempt that went wrong.'),
    progress: Progress.optional().describe('The last progress report of the current attempt.'),
  })
  .meta({ id: 'HandoffRow' });
export const WholeShape = z.strictObject(wholeFields).meta({ id: 'WholeHandoff' });
export const SettledShape = z.strictObject({ ...wholeFields, settled: z.boolean() });

const FactShape = z.strictObject(zodFields(shapesOf(FACT_VIEW), 'shown')).meta({ id: 'Fact' });

export const ShownShape = z.strictObject({
  ...wholeFields,
  facts: z.array(FactShape),
  may: Texts.describe('The moves that the caller may make now.'),
});
export const FactsShape = listOf(FactShape);
export const ChainShape = z.strictObject({ root: z.string(), items: z.array(HandoffShape) });

export const TotalsShape = z.strictObject({
  totals: z.record(z.string(), z.int()).describe('How many match in each state; states without any are left out.'),
  all: z.int(),
});

export const AttentionShape = z.strictObject({
  pulse: z.strictObject({
    needYou: z.int().describe('Questions, reviews and failures that need a person.'),
    atWork: z.int(),
    waiting: z.int(),
    waitingSince: Instant.nullable(),
    failing: z.int().describe('Attempts that failed and are tried again.'),
    perMinute: z.number().describe('Settled a minute, over the last five minutes.'),
  }),
  totals: z.record(z.string(), z.int()),
  counts: z.record(z.string(), z.int()),
  items: z.array(
    z.strictObject({
      why: z.enum(ATTENTION_REASONS),
      handoff: RowShape,
    }),
  ),
  atWork: z.array(RowShape).describe('Running handoffs, the longest first; none with a limit of 0.'),
  unattended: z.array(z.strictObject({ agent: Agent, waiting: z.int(), since: Instant })),
});

export const AttemptsShape = listOf(
  z.strictObject({
    handoff: z.string(),
    agent: Agent,
    title: z.string().nullable(),
    number: z.int(),
    from: Instant,
    until: Instant.nullable(),
    end: z.string().nullable(),
  }),
);

export const BatchShape = listOf(
  z.strictObject({
    id: z.string(),
    handoff: HandoffShape.optional(),
    problem: z.strictObject({ code: z.string(), detail: z.string(), retryable: z.boolean() }).optional(),
  }),
);

export const SessionsShape = listOf(
  z.strictObject({ name: z.string(), own: z.boolean(), token: z.string().nullable(), until: Instant }),
);

export const PageShape = z.strictObject({
  items: z.array(RowShape),
  next: z.string().nullable().describe('The `after` of the next page; null: this is the last page.'),
  cursor: z.string().describe('The `after` for /api/events, to miss nothing of this list.'),
});

const Room = z.strictObject({ open: z.int(), max: z.int().nullable() });
export const AgentSessionShape = z.strictObject({
  id: z.int(),
  persona: z.string().nullable(),
  adapter: z.string(),
  command: Texts,
  cwd: z.string(),
  state: z.string(),
  pane: z.strictObject({ session: z.string(), pane: z.string(), pid: z.int() }).nullable(),
  conversation: z.string().nullable(),
  previous_agent_id: z.int().nullable(),
  started_at: Instant,
  ended_at: Instant.nullable(),
  context: z
    .strictObject({
      percent: z.number(),
      tier: z.string().nullable(),
      used_tokens: z.number().nullable(),
      window_tokens: z.number().nullable(),
      limit_percent: z.number().nullable(),
      at: Instant,
    })
    .nullable(),
  handoff: z
    .strictObject({ id: z.string(), reason: z.string(), file_path: z.string(), created_at: Instant })
    .nullable(),
  last_handoff: z
    .strictObject({ id: z.string(), at: Instant, error: z.string().nullable(), message: z.string().nullable() })
    .nullable(),
  steps: z.array(z.strictObject({ step: z.string(), at: Instant.nullable() })).optional(),
});

export const AgentsShape = z.strictObject({
  sessions: z.array(AgentSessionShape),
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
      delivered: z.int().describe('Attempts that were delivered within a day.'),
      failed: z.int(),
      p95Ms: z.number().nullable(),
      lastSeenAt: Instant.nullable(),
      paused: z
        .strictObject({ at: Instant, by: z.string(), reason: z.string().nullable() })
        .nullable()
        .describe('It gets no new work until it is resumed.'),
    }),
  ),
});

export const StatusShape = z.strictObject({
  attention: z.array(z.strictObject({ why: z.enum(ATTENTION_REASONS), handoff: HandoffShape })),
  atWork: z.array(HandoffShape),
  waiting: z.array(
    z.strictObject({ agent: Agent, offered: z.int(), blocked: z.int(), oldestAt: Instant, workers: z.int() }),
  ),
  open: z.record(z.string(), z.int()).describe('How many are in each open state.'),
  isWhole: z.boolean().describe('False: more handoffs are open than were read.'),
});

export const SummaryShape = z.strictObject({
  since: Instant.nullable().describe('The time from which the numbers are complete; null: from the first fact.'),
  minutes: z.array(
    z.strictObject({ at: Instant, created: z.int(), completed: z.int(), failed: z.int(), other: z.int() }),
  ),
  boundsSeconds: z.array(z.number()),
  timeInState: z.record(
    z.string(),
    z.strictObject({
      count: z.int(),
      totalMs: z.number(),
      maxMs: z.number(),
      p50Ms: z.number().nullable(),
      p95Ms: z.number().nullable(),
      within: z.array(z.int()),
    }),
  ),
  failures: z.array(z.strictObject({ code: z.string(), count: z.int() })),
  open: z.record(z.string(), z.int()),
  oldestWaiting: z.array(RowShape),
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

export const InboxShape = z.strictObject({
  items: z.array(z.looseObject({ key: z.string() })),
  waiting: z.array(HandoffShape).describe('Open work of this agent: offered, held or blocked.'),
});

export const QuarantineShape = listOf(
  z.strictObject({ name: z.string(), place: z.string(), says: z.string(), at: Instant }),
);

export const ProblemShape = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('The message, the same as on the command line.'),
    code: z.string(),
    retryable: z.boolean().describe('Whether the same request can succeed later without being changed.'),
  })
  .describe('RFC 9457, with what belongs to the code beside it.')
  .meta({ id: 'Problem' });

export const EvidenceShape = listOf(
  z.strictObject({
    deliverable: z.string(),
    evidence: z.looseObject({ kind: z.string() }),
    now: z
      .strictObject({ verdict: z.enum(['true', 'false', 'held']), says: z.string() })
      .nullable()
      .describe('The result of a check now; null for commands, which run when a verifier approves.'),
    diff: z.strictObject({ text: z.string(), isCut: z.boolean() }).nullable(),
  }),
);

export const PolicyShape = z.strictObject({
  version: z.int(),
  storedAt: Instant,
  by: z.string(),
  policy: z.looseObject({}).describe('In the format of baton.yaml; missing settings have their default.'),
});

export const PauseShape = z.strictObject({
  agent: Agent,
  at: Instant,
  by: z.string(),
  reason: z.string().nullable(),
  endedAt: Instant.nullable().describe('Null: the pause is in force.'),
  endedBy: z.string().nullable(),
});
export const PausesShape = listOf(PauseShape);

export const UndeliveredShape = listOf(
  z.strictObject({
    key: z.string(),
    kind: z.string(),
    target: z.string().nullable().describe('The webhook, by its name.'),
    event: z.string().nullable(),
    handoff: z.string().nullable(),
    says: z.string().describe('Why Baton gave up.'),
    at: Instant,
  }),
);
export const ResentShape = z.strictObject({ key: z.string() });

export const ScheduleShape = z.strictObject({
  name: z.string(),
  when: z.string(),
  missed: z.string(),
  from: z.string(),
  to: z.string(),
  title: z.string().nullable(),
  by: z.string(),
  createdAt: Instant,
  next: Instant.nullable(),
  last: z.strictObject({ at: Instant, handoff: z.string().optional(), refused: z.string().optional() }).nullable(),
});
export const SchedulesShape = listOf(ScheduleShape);

const ArtifactFile = z.strictObject({ path: z.string(), sha256: z.string() });
export const ArtifactShape = z
  .strictObject({
    artifact_id: z.string(),
    artifact_type: z.string(),
    artifact_version: z.string(),
    status: z.enum(ARTIFACT_STATUSES),
    status_since: Instant,
    created_at: Instant,
    phase: z.number().nullable(),
    agent_id: Agent.nullable(),
    handoff_id: z.string().nullable(),
    path: z.string().describe('Within the workspace.'),
    sha256: z.string(),
    dependencies: z.strictObject({ required: Texts, optional: Texts }),
    files: z.array(ArtifactFile),
    flaw: z.string().nullable().describe('Why it is not active.'),
  })
  .meta({ id: 'Artifact' });
export const ArtifactsShape = listOf(ArtifactShape);
export const WholeArtifactShape = z.strictObject({
  ...ArtifactShape.shape,
  changed: z
    .array(z.strictObject({ path: z.string(), says: z.string() }))
    .describe('Files that have changed since the registration.'),
  dependents: Texts,
  artifact: z.unknown().describe('The file; null where it cannot be read.'),
});
export const PrunedShape = z.strictObject({
  dryRun: z.boolean(),
  settledBefore: Instant,
  handoffs: z.int().describe('How many were removed, or would be.'),
  ids: Texts.describe('The first of them.'),
  kept: z.int().describe('Archived, but not removed, because they are needed again.'),
  archives: Texts,
  damaged: z.array(z.strictObject({ id: z.string(), says: z.string() })),
  stopped: z.boolean(),
});

export const CleanedShape = z.strictObject({
  applied: z.boolean(),
  deprecated: Texts,
  changes: z.array(
    z.strictObject({
      id: z.string(),
      from: z.enum(ARTIFACT_STATUSES),
      to: z.enum(ARTIFACT_STATUSES),
      kept: z.string().nullable().describe('Why the artifact stays unchanged; null: it changes.'),
    }),
  ),
});

const token = {
  id: z.string(),
  agent: Agent.nullable(),
  roles: Texts,
  scopes: Texts,
  label: z.string().nullable(),
  createdAt: Instant,
  expiresAt: Instant.nullable(),
  revokedAt: Instant.nullable(),
};
const usedToken = { ...token, lastUsedAt: Instant.nullable().describe('Accurate to a minute; null: never.') };
export const TokensShape = listOf(z.strictObject(usedToken).meta({ id: 'Token' }));
export const NewTokenShape = z.strictObject({ ...token, token: z.string().describe('The secret. It is shown once.') });
export const RevokedShape = z.strictObject({ id: z.string(), revoked: z.boolean(), released: z.int() });
export const TokenLogShape = z.strictObject({
  items: z.array(
    z.strictObject({
      at: Instant,
      what: z.enum(TOKEN_EVENTS),
      token: z.string().nullable(),
      by: z.string(),
      detail: z.looseObject({}),
    }),
  ),
  next: z.string().nullable(),
});
