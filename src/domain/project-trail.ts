/**
 * What the trail tells about projects: who told what, and how each leg stands. A fold over facts in their order, and over
 * nothing else, so that workflows, reports and the trail cannot disagree.
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

/** One summary, as its fact tells it. */
export interface ToldSummary {
  /** In the project, from 1. */
  readonly number: number;
  readonly fact: Fact;
  readonly summary: Summary;
  /** The leg that was opened because of it. */
  readonly next: string | null;
  /** Offered to the same agent again. */
  readonly retried: boolean;
  readonly routedTo: string | null;
  /** `hops`: the chain had become too long, and the next agent was not asked. */
  readonly escalated: 'failures' | 'hops' | 'budget' | null;
}

/** A handoff of a project: opened by a summary, or reported on by one. */
export interface Leg {
  readonly id: string;
  readonly project: string;
  /** Null: sent by other means than a summary, and only reported on. */
  readonly from: string | null;
  readonly to: string;
  readonly task: string | null;
  readonly openedAt: number;
  readonly state: State;
  /** When the present state was entered. */
  readonly since: number;
  readonly attempt: number;
  readonly last: ToldSummary | null;
  /** Why it is blocked, was tried again or did not succeed, as far as anybody said so. */
  readonly why: string | null;
  /** The handoff that was made in its place by hand, once it was final. */
  readonly retriedAs: string | null;
  /** Null until it is completed, and where nobody has looked it up. */
  readonly assurance: Assurance | null;
  /** Whether its completion is proven as far as the workspace requires. */
  readonly isProven: boolean;
}

export interface ProjectTrail {
  readonly project: string;
  readonly tellings: readonly ToldSummary[];
  /** In the order in which they came up. */
  readonly legs: readonly Leg[];
}

export type LegOutcome = 'complete' | 'failed' | 'unfinished';

/** Each standing of a leg, and what it means for the project. A failure that was passed on belongs to the next leg. */
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
export function contradictionOf(last: ToldSummary | null): string | null {
  if (last === null) return null;
  if (last.summary.status === 'failed') return 'the last summary says that it failed';
  return contradictionIn(last.summary.metrics);
}

export function isOpen({ state }: Leg): boolean {
  return !isFinal(state);
}

/** Takes facts one after the other; `projects` answers what they tell so far. */
export class ProjectFold {
  private readonly legs = new Map<string, Mutable<Leg>>();
  private readonly tellings = new Map<string, ToldSummary[]>();

  see(fact: Fact): void {
    const { detail, handoff } = fact;
    const isTold = detail.includes('"summary":');
    const isNew = fact.deed === 'create';
    const isLeg = isNew && detail.includes('"leg":');
    const mayRetry = isNew && detail.includes('"retryOf":');
    const known = this.legs.get(handoff);
    if (known !== undefined) follow(known, fact);
    if (!isTold && !isLeg && !mayRetry) return;
    const told = detailIn(fact);
    // Only the keys at the top count: a summary may hold any key.
    if (told['retryOf'] !== undefined) return this.retry(fact, told);
    const summary = summaryFrom(told);
    const leg = known ?? (isLeg || summary !== null ? this.open(fact, mapIn(told['leg']), summary) : null);
    if (summary !== null) this.tell(fact, summary, told, leg);
  }

  projects(): readonly ProjectTrail[] {
    const names = new Set([...this.tellings.keys(), ...[...this.legs.values()].map(({ project }) => project)]);
    return [...names].toSorted().map((project) => ({
      project,
      tellings: this.tellings.get(project) ?? [],
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

  /** It takes the place of the old one; a handoff of no project has none here either. */
  private retry(fact: Fact, told: JsonObject): void {
    const old = this.legs.get(textIn(told['retryOf']) ?? '');
    if (old === undefined) return;
    old.retriedAs = fact.handoff;
    const { project, from, task } = old;
    this.open(fact, { project, from, to: textIn(told['to']) ?? old.to, task }, null);
  }

  private tell(fact: Fact, summary: Summary, told: JsonObject, leg: Mutable<Leg> | null): void {
    const before = this.tellings.get(summary.project) ?? [];
    const why = mapIn(told['escalated'])['why'];
    const telling: ToldSummary = {
      number: before.length + 1,
      fact,
      summary,
      next: textIn(told['next']),
      retried: told['retry'] !== undefined,
      routedTo: nameIn(told['routedTo']),
      escalated: why === 'hops' || why === 'budget' || why === 'failures' ? why : null,
    };
    before.push(telling);
    this.tellings.set(summary.project, before);
    // A summary that makes a draft is no report on the draft.
    if (leg !== null && fact.deed !== 'create') leg.last = telling;
  }
}

/** The task that a summary is about. */
export function taskIn({ context }: Summary): string | null {
  return textIn(context['task'] ?? context['task_id']);
}

function follow(leg: Mutable<Leg>, fact: Fact): void {
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
  const told = detailIn(fact);
  const context = summaryFrom(told)?.onFailure?.context;
  const says = textIn(told['question']) ?? textIn(told['reason']) ?? textIn(told['message']) ?? context ?? null;
  return says === null ? null : says.slice(0, REASON_MAX);
}

function mapIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function nameIn(value: unknown): string | null {
  return textIn(value)?.replace(/^@/, '') ?? null;
}
