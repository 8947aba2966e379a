/** A handoff as others see it: one shape for `--json`, for a worker's standard input and for every later face. */
import type { Json, JsonObject } from '../../foundation/json.ts';
import type { Body } from '../../domain/body.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type { Whole } from '../../stores/store.ts';

export function handoffView(handoff: Handoff): JsonObject {
  const { lineage, custody, blockedOn } = handoff;
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
    ...(blockedOn === null ? {} : { blockedOn: { ...blockedOn } }),
    ...(handoff.terms.dependsOn.length === 0 ? {} : { dependsOn: handoff.terms.dependsOn }),
  };
}

/** With what it carries and, when there is one, its outcome. */
export function wholeView({ handoff, body, outcome }: Whole): JsonObject {
  return { ...handoffView(handoff), ...bodyView(JSON.parse(body) as Body), ...outcomeView(outcome) };
}

export function bodyView({ input, schema, context }: Body): JsonObject {
  return {
    input,
    ...(schema === undefined ? {} : { schema }),
    ...(context === undefined ? {} : { context }),
  };
}

function outcomeView(text: string | null): JsonObject {
  if (text === null) return {};
  const outcome = JSON.parse(text) as Outcome;
  if (outcome.kind === 'result') return { result: outcome.result };
  return { failure: { code: outcome.code, message: outcome.message } };
}

function instant(ms: number): Json {
  return new Date(ms).toISOString();
}
