import { digestOf } from '../../foundation/digest.ts';
import { newUuid } from '../../foundation/ids.ts';
import { writeJson, type Json, type JsonObject, type JsonProblem, type JsonText } from '../../foundation/json.ts';
import { refuse, yes, type Result } from '../../foundation/result.ts';
import type { Body } from '../../domain/body.ts';
import { witness } from '../../domain/facts.ts';
import { NO_LINEAGE, type Handoff, type Kind, type Terms } from '../../domain/handoff.ts';
import { create, type Beginning } from '../../domain/moves/create.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { principalText, type Principal } from '../../domain/principal.ts';
import type { Priority } from '../../domain/priority.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { may } from '../../domain/rights.ts';
import { DEFAULT_TERMS } from '../../domain/terms.ts';
import type { Guard, Opening } from '../../stores/store.ts';
import type { Surroundings } from '../surroundings.ts';

export interface SendRequest {
  readonly from: AgentId;
  readonly to: AgentId;
  readonly input: Json;
  readonly schema?: string;
  readonly context?: JsonObject;
  readonly title?: string;
  readonly task?: string;
  readonly priority?: Priority;
  readonly kind?: Kind;
  readonly terms?: Partial<Terms>;
  /** Not to be taken earlier than this. */
  readonly notBefore?: number;
  /** A foreign id; ours are made here. */
  readonly id?: HandoffId;
  /** The same key with the same content answers the same handoff, however often it is asked. */
  readonly requestId?: string;
}

export type SendRefusal = Refusal | { readonly code: 'not-json'; readonly problem: JsonProblem };

export async function send(
  around: Surroundings,
  principal: Principal,
  request: SendRequest,
): Promise<Result<Handoff, SendRefusal>> {
  const sent = await sendMany(around, principal, [request]);
  return sent.ok ? yes(sent.value[0] as Handoff) : sent;
}

/** All or none. A request id, if any, is that of the first and stands for all of them. */
export async function sendMany(
  around: Surroundings,
  principal: Principal,
  requests: readonly SendRequest[],
): Promise<Result<readonly Handoff[], SendRefusal>> {
  const openings: Opening[] = [];
  for (const request of requests) {
    const body = writeBody(request);
    if (!body.ok) return refuse({ code: 'not-json', problem: body.refusal });
    openings.push(openingOf(around, principal, request, body.value));
  }
  return around.store.insert(openings, guardOf(principal, requests));
}

function openingOf(around: Surroundings, principal: Principal, request: SendRequest, body: JsonText): Opening {
  const kind = request.kind ?? 'queue';
  const terms = request.terms === undefined ? DEFAULT_TERMS[kind] : { ...DEFAULT_TERMS[kind], ...request.terms };
  const beginning: Beginning = {
    id: request.id ?? (`hoff-${newUuid(around.store.nowMs(), around.random)}` as HandoffId),
    kind,
    from: request.from,
    to: request.to,
    priority: request.priority ?? 'normal',
    title: request.title ?? null,
    task: request.task ?? null,
    lineage: NO_LINEAGE,
    terms,
    notBefore: request.notBefore ?? 0,
    as: kind === 'document' ? 'draft' : 'offer',
  };
  return {
    id: beginning.id,
    dependsOn: terms.dependsOn,
    body,
    decide: (nowMs, dependencies) => {
      const created = create(beginning, dependencies, nowMs);
      if (!created.ok) return created;
      const entitled = may(principal, 'create', created.value);
      if (!entitled.ok) return entitled;
      const { handoff, fact } = witness(null, created.value, 'create', principalText(principal), nowMs);
      return yes({ handoff, facts: [fact] });
    },
  };
}

function writeBody({ input, schema, context }: SendRequest): Result<JsonText, JsonProblem> {
  const body: Body = {
    input,
    ...(schema === undefined ? {} : { schema }),
    ...(context === undefined ? {} : { context }),
  };
  return writeJson(body);
}

function guardOf(principal: Principal, requests: readonly SendRequest[]): Guard {
  const key = requests[0]?.requestId;
  if (key === undefined) return {};
  return { request: { by: principalText(principal), key, hash: digestOf(inOneOrder(requests)) } };
}

/** The same content has the same text, in whatever order its keys were written. */
function inOneOrder(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (each === null || typeof each !== 'object' || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
