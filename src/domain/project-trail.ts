/**
 * The summaries and legs of projects, computed only from the facts in their order, so that workflows and reports cannot
 * disagree with the trail.
 */
import { isJsonObject, textIn, type Json, type JsonObject } from '../foundation/json.ts';
import type { Assurance } from './assurance.ts';
import { contradictionIn } from './contradiction.ts';
import { detailIn } from './fact-detail-text.ts';
import type { Fact } from './facts.ts';
import type { Mutable } from './handoff.ts';
import { isFinal, type State } from './lifecycle.ts';
import type { Summary } from './summary.ts';
import { summaryFrom } from './summary-in-fact.ts';

/** One summary with the fact that holds it. */
export interface ReportedSummary {
  /** Its number in the project, from 1. */
  readonly number: number;
  readonly fact: Fact;
  readonly summary: Summary;
  /** The leg that the summary opened. */
  readonly next: string | null;
  /** The leg was offered to the same agent again. */
  readonly retried: boolean;
  readonly routedTo: string | null;
  /** `hops`, `budget`: the chain was too long or used its budget, and no next leg was opened. */
  readonly escalated: 'failures' | 'hops' | 'budget' | null;
}

/** A handoff of a project: opened by a summary, or reported on by one. */
export interface Leg {
  readonly id: string;
  readonly project: string;
  /** Null: not opened by a summary, only reported on. */
  readonly from: string | null;
  readonly to: string;
  readonly task: string | null;
  readonly openedAt: number;
  readonly state: State;
  /** When the present state was entered. */
  readonly since: number;
  readonly attempt: number;
  readonly last: ReportedSummary | null;
  /** Why it is blocked, was retried or did not succeed, if a fact says so. */
  readonly why: string | null;
  /** The handoff that retries it. */
  readonly retriedAs: string | null;
  /** Null: not completed, or not looked up. */
  readonly assurance: Assurance | null;
  /** Whether its completion is proven as far as the workspace requires. */
  readonly isProven: boolean;
}

export interface ProjectTrail {
  readonly project: string;
  readonly summaries: readonly ReportedSummary[];
  /** In order of appearance. */
  readonly legs: readonly Leg[];
}

export type LegOutcome = 'complete' | 'failed' | 'unfinished';

/** Each standing of a leg, and the project outcome that follows. A failure that was passed on belongs to the next leg. */
export const OUTCOME_OF = {
  done: 'complete',
  unproven: 'unfinished',
  contradicted: 'failed',
  'passed-on': 'complete',
  dropped: 'complete',
  failed: 'failed',
  stopped: 'failed',
  blocked: 'failed',
  waiting: 'unfinished',
  draft: 'unfinished',
  offered: 'unfinished',
  working: 'unfinished',
} as const satisfies Record<string, LegOutcome>;
export type Standing = keyof typeof OUTCOME_OF;

export function standingOf({ state, last, retriedAs, isProven }: Leg): Standing {
  switch (state) {
    case 'completed':
      if (last?.escalated === 'hops' || last?.escalated === 'budget') return 'stopped';
      if (contradictionOf(last) !== null) return 'contradicted';
      return isProven ? 'done' : 'unproven';
    case 'cancelled':
      return 'dropped';
    case 'failed':
    case 'rejected':
    case 'expired':
      return (last?.next ?? retriedAs) === null ? 'failed' : 'passed-on';
    case 'blocked':
      return last?.summary.status === 'blocked' ? 'blocked' : 'waiting';
    case 'draft':
      return 'draft';
    case 'offered':
      return 'offered';
    case 'accepted':
    case 'delivered':
      return 'working';
  }
}

/** Why the last summary of a completed leg contradicts the completion; null: it does not. */
export function contradictionOf(last: ReportedSummary | null): string | null {
  if (last === null) return null;
  if (last.summary.status === 'failed') return 'the last summary says that it failed';
  return contradictionIn(last.summary.metrics);
}

export function isOpen({ state }: Leg): boolean {
  return !isFinal(state);
}

/** Takes facts one by one; `projects` returns the result so far. */
export class ProjectFold {
  private readonly legs = new Map<string, Mutable<Leg>>();
  private readonly summaries = new Map<string, ReportedSummary[]>();

