/** The shapes of projects and of ingested texts, for the published description. */
import * as z from 'zod';
import { OUTCOME_OF } from '../../../domain/project-trail.ts';
import { SUMMARY_STATUSES } from '../../../domain/summary.ts';

const Count = z.int();
const Text = z.string().nullable();
const Amount = z.number().nullable();
const Agent = z.string().nullable();
const Statuses = z.record(z.enum(SUMMARY_STATUSES), Count);
const STANDINGS = Object.keys(OUTCOME_OF) as [keyof typeof OUTCOME_OF];
const Legs = z.looseObject({ all: Count, toDo: Count }).describe('Legs by standing.').meta({ id: 'LegCounts' });
const Outcome = z.enum(['complete', 'failed', 'unfinished']);

const flow = { told: Count, statuses: Statuses, timeMs: z.number() };
const leg = {
  id: z.string(),
  from: Agent,
  to: Agent,
  task: Text,
  phase: Text,
  standing: z.enum(STANDINGS),
  why: Text,
  since: z.string(),
  attempt: Count,
};
const OpenLegShape = z.strictObject(leg).meta({ id: 'OpenLeg' });

const workflow = {
  project: z.string(),
  outcome: Outcome,
  told: Count.describe('How many summaries.'),
  statuses: Statuses,
  legs: Legs,
  progress: z.number().describe('The share of work that is done, from 0 to 1.'),
  retries: Count,
  routes: Count,
  escalations: Count,
  stops: Count.describe('Chains that were ended because they had become too long.'),
  clock: z.enum(['told', 'trail']).describe('The times that durations are computed from.'),
  beganAt: z.string(),
  lastAt: z.string(),
  phases: z.array(z.strictObject({ ...flow, phase: Text, legs: Legs, progress: Amount })),
  agents: z.array(z.strictObject({ ...flow, agent: Agent, legs: Legs })),
  open: z.array(OpenLegShape),
  trouble: z.array(OpenLegShape).describe('Failed, stopped or blocked.'),
  tasks: z.array(
    z.strictObject({
      task: z.string(),
      phase: Text.describe('Of the newest summary about it that names one.'),
      state: z.enum([...Outcome.options, 'unknown']),
      needs: z.array(z.string()),
      waitsFor: z.array(z.string()),
    }),
  ),
  circles: z.array(z.array(z.string())).describe('Tasks that need each other.'),
  criticalPath: z
    .array(z.string())
    .describe('The longest row of tasks that are not complete and each wait for the one before.'),
};
export const WorkflowShape = z.strictObject(workflow).meta({ id: 'Workflow' });
export const WorkflowsShape = z.strictObject({ items: z.array(WorkflowShape) });

const TotalShape = z
  .strictObject({
    key: z.string(),
    kind: Text.describe('Null: of mixed kinds or units. Such keys are listed and not summed.'),
    unit: z.string(),
    times: Count.describe('How many values were reported.'),
    sum: Amount,
    of: Amount.describe('The whole of counts: `sum` of so many.'),
    mean: Amount,
    least: Amount,
    most: Amount,
    first: z.string(),
    last: z.string(),
    change: Amount.describe('From the first to the last value.'),
    series: z.array(z.number()),
    texts: z.array(z.string()),
  })
  .meta({ id: 'MetricTotal' });
const MetricsOf = z.array(z.strictObject({ name: z.string(), totals: z.array(TotalShape) }));

export const ReportShape = z.strictObject({
  outcome: z.enum([...Outcome.options, 'nothing']),
  projects: z.array(
    z.strictObject({
      ...workflow,
      metrics: z.strictObject({ all: z.array(TotalShape), byAgent: MetricsOf, byPhase: MetricsOf }),
      summaries: z.array(
        z.strictObject({
          number: Count,
          at: z.string(),
          toldAt: Text,
          handoff: z.string(),
          revision: Count,
          phase: Text,
          from: Agent,
          to: Agent,
          status: z.enum(SUMMARY_STATUSES),
          retryCount: Count,
          metrics: z.looseObject({}),
          dependencies: z.array(z.string()),
          next: Text,
          retried: z.boolean(),
          routedTo: Agent,
          escalated: z.enum(['failures', 'hops']).nullable(),
          form: z.enum(['block', 'weak']),
        }),
      ),
      handoffs: z.array(z.strictObject({ ...leg, state: z.string(), assurance: Text, openedAt: z.string() })),
    }),
  ),
});

const Problems = z.array(
  z.looseObject({ line: Count, column: Count, field: z.string(), says: z.string() }).meta({ id: 'BlockProblem' }),
);
export const IngestedShape = z.strictObject({
  blocks: z.array(
    z.strictObject({
      index: Count,
      line: Count,
      column: Count,
      place: z.string(),
      rule: Text.describe('The rule by which the block was read as a report or as an example.'),
      fate: z.enum(['done', 'known', 'ready', 'quoted', 'unclear', 'invalid', 'refused', 'nothing']),
      from: Text,
      to: Text,
      status: Text,
      problems: Problems,
      warnings: Problems,
      ingested: z
        .strictObject({
          did: z.string(),
          leg: z.string(),
          opened: Text,
          escalatedTo: Text,
          says: z.array(z.string()),
        })
        .optional(),
      refusal: z.strictObject({ code: z.string(), detail: z.string(), retryable: z.boolean() }).optional(),
      says: z.string().optional(),
      legacy: z.strictObject({ form: z.string(), sure: z.string(), because: z.string() }).optional(),
    }),
  ),
});
