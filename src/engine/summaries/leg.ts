/** The legs that a summary opens: the next one, a child, a draft, or the root that it settles itself. */
import { hexDigestOf } from '../../foundation/digest.ts';
import { textIn, writeJson, type JsonObject, type JsonProblem } from '../../foundation/json.ts';
import { ok, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import type { Decide } from '../../domain/decision.ts';
import { senderFieldsOf, type Terms } from '../../domain/handoff.ts';
import type { Beginning } from '../../domain/moves/create.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Summary } from '../../domain/summary.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import type { NewHandoff } from '../../stores/store.ts';
import { decideCreation, withNotifications } from '../change.ts';
import type { Context } from '../context.ts';

export interface LegPlan extends Pick<Beginning, 'id' | 'from' | 'to' | 'task' | 'lineage' | 'as'> {
  readonly body: Body;
  readonly dependsOn: readonly HandoffId[];
  /** In addition to project, sender, recipient and task, which the first fact of every leg contains. */
  readonly detail: JsonObject;
}

/**
 * The same block always opens a leg with the same id: an imported database has no request keys, but still has the ids.
 */
export function legIdOf(key: string, part: 'root' | 'next'): HandoffId {
  // Lower case, because ids become file names and some file systems ignore case.
  return `leg-${hexDigestOf(`${key} ${part}`).slice(0, ID_CHARS)}` as HandoffId;
}

const ID_CHARS = 32;

export function taskOf({ context }: Summary): string | null {
  const named = textIn(context['task'] ?? context['task_id']);
  return named !== null && named.length <= TASK_MAX ? named : null;
}

const TASK_MAX = 200;

/** A longer text belongs in a file. */
const PROSE_MAX = 16_000;

/** The body of a leg: the summary before it and the accumulated context. */
export function bodyOf(summary: Summary, prose: string, carried: JsonObject, because: JsonObject): Body {
  const { project, phase, from, status, metrics, onFailure } = summary;
  const said =
    prose.length > PROSE_MAX ? `${prose.slice(0, PROSE_MAX).replace(/[\uD800-\uDBFF]$/, '')} … (cut off here)` : prose;
  return {
    input: {
      project,
      phase,
      from: `@${from}`,
      status,
      metrics,
      ...(said === '' ? {} : { summary: said }),
      ...because,
    },
    context: { ...carried, ...summary.context },
    leg: { project, ...(onFailure === null ? {} : { onFailure }) },
  };
}

/** `then` continues in the same transaction: a root is created, accepted and settled at once. */
export function openingOf(
  ctx: Context,
  speaker: Principal,
  plan: LegPlan,
  then: Decide | null = null,
): Result<NewHandoff, JsonProblem> {
  const { id, from, to, task, lineage, dependsOn, as } = plan;
  const body = writeJson(plan.body);
  if (!body.ok) return body;
  const terms: Terms = {
    ...DEFAULT_TERMS.queue,
    ...ctx.rules.terms.queue,
    // An agent that only writes summaries sends no heartbeats, and its work may take days.
    attemptTimeoutMs: null,
    dependsOn,
  };
  const beginning: Beginning = { ...QUEUE_BEGINNING, ...senderFieldsOf({ task }), id, from, to, lineage, terms, as };
  const project = plan.body.leg?.project ?? null;
  const detail = { leg: { project, from: `@${from}`, to: `@${to}`, task }, ...plan.detail };
  const decide = decideCreation(ctx, speaker, beginning, body.value, detail, () => then);
  return ok({ id, dependsOn, body: body.value, decide: withNotifications(ctx.rules, decide) });
}

export const QUEUE_BEGINNING = { kind: 'queue', notBefore: 0 } as const;
