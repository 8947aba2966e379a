/** A project by phases: its progress, times, open legs and the order of its tasks. */
import { groupBy } from '../foundation/group-by.ts';
import { compareNatural } from './natural-order.ts';
import { isOpen, OUTCOME_OF, standingOf, taskIn } from './project-trail.ts';
import type { Leg, LegOutcome, ProjectTrail, Standing, ReportedSummary } from './project-trail.ts';
import { PHASES, SUMMARY_STATUSES, type SummaryStatus } from './summary.ts';
import { orderTasks } from './task-order.ts';

export interface Workflow {
  readonly project: string;
  readonly outcome: LegOutcome;
  readonly told: number;
  readonly statuses: Statuses;
  readonly legs: LegCounts;
  /** The share of legs that are done, from 0 to 1. */
  readonly progress: number;
  readonly retries: number;
  readonly routes: number;
  /** How often the delegator was notified because a chain failed too often. */
  readonly escalations: number;
  /** Chains that were stopped because they were too long or had used their budget. */
  readonly stops: number;
  /** Which times are used: those of the agents, if all are given and in order; otherwise those of the trail. */
  readonly clock: 'told' | 'trail';
  readonly beganAt: number;
  readonly lastAt: number;
  /** Known phases in their order, then others by name. */
  readonly phases: readonly PhaseFlow[];
  readonly agents: readonly AgentFlow[];
  readonly open: readonly OpenLeg[];
  /** Failed, stopped or blocked legs. */
  readonly trouble: readonly OpenLeg[];
  readonly tasks: readonly TaskFlow[];
  readonly circles: readonly (readonly string[])[];
  /** The longest chain of incomplete tasks that wait for each other. */
  readonly criticalPath: readonly string[];
}

export type Statuses = Readonly<Record<SummaryStatus, number>>;
/** `toDo`: all legs except those that were passed on or dropped. */
type LegCounts = Readonly<Record<Standing, number>> & { readonly all: number; readonly toDo: number };

interface Flow {
  readonly told: number;
  readonly statuses: Statuses;
  /** The time since the previous summary of any agent. All together are the time of the project. */
  readonly timeMs: number;
}

export interface PhaseFlow extends Flow {
  /** Null: summaries without a phase. */
  readonly phase: string | null;
  readonly legs: LegCounts;
  /** Null: no legs to do. */
  readonly progress: number | null;
}

interface AgentFlow extends Flow {
  readonly agent: string;
  /** Legs with this recipient. */
  readonly legs: LegCounts;
}

export interface OpenLeg extends Pick<Leg, 'id' | 'from' | 'to' | 'task' | 'why' | 'since' | 'attempt'> {
  readonly phase: string | null;
  readonly standing: Standing;
}

export interface TaskFlow {
  readonly task: string;
  /** From the newest summary about the task that names a phase. */
  readonly phase: string | null;
  /** `unknown`: only named as a dependency. */
  readonly state: LegOutcome | 'unknown';
  readonly needs: readonly string[];
  /** Dependencies that are not complete. */
  readonly waitsFor: readonly string[];
}

export function workflowOf(trail: ProjectTrail): Workflow {
  const { project, summaries, legs } = trail;
  const times = timesOf(summaries);
  const counts = countLegs(legs);
  const { tasks, circles, criticalPath } = tasksOf(trail);
  return {
    project,
    outcome: outcomeOf(legs),
    told: summaries.length,
    statuses: countStatuses(summaries),
    legs: counts,
    progress: progressOf(counts) ?? 1,
    retries: summaries.filter(({ retried }) => retried).length,
    routes: summaries.filter(({ routedTo, next }) => routedTo !== null && next !== null).length,
    escalations: summaries.filter(({ escalated }) => escalated === 'failures').length,
    stops: summaries.filter(({ escalated }) => escalated === 'hops' || escalated === 'budget').length,
    clock: times.clock,
    beganAt: times.at[0] ?? legs[0]?.openedAt ?? 0,
    lastAt: times.at.at(-1) ?? legs[0]?.openedAt ?? 0,
    phases: phasesOf(trail, times.spent),
    agents: agentsOf(trail, times.spent),
    open: legs.filter(isOpen).map(openLeg),
    trouble: legs.filter((leg) => OUTCOME_OF[standingOf(leg)] === 'failed').map(openLeg),
    tasks,
    circles,
    criticalPath,
  };
}

/** The worst outcome counts. */
function outcomeOf(legs: readonly Leg[]): LegOutcome {
  const outcomes = new Set(legs.map((leg) => OUTCOME_OF[standingOf(leg)]));
  return worstOf(outcomes);
}

export function worstOf(outcomes: ReadonlySet<LegOutcome>): LegOutcome {
  if (outcomes.has('failed')) return 'failed';
  return outcomes.has('unfinished') ? 'unfinished' : 'complete';
}

/** When each summary was told, and the time since the one before. */
function timesOf(summaries: readonly ReportedSummary[]) {
  const told = summaries.map(({ summary }) => summary.toldAt);
  const inOrder = told.every((at, index) => at !== null && (index === 0 || at >= (told[index - 1] ?? at)));
  const at = inOrder ? (told as readonly number[]) : summaries.map(({ fact }) => fact.at);
  // Clocks of several machines may disagree, so a negative time counts as zero.
  const spent = at.map((now, index) => (index === 0 ? 0 : Math.max(0, now - (at[index - 1] ?? now))));
  return { clock: inOrder ? ('told' as const) : ('trail' as const), at, spent };
}

