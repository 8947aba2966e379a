/** Legs that a summary opens: the next one, a child, a draft, or the root that it settles itself. */
import { hexDigestOf } from '../../foundation/digest.ts';
import { writeJson, type JsonObject, type JsonProblem } from '../../foundation/json.ts';
import { ok, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Lineage, Terms } from '../../domain/handoff.ts';
import { create, type Beginning } from '../../domain/moves/create.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Principal } from '../../domain/principal.ts';
import { may } from '../../domain/rights.ts';
import type { Summary } from '../../domain/summary.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import type { Opening } from '../../stores/store.ts';
import { appendCreation, withEffects } from '../change.ts';
import type { Context } from '../context.ts';

export interface LegPlan {
  readonly id: HandoffId;
  readonly from: AgentId;
  readonly to: AgentId;
  readonly task: string | null;
  readonly lineage: Lineage;
  readonly body: Body;
  readonly dependsOn: readonly HandoffId[];
  readonly as: Beginning['as'];
  /** Besides who hands it to whom, which every leg tells. */
  readonly detail: JsonObject;
}

/**
 * The same block opens the same leg, wherever it is read: where the answers to requests have been lost, as in a database
 * that was imported, the id is still known.
 */
export function legIdOf(key: string, part: 'root' | 'next'): HandoffId {
  // In small letters and digits: ids become names of files, and some systems do not tell capitals apart.
  return `leg-${hexDigestOf(`${key} ${part}`).slice(0, ID_CHARS)}` as HandoffId;
}

const ID_CHARS = 32;

export function taskOf({ context }: Summary): string | null {
  const named = context['task'] ?? context['task_id'];
  return typeof named === 'string' && named !== '' && named.length <= TASK_MAX ? named : null;
}

const TASK_MAX = 200;

/** A summary is read by an agent before it begins: what is longer belongs in a file. */
const PROSE_MAX = 16_000;

/** What the recipient of a leg gets to know: what was said and done before it, and all that was carried so far. */
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

/** `then` goes on in the same moment: a root is made, taken and settled in one go. */
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
    // Nobody watches over an agent that writes summaries, and its work may take days.
    attemptTimeoutMs: null,
    dependsOn,
  };
  const beginning: Beginning = {
    id,
    kind: 'queue',
    from,
    to,
    priority: 'normal',
    title: null,
    task,
    lineage,
    terms,
    notBefore: 0,
    as,
  };
  const project = plan.body.leg?.project ?? null;
  const detail = { leg: { project, from: `@${from}`, to: `@${to}`, task }, ...plan.detail };
  return ok({
    id,
    dependsOn,
    body: body.value,
    decide: (nowMs, dependencies) => {
      const created = create(beginning, dependencies, nowMs);
      if (!created.ok) return created;
      const entitled = may(speaker, 'create', created.value);
      if (!entitled.ok) return entitled;
      const begun = appendCreation(ctx.rules, speaker, created.value, body.value, nowMs, detail);
      const more = then === null ? ok({ handoff: begun.handoff, facts: [] }) : then(begun.handoff, nowMs);
      if (!more.ok) return more;
      return ok(withEffects(ctx.rules, { ...more.value, facts: [begun.fact, ...more.value.facts] }));
    },
  });
}
