/**
 * Succession: reasons, the order of steps, and errors. A succession is a handoff from a persona to itself. Each step is
 * one fact of it, so the trail says which step is next.
 */
import type { JsonObject } from '../foundation/json.ts';
import { err, ok, type Result } from '../foundation/result.ts';
import type { AgentSession } from './agent-session.ts';
import { detailIn } from './fact-detail-text.ts';
import type { Fact } from './facts.ts';

export const SUCCESSION_REASONS = ['manual', 'context_limit', 'shift_end', 'task_boundary', 'usage_limit'] as const;
export type SuccessionReason = (typeof SUCCESSION_REASONS)[number];

export const STEPS = [
  'begun',
  'instructed',
  'document-verified',
  'recorded',
  'successor-checked',
  'outgoing-retired',
  'successor-started',
  'primed',
  'injected',
  'acknowledged',
] as const;
export type Step = (typeof STEPS)[number];

/** `substitute`: the agent can no longer write, so Baton writes the document. `by-hand`: a person types the lines. */
export type SuccessionPlan = 'usual' | 'substitute' | 'by-hand';

/**
 * In a `substitute` succession the agent is retired first: it would continue by itself when its usage limit ends, and two
 * agents must never work on the same task.
 */
const PLANS: Readonly<Record<SuccessionPlan, readonly Step[]>> = {
  usual: STEPS,
  substitute: [
    'begun',
    'successor-checked',
    'outgoing-retired',
    'document-verified',
    'recorded',
    'successor-started',
    'primed',
    'injected',
    'acknowledged',
  ],
  'by-hand': ['begun', 'instructed', 'document-verified', 'recorded', 'injected', 'acknowledged'],
};

export const SUCCESSION_ERRORS = {
  file_not_found: 'the agent ended its turn and wrote no handoff document',
  file_empty: 'the handoff document is empty',
  document_incomplete: 'the handoff document was begun and not finished',
  document_refused: 'the handoff document is not a plain file of a sensible size',
  not_delivered: 'the agent did not take the line that was typed for it',
  dialog_open: 'the agent waits for an answer in a dialog, and nothing may be typed there',
  agent_error: 'the agent reported an error instead of writing',
  agent_died: 'the agent ended before its document was written',
  pane_gone: 'the pane of the agent is gone',
  pane_changed: 'another program runs in the pane of the agent now',
  host_failed: 'the terminal multiplexer does not answer',
  create_failed: 'the successor could not be started',
  not_primed: 'the successor did not finish reading who it is',
  not_acknowledged: 'the successor did not answer the handover',
} as const;
export type SuccessionErrorCode = keyof typeof SUCCESSION_ERRORS;

/** The progress of a succession, from its trail. */
export interface SuccessionProgress {
  readonly done: ReadonlySet<Step>;
  /** The merged details of all steps so far; newer ones win. */
  readonly details: JsonObject;
  /** When each step was done. */
  readonly at: ReadonlyMap<Step, number>;
}

/** The next step that is not done; null: all are done. */
export function nextStep(done: ReadonlySet<Step>, plan: SuccessionPlan): Step | null {
  return PLANS[plan].find((step) => !done.has(step)) ?? null;
}

/** Facts in order, from the first one of the handoff. */
export function progressOf(facts: readonly Fact[]): SuccessionProgress {
  const done = new Set<Step>();
  const at = new Map<Step, number>();
  let details: JsonObject = {};
  for (const fact of facts) {
    const detail = detailIn(fact);
    const step = stepOf(fact, detail);
    details = { ...details, ...detail };
    if (step === null) continue;
    done.add(step);
    at.set(step, fact.at);
  }
  return { done, details, at };
}

/** A text in the details; empty: no step wrote it. */
export function detailText({ details }: Pick<SuccessionProgress, 'details'>, name: string): string {
  const value = details[name];
  return typeof value === 'string' ? value : '';
}

function stepOf({ deed }: Fact, detail: JsonObject): Step | null {
  if (deed === 'accept') return 'begun';
  if (deed === 'deliver') return 'injected';
  if (deed === 'complete') return 'acknowledged';
  return deed === 'progress' ? (STEPS.find((step) => step === detail['step']) ?? null) : null;
}

/** Why a succession cannot begin, in the order of the checks. */
export type TriggerRefusal =
  | { readonly code: 'agent-not-found'; readonly id: number }
  | { readonly code: 'agent-not-active'; readonly id: number; readonly state: string }
  | { readonly code: 'agent-without-persona'; readonly id: number }
  | { readonly code: 'agent-without-pane'; readonly id: number }
  | { readonly code: 'succession-in-progress'; readonly id: number; readonly handoff: string };

export function mayBegin(
  id: number,
  session: AgentSession | null,
  plan: SuccessionPlan = 'usual',
): Result<AgentSession, TriggerRefusal> {
  if (session === null) return err({ code: 'agent-not-found', id });
  if (session.state !== 'active') return err({ code: 'agent-not-active', id, state: session.state });
  if (session.persona === null) return err({ code: 'agent-without-persona', id });
  if (session.pane === null && plan !== 'by-hand') return err({ code: 'agent-without-pane', id });
  const { succession } = session;
  if (succession !== null) return err({ code: 'succession-in-progress', id, handoff: succession.handoff });
  return ok(session);
}

const ID_DIGITS = 8;

/** The file name of the document: the time of the request in UTC, and the id of the agent that writes it. */
export function documentName(agent: number, atMs: number): string {
  const stamp = new Date(atMs).toISOString().replaceAll(/[-:]|\.\d+Z$/g, '');
  return `${stamp}-${String(agent).padStart(ID_DIGITS, '0')}.md`;
}