function phasesOf({ summaries, legs }: ProjectTrail, spent: readonly number[]): readonly PhaseFlow[] {
  const names = new Set(summaries.map(({ summary }) => summary.phase));
  const others = [...names].filter((name) => name !== null && !(PHASES as readonly string[]).includes(name));
  const all = [...PHASES, ...(others as string[]).toSorted(compareNatural), ...(names.has(null) ? [null] : [])];
  return all.map((phase) => {
    const counts = countLegs(legs.filter(({ last }) => last !== null && last.summary.phase === phase));
    const flow = flowOf(summaries, spent, ({ summary }) => summary.phase === phase);
    return { phase, ...flow, legs: counts, progress: progressOf(counts) };
  });
}

function agentsOf({ summaries, legs }: ProjectTrail, spent: readonly number[]): readonly AgentFlow[] {
  const names = new Set([...summaries.map(({ summary }) => summary.from), ...legs.map(({ to }) => to)]);
  return [...names].toSorted(compareNatural).map((agent) => ({
    agent,
    ...flowOf(summaries, spent, ({ summary }) => summary.from === agent),
    legs: countLegs(legs.filter(({ to }) => to === agent)),
  }));
}

function flowOf(
  summaries: readonly ReportedSummary[],
  spent: readonly number[],
  wanted: (reported: ReportedSummary) => boolean,
): Flow {
  const own = summaries.filter(wanted);
  const timeMs = spent.reduce((sum, ms, index) => sum + (wanted(summaries[index] as ReportedSummary) ? ms : 0), 0);
  return { told: own.length, statuses: countStatuses(own), timeMs };
}

function countStatuses(summaries: readonly ReportedSummary[]): Statuses {
  const counts = Object.fromEntries(SUMMARY_STATUSES.map((status) => [status, 0])) as Record<SummaryStatus, number>;
  for (const { summary } of summaries) counts[summary.status] += 1;
  return counts;
}

function countLegs(legs: readonly Leg[]): LegCounts {
  const standings = Object.keys(OUTCOME_OF) as readonly Standing[];
  const counts = Object.fromEntries(standings.map((standing) => [standing, 0])) as Record<Standing, number>;
  for (const leg of legs) counts[standingOf(leg)] += 1;
  return { ...counts, all: legs.length, toDo: legs.length - counts['passed-on'] - counts.dropped };
}

function progressOf({ done, toDo }: LegCounts): number | null {
  return toDo === 0 ? null : done / toDo;
}

function openLeg(leg: Leg): OpenLeg {
  const { id, from, to, task, why, since, attempt, last } = leg;
  return { id, from, to, task, phase: last?.summary.phase ?? null, standing: standingOf(leg), why, since, attempt };
}

function tasksOf({ summaries, legs }: ProjectTrail): Pick<Workflow, 'tasks' | 'circles' | 'criticalPath'> {
  const taskOfLeg = new Map(legs.map((leg) => [leg.id, leg.task]));
  const needs = new Map<string, Set<string>>();
  const phases = new Map<string, string>();
  for (const { summary, fact } of summaries) {
    const task = taskIn(summary) ?? taskOfLeg.get(fact.handoff) ?? null;
    if (task === null) continue;
    if (summary.phase !== null) phases.set(task, summary.phase);
    const own = needs.get(task) ?? new Set<string>();
    for (const other of summary.dependencies) if (other !== task) own.add(other);
    needs.set(task, own);
  }
  for (const { task } of legs) if (task !== null && !needs.has(task)) needs.set(task, new Set());

  const byTask = groupBy(legs, ({ task }) => task);
  const { order, cycles: circles } = orderTasks(needs);
  const states = new Map(order.map((task) => [task, stateOf(byTask.get(task) ?? [])]));
  const tasks = order.map((task): TaskFlow => {
    const own = [...(needs.get(task) ?? [])].toSorted(compareNatural);
    const waitsFor = own.filter((other) => states.get(other) !== 'complete');
    return { task, phase: phases.get(task) ?? null, state: states.get(task) ?? 'unknown', needs: own, waitsFor };
  });
  return { tasks, circles, criticalPath: criticalPathOf(tasks) };
}

/** `tasks` are in dependency order. A path of a single task does not count. */
function criticalPathOf(tasks: readonly TaskFlow[]): readonly string[] {
  const lengths = new Map<string, number>();
  const before = new Map<string, string>();
  for (const { task, state, waitsFor } of tasks) {
    if (state === 'complete') continue;
    const longest = waitsFor.reduce((best, each) => Math.max(best, lengths.get(each) ?? 0), 0);
    const previous = waitsFor.find((each) => longest > 0 && lengths.get(each) === longest);
    if (previous !== undefined) before.set(task, previous);
    lengths.set(task, longest + 1);
  }
  const most = Math.max(0, ...lengths.values());
  const path: string[] = [];
  let at = most < 2 ? undefined : [...lengths].find(([, length]) => length === most)?.[0];
  for (; at !== undefined; at = before.get(at)) path.unshift(at);
  return path;
}

function stateOf(legs: readonly Leg[]): TaskFlow['state'] {
  return legs.length === 0 ? 'unknown' : outcomeOf(legs);
}
