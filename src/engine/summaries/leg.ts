/** Legs that a summary opens: the next one, a child, a draft, or the root that it settles itself. */
import { hexDigestOf } from '../../foundation/digest.ts';
import { textIn, writeJson, type JsonObject, type JsonProblem } from '../../foundation/json.ts';
import { ok, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Terms } from '../../domain/handoff.ts';
import type { Beginning } from '../../domain/moves/create.ts';
import type { HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Summary } from '../../domain/summary.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import type { Opening } from '../../stores/store.ts';
import { decideCreation, withNotifications } from '../change.ts';
import type { Context } from '../context.ts';

export interface LegPlan extends Pick<Beginning, 'id' | 'from' | 'to' | 'task' | 'lineage' | 'as'> {
  readonly body: Body;
  readonly dependsOn: readonly HandoffId[];
  /** Besides project, sender, recipient and task, which the first fact of every leg has. */
  readonly detail: JsonObject;
}

/**
 * The same block opens the leg of the same id, wherever it is read: an imported database has lost the answers to
 * requests, and still has the ids.
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

/** An agent reads the summary before it begins: a longer text belongs in a file. */
const PROSE_MAX = 16_000;

/** What the recipient of a leg receives: what was said and done before it, and the context carried so far. */
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

/** `then` goes on in the same transaction: a root is made, taken and settled in one. */
export function openingOf(
  ctx: Context,
  speaker: Principal,
  plan: LegPlan,
  then: Decide | null = null,
): Result<Opening, JsonProblem> {
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
  const beginning: Beginning = { ...QUEUE_BEGINNING, id, from, to, title: null, task, lineage, terms, as };
  const project = plan.body.leg?.project ?? null;
  const detail = { leg: { project, from: `@${from}`, to: `@${to}`, task }, ...plan.detail };
  const decide = decideCreation(ctx, speaker, beginning, body.value, detail, () => then);
  return ok({ id, dependsOn, body: body.value, decide: withNotifications(ctx.rules, decide) });
}

export const QUEUE_BEGINNING = { kind: 'queue', priority: 'normal', notBefore: 0 } as const;
