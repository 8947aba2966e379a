/** The report on a project as one value. The output formats only render it. */
import { groupBy } from '../foundation/group-by.ts';
import { compareNatural } from './natural-order.ts';
import { measuresIn, totalsOf, type Total } from './metrics.ts';
import type { Leg, LegOutcome, ProjectTrail, ReportedSummary } from './project-trail.ts';
import { workflowOf, worstOf, type Workflow } from './workflow.ts';

export interface ProjectReport {
  readonly workflow: Workflow;
  readonly metrics: {
    readonly all: readonly Total[];
    readonly byAgent: readonly MetricsOf[];
    readonly byPhase: readonly MetricsOf[];
  };
  /** All summaries, in the order of the trail. */
  readonly summaries: readonly ReportedSummary[];
  readonly legs: readonly Leg[];
}

export interface MetricsOf {
  readonly name: string;
  readonly totals: readonly Total[];
}

export interface Report {
  /** Null: there are no projects. */
  readonly outcome: LegOutcome | null;
  readonly projects: readonly ProjectReport[];
}

export function reportOn(trails: readonly ProjectTrail[]): Report {
  const projects = trails.map(projectReport);
  const outcomes = new Set(projects.map(({ workflow }) => workflow.outcome));
  return { outcome: projects.length === 0 ? null : worstOf(outcomes), projects };
}

function projectReport(trail: ProjectTrail): ProjectReport {
  const { summaries, legs } = trail;
  return {
    workflow: workflowOf(trail),
    metrics: {
      all: totalsFrom(summaries),
      byAgent: metricsBy(summaries, ({ summary }) => summary.from),
      byPhase: metricsBy(summaries, ({ summary }) => summary.phase ?? ''),
    },
    summaries,
    legs,
  };
}

function metricsBy(
  summaries: readonly ReportedSummary[],
  nameOf: (reported: ReportedSummary) => string,
): readonly MetricsOf[] {
  const groups = groupBy(summaries, nameOf);
  return [...groups.keys()]
    .toSorted(compareNatural)
    .map((name) => ({ name, totals: totalsFrom(groups.get(name) ?? []) }))
    .filter(({ totals }) => totals.length > 0);
}

function totalsFrom(summaries: readonly ReportedSummary[]): readonly Total[] {
  return totalsOf(summaries.flatMap(({ summary }) => measuresIn(summary.metrics)));
}
