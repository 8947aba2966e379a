/** The report for programs, with instants as ISO 8601 and agents with their `@`. */
import { standingOf, type Leg, type ReportedSummary } from '../../../domain/project-trail.ts';
import type { ProjectReport, Report } from '../../../domain/project-report.ts';
import type { OpenLeg, Workflow } from '../../../domain/workflow.ts';

export function reportJson(found: Report): string {
  return `${JSON.stringify(reportView(found), null, 2)}\n`;
}

export function reportView({ outcome, projects }: Report): object {
  return { outcome: outcome ?? 'nothing', projects: projects.map(projectView) };
}

function projectView({ workflow, metrics, summaries, legs }: ProjectReport): object {
  return { ...workflowView(workflow), metrics, summaries: summaries.map(summaryView), handoffs: legs.map(legView) };
}

export function workflowView(workflow: Workflow): object {
  const { beganAt, lastAt, agents, open, trouble, ...rest } = workflow;
  return {
    ...rest,
    beganAt: iso(beganAt),
    lastAt: iso(lastAt),
    agents: agents.map((each) => ({ ...each, agent: name(each.agent) })),
    open: open.map(openView),
    trouble: trouble.map(openView),
  };
}

function openView({ from, to, since, ...rest }: OpenLeg): object {
  return { ...rest, from: name(from), to: name(to), since: iso(since) };
}

function summaryView({ number, fact, summary, next, retried, routedTo, escalated }: ReportedSummary): object {
  const { phase, from, to, status, retryCount, metrics, dependencies, toldAt, form } = summary;
  return {
    number,
    at: iso(fact.at),
    toldAt: toldAt === null ? null : iso(toldAt),
    handoff: fact.handoff,
    revision: fact.revision,
    phase,
    from: name(from),
    to: name(to),
    status,
    retryCount,
    metrics,
    dependencies,
    next,
    retried,
    routedTo: name(routedTo),
    escalated,
    form,
  };
}

function legView(leg: Leg): object {
  const { id, from, to, task, state, openedAt, since, attempt, last, why, assurance } = leg;
  const phase = last?.summary.phase ?? null;
  const standing = standingOf(leg);
  const times = { openedAt: iso(openedAt), since: iso(since) };
  return { id, from: name(from), to: name(to), task, phase, state, standing, why, assurance, attempt, ...times };
}

/** An instant beyond the calendar is written as a number. */
function iso(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}

function name(agent: string | null): string | null {
  return agent === null ? null : `@${agent}`;
}
