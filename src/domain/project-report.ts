/** Everything there is to say about a project, in one value: the formats only write it down. */
import { groupBy } from '../foundation/group-by.ts';
import { byNature } from './natural-order.ts';
import { measuresIn, totalsOf, type Total } from './metrics.ts';
import type { Leg, LegOutcome, ProjectTrail, ToldSummary } from './project-trail.ts';
import { workflowOf, worstOf, type Workflow } from './workflow.ts';

export interface ProjectReport {
  readonly workflow: Workflow;
  readonly metrics: {
    readonly all: readonly Total[];
    readonly byAgent: readonly MetricsOf[];
    readonly byPhase: readonly MetricsOf[];
  };
  /** Who handed what to whom, in the order of the trail. */
  readonly tellings: readonly ToldSummary[];
  readonly legs: readonly Leg[];
}

export interface MetricsOf {
  readonly name: string;
  readonly totals: readonly Total[];
}

export interface Report {
  /** Null: there is nothing to report on. */
  readonly outcome: LegOutcome | null;
  readonly projects: readonly ProjectReport[];
}

export function reportOn(trails: readonly ProjectTrail[]): Report {
  const projects = trails.map(projectReport);
  const outcomes = new Set(projects.map(({ workflow }) => workflow.outcome));
  return { outcome: projects.length === 0 ? null : worstOf(outcomes), projects };
}

function projectReport(trail: ProjectTrail): ProjectReport {
  const { tellings, legs } = trail;
  return {
    workflow: workflowOf(trail),
    metrics: {
      all: totalsFrom(tellings),
      byAgent: metricsBy(tellings, ({ summary }) => summary.from),
      byPhase: metricsBy(tellings, ({ summary }) => summary.phase ?? ''),
    },
    tellings,
    legs,
  };
}

function metricsBy(tellings: readonly ToldSummary[], nameOf: (telling: ToldSummary) => string): readonly MetricsOf[] {
  const groups = groupBy(tellings, nameOf);
  return [...groups.keys()]
    .toSorted(byNature)
    .map((name) => ({ name, totals: totalsFrom(groups.get(name) ?? []) }))
    .filter(({ totals }) => totals.length > 0);
}

function totalsFrom(tellings: readonly ToldSummary[]): readonly Total[] {
  return totalsOf(tellings.flatMap(({ summary }) => measuresIn(summary.metrics)));
}
