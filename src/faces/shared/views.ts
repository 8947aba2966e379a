/** A handoff as others see it: one shape for `--json`, for a worker's standard input and for every later face. */
import type { Json, JsonObject } from '../../foundation/json.ts';
import { heldUntilOf } from '../../domain/deadlines.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Body } from '../../domain/body.ts';
import type { Claim } from '../../domain/evidence.ts';
import type { BlockedOn, Failure, Handoff, Kind } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';
import type { Priority } from '../../domain/priority.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { warningsFor } from '../../engine/secrets/found.ts';
import type { Whole } from '../../stores/store.ts';

export type HandoffView = {
  readonly id: string;
  readonly state: State;
  /** With the `@` that the house leaves away. */
  readonly from: string;
  readonly to: string;
  readonly kind: Kind;
  readonly priority: Priority;
  readonly title: string | null;
  readonly task: string | null;
  /** Grows by one with everything that happens to it. */
  readonly revision: number;
  readonly attempt: number;
  /** The number of the newest acceptance; whoever settles shows it. */
  readonly fence: number;
  readonly createdAt: string;
  /** When the present state was entered. */
  readonly since: string;
  readonly notBefore?: string;
  readonly root?: string;
  readonly parent?: string;
  readonly retryOf?: string;
  readonly heldBy?: string;
  /** Whoever holds it has to settle before. */
  readonly until?: string;
  readonly blockedOn?: BlockedOn;
  readonly dependsOn?: readonly string[];
  /** What has to be in the registry of artifacts first. */
  readonly needsArtifacts?: readonly string[];
  readonly deliverables?: readonly string[];
  readonly criteria?: readonly string[];
  readonly verifiers?: readonly string[];
  /** What the doer shows for the deliverables. */
  readonly claims?: readonly Claim[];
  /** What the writer of this change should know; only in the answer to it. */
  readonly warnings?: readonly string[];
};

export type WholeView = HandoffView & {
  readonly input: Json;
  readonly schema?: string;
  readonly context?: JsonObject;
  readonly result?: Json;
  readonly failure?: Failure;
};

export type FactView = Omit<Fact, 'at' | 'detail'> & { readonly at: string; readonly detail?: Json };

export function handoffView(handoff: Handoff): HandoffView {
  const { lineage, custody, blockedOn } = handoff;
  const until = heldUntilOf(handoff);
  return {
    id: handoff.id,
    state: handoff.state,
    from: `@${handoff.from}`,
    to: `@${handoff.to}`,
    kind: handoff.kind,
    priority: handoff.priority,
    title: handoff.title,
    task: handoff.task,
    revision: handoff.revision,
    attempt: handoff.attempt,
    fence: handoff.fence,
    createdAt: instant(handoff.createdAt),
    since: instant(handoff.since),
    ...(handoff.notBefore > 0 ? { notBefore: instant(handoff.notBefore) } : {}),
    ...(lineage.root === null ? {} : { root: lineage.root }),
    ...(lineage.parent === null ? {} : { parent: lineage.parent }),
    ...(lineage.retryOf === null ? {} : { retryOf: lineage.retryOf }),
    ...(custody === null ? {} : { heldBy: `@${custody.holder}` }),
    ...(until === null ? {} : { until: instant(until) }),
    ...(blockedOn === null ? {} : { blockedOn }),
    ...termsView(handoff),
    ...warningsView(handoff),
  };
}

function warningsView(handoff: Handoff): Pick<HandoffView, 'warnings'> {
  const warnings = warningsFor(handoff);
  return warnings.length === 0 ? {} : { warnings };
}

/** What was agreed and is not the same for everybody, and what is shown for it. */
function termsView({ terms, claims }: Handoff): Partial<HandoffView> {
  const { dependsOn, artifacts, deliverables, criteria, verifiers } = terms;
  return {
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
    ...(artifacts === undefined ? {} : { needsArtifacts: artifacts }),
    ...(deliverables.length === 0 ? {} : { deliverables }),
    ...(criteria.length === 0 ? {} : { criteria }),
    ...(verifiers.length === 0 ? {} : { verifiers: verifiers.map((agent) => `@${agent}`) }),
    ...(claims.length === 0 ? {} : { claims }),
  };
}

/** A line of the trail. */
export function factView({ handoff, revision, at, by, deed, from, to, attempt, fence, detail, hash }: Fact): FactView {
  return {
    handoff,
    revision,
    at: instant(at),
    by,
    deed,
    from,
    to,
    attempt,
    fence,
    ...(detail === '' ? {} : { detail: JSON.parse(detail) as Json }),
    hash,
  };
}

/** With what it carries and, when there is one, its outcome. */
export function wholeView({ handoff, body, outcome }: Whole): WholeView {
  return { ...handoffView(handoff), ...bodyView(JSON.parse(body) as Body), ...outcomeView(outcome) };
}

export function bodyView({ input, schema, context }: Body): Pick<WholeView, 'input' | 'schema' | 'context'> {
  return {
    input,
    ...(schema === undefined ? {} : { schema }),
    ...(context === undefined ? {} : { context }),
  };
}

function outcomeView(text: string | null): Pick<WholeView, 'result' | 'failure'> {
  if (text === null) return {};
  const outcome = JSON.parse(text) as Outcome;
  const result = outcome.result === undefined ? {} : { result: outcome.result };
  if (outcome.kind === 'result') return result;
  return { ...result, failure: { code: outcome.code, message: outcome.message } };
}

/** What happens in one moment is shown together, and a date is the dearest part of a view. */
const lately = { ms: Number.NaN, text: '' };

function instant(ms: number): string {
  if (lately.ms === ms) return lately.text;
  lately.text = new Date(ms).toISOString();
  lately.ms = ms;
  return lately.text;
}