  add(fact: Fact): void {
    const { detail, handoff } = fact;
    const hasSummary = detail.includes('"summary":');
    const isNew = fact.deed === 'create';
    const isLeg = isNew && detail.includes('"leg":');
    const mayRetry = isNew && detail.includes('"retryOf":');
    const known = this.legs.get(handoff);
    if (known !== undefined) applyFact(known, fact);
    if (!hasSummary && !isLeg && !mayRetry) return;
    const detailFields = detailIn(fact);
    // Only top-level keys count: a summary may contain any key.
    if (detailFields['retryOf'] !== undefined) return this.retry(fact, detailFields);
    const summary = summaryFrom(detailFields);
    const leg = known ?? (isLeg || summary !== null ? this.open(fact, mapIn(detailFields['leg']), summary) : null);
    if (summary !== null) this.addSummary(fact, summary, detailFields, leg);
  }

  projects(): readonly ProjectTrail[] {
    const names = new Set([...this.summaries.keys(), ...[...this.legs.values()].map(({ project }) => project)]);
    return [...names].toSorted().map((project) => ({
      project,
      summaries: this.summaries.get(project) ?? [],
      legs: [...this.legs.values()].filter((leg) => leg.project === project),
    }));
  }

  private open(fact: Fact, said: JsonObject, summary: Summary | null): Mutable<Leg> | null {
    const project = textIn(said['project']) ?? summary?.project ?? null;
    const to = nameIn(said['to']) ?? summary?.from ?? null;
    if (project === null || to === null) return null;
    const leg: Mutable<Leg> = {
      id: fact.handoff,
      project,
      from: nameIn(said['from']),
      to,
      task: textIn(said['task']) ?? (summary === null ? null : taskIn(summary)),
      openedAt: fact.at,
      state: fact.to,
      since: fact.at,
      attempt: fact.attempt,
      last: null,
      why: reasonIn(fact),
      retriedAs: null,
      assurance: null,
      isProven: true,
    };
    this.legs.set(fact.handoff, leg);
    return leg;
  }

  /** A retry takes the place of the old leg. A retry of a handoff without a project is ignored. */
  private retry(fact: Fact, detailFields: JsonObject): void {
    const old = this.legs.get(textIn(detailFields['retryOf']) ?? '');
    if (old === undefined) return;
    old.retriedAs = fact.handoff;
    const { project, from, task } = old;
    this.open(fact, { project, from, to: textIn(detailFields['to']) ?? old.to, task }, null);
  }

  private addSummary(fact: Fact, summary: Summary, detailFields: JsonObject, leg: Mutable<Leg> | null): void {
    const before = this.summaries.get(summary.project) ?? [];
    const why = mapIn(detailFields['escalated'])['why'];
    const reported: ReportedSummary = {
      number: before.length + 1,
      fact,
      summary,
      next: textIn(detailFields['next']),
      retried: detailFields['retry'] !== undefined,
      routedTo: nameIn(detailFields['routedTo']),
      escalated: why === 'hops' || why === 'budget' || why === 'failures' ? why : null,
    };
    before.push(reported);
    this.summaries.set(summary.project, before);
    // A summary that creates a draft does not report on that draft.
    if (leg !== null && fact.deed !== 'create') leg.last = reported;
  }
}

/** The task that a summary is about. */
export function taskIn({ context }: Summary): string | null {
  return textIn(context['task'] ?? context['task_id']);
}

function applyFact(leg: Mutable<Leg>, fact: Fact): void {
  const { to, at, attempt } = fact;
  if (leg.state !== to) {
    leg.since = at;
    leg.why = reasonIn(fact);
  }
  leg.state = to;
  leg.attempt = attempt;
}

/** Facts of these types may say why. */
const REASONED: readonly Fact['deed'][] = ['block', 'retry', 'fail', 'reject', 'expire', 'cancel'];
const REASON_MAX = 500;

function reasonIn(fact: Fact): string | null {
  if (!REASONED.includes(fact.deed)) return null;
  const detailFields = detailIn(fact);
  const context = summaryFrom(detailFields)?.onFailure?.context;
  const says =
    textIn(detailFields['question']) ??
    textIn(detailFields['reason']) ??
    textIn(detailFields['message']) ??
    context ??
    null;
  return says === null ? null : says.slice(0, REASON_MAX);
}

function mapIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function nameIn(value: unknown): string | null {
  return textIn(value)?.replace(/^@/, '') ?? null;
}
