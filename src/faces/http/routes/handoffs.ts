/** Making handoffs and looking at them. */
import { isFinal } from '../../../domain/lifecycle.ts';
import type { HandoffId } from '../../../domain/names.ts';
import type { Principal } from '../../../domain/principal.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../../../domain/retry.ts';
import type { Terms } from '../../../domain/handoff.ts';
import { toMilliseconds } from '../../../dialects/seconds.ts';
import { list, show, trace } from '../../../engine/verbs/look.ts';
import { send, type SendRequest } from '../../../engine/verbs/send.ts';
import { wait } from '../../../engine/verbs/wait.ts';
import type { Surroundings } from '../../../engine/surroundings.ts';
import { ListQuery, SendBody, ShowQuery, WaitQuery } from '../../shared/requests.ts';
import { readTraceparent } from '../../shared/trace-context.ts';
import { ChainShape, FactsShape, HandoffShape, PageShape, ShownShape, WholeShape } from '../../shared/view-shapes.ts';
import { factView, handoffView, wholeView } from '../../shared/views.ts';
import { allowedMoves } from '../allowed-moves.ts';
import { endpoint, idIn, json, type Endpoint, type HttpContext } from '../contract.ts';
import { entityTag, isKnown } from '../entity-tags.ts';
import { BEGINNING } from '../events/hub.ts';
import { hold } from '../held.ts';
import { httpProblem, problemOf } from '../problem.ts';

const PAGE = 50;
const KEY_MAX = 500;

export const HANDOFFS: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/handoffs',
    scope: 'write',
    summary: 'Offer work to an agent',
    about:
      'Sent in the name of whoever the token belongs to. The same Idempotency-Key with the same body answers the same handoff.',
    headers: {
      'Idempotency-Key': 'Kept for 7 days.',
      traceparent: 'Put into the context, unless there is one or an Idempotency-Key.',
    },
    body: SendBody,
    answers: { 201: 'The handoff.' },
    gives: HandoffShape,
    answer: async ({ premises: { around, hub }, caller, body, c }) => {
      const request = requestOf(around, caller.principal, inTrace(body, c), requestKey(c));
      const sent = await send(around, caller.principal, request);
      if (!sent.ok) throw problemOf(sent.refusal);
      hub.nudge();
      const { id } = sent.value;
      return json(handoffView(sent.value), 201, { location: `/api/handoffs/${id}`, etag: entityTag(sent.value) });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/handoffs',
    scope: 'read',
    summary: 'List handoffs, newest first',
    about: '`next` continues the list as `after`; `cursor` is where to begin with /api/events to miss nothing of it.',
    query: ListQuery,
    answers: { 200: 'A page of the list.' },
    gives: PageShape,
    answer: async ({ premises: { around }, caller, query }) => {
      const { state, limit, ...rest } = query;
      // Before the list: what happens meanwhile is told twice rather than not at all.
      const [newest] = await around.store.facts({ newest: true, max: 1 });
      const filter = {
        by: 'filter',
        max: limit ?? PAGE,
        ...(state === undefined ? {} : { states: state }),
        ...said(rest),
      } as const;
      const { items, next } = await list(around, caller.principal, filter);
      return json({ items: items.map(handoffView), next, cursor: newest?.cursor ?? BEGINNING });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/handoffs/{id}',
    scope: 'read',
    summary: 'One handoff with what it carries and all that happened to it',
    about: 'With wait=SECONDS it answers when the handoff is settled, or as it is when the time is up.',
    headers: { 'If-None-Match': 'The ETag of what you have; 304 when it is still that.' },
    query: ShowQuery,
    answers: { 200: 'The handoff with facts; its revision is the ETag.', 304: 'It is still what you have.' },
    gives: ShownShape,
    answer: async ({ premises, caller, query, c }) => {
      const id = idIn(c);
      const seconds = query.wait ?? 0;
      if (seconds > 0) {
        const { signal, mustStillBeGood } = hold(premises, c, caller, 'wait');
        await settledWithin(premises.around, caller.principal, id, seconds, signal);
        mustStillBeGood();
      }
      const found = await show(premises.around, caller.principal, id);
      if (!found.ok) throw problemOf(found.refusal);
      const { facts, ...whole } = found.value;
      const etag = entityTag(whole.handoff);
      if (isKnown(c, etag)) return new Response(null, { status: 304, headers: { etag, 'cache-control': 'no-cache' } });
      const view = { ...wholeView(whole), facts: facts.map(factView), may: allowedMoves(caller, whole.handoff) };
      return json(view, 200, { etag, 'cache-control': 'no-cache' });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/handoffs/{id}/facts',
    scope: 'read',
    summary: 'What happened to it, in order',
    answers: { 200: 'All facts of it.' },
    gives: FactsShape,
    answer: async ({ premises: { around }, caller, c }) => {
      const found = await show(around, caller.principal, idIn(c));
      if (!found.ok) throw problemOf(found.refusal);
      return json({ items: found.value.facts.map(factView) });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/handoffs/{id}/chain',
    scope: 'read',
    summary: 'The legs of the chain that it belongs to, as far as you may read them, oldest first',
    answers: { 200: 'The legs.' },
    gives: ChainShape,
    answer: async ({ premises: { around }, caller, c }) => {
      const id = idIn(c);
      const found = await trace(around, caller.principal, id);
      if (!found.ok) throw problemOf(found.refusal);
      // The root itself may be a leg that the caller does not see; those that it sees name it.
      const [first] = found.value;
      return json({ root: first?.lineage.root ?? first?.id ?? id, items: found.value.map(handoffView) });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/handoffs/{id}/wait',
    scope: 'read',
    summary: 'Answers when it is settled',
    query: WaitQuery,
    answers: { 200: 'The settled handoff, however it ended.', 408: 'Not settled yet; ask again.' },
    gives: WholeShape,
    answer: async ({ premises, caller, query, c }) => {
      const id = idIn(c);
      const seconds = query.seconds ?? WAIT_SECONDS;
      const { signal, mustStillBeGood } = hold(premises, c, caller, 'wait');
      const settled = await settledWithin(premises.around, caller.principal, id, seconds, signal);
      mustStillBeGood();
      if (settled === null)
        throw httpProblem('timed-out', `${id} was not settled within ${seconds} s; ask again`, { id });
      return json(wholeView(settled), 200, { etag: entityTag(settled.handoff) });
    },
  }),
];

const WAIT_SECONDS = 30;

async function settledWithin(
  around: Surroundings,
  principal: Principal,
  id: HandoffId,
  seconds: number,
  signal: AbortSignal,
): ReturnType<Surroundings['store']['load']> {
  const waited = await wait(around, principal, id, { timeoutMs: seconds * 1000, signal });
  if (waited.ok) return isFinal(waited.value.handoff.state) ? waited.value : null;
  if (waited.refusal.code === 'timed-out') return null;
  throw problemOf(waited.refusal);
}

/** The header that stands for a request id; without one, every request is a new one. */
export function requestKey(c: HttpContext): { readonly requestId?: string } {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return {};
  if (key.trim() !== '' && key.length <= KEY_MAX) return { requestId: key };
  throw httpProblem('bad-request', `Idempotency-Key: 1 to ${KEY_MAX} characters`);
}

/** A sender that is traced need not know where its trace is kept. With a key it would be other content at every try. */
function inTrace(body: SendBody, c: HttpContext): SendBody {
  const given = c.req.header('traceparent');
  if (
    c.req.header('idempotency-key') !== undefined ||
    readTraceparent(given) === null ||
    body.context?.['traceparent'] !== undefined
  )
    return body;
  return { ...body, context: { ...body.context, traceparent: given ?? '' } };
}

function requestOf(
  { rules }: Surroundings,
  principal: Principal,
  body: SendBody,
  key: { readonly requestId?: string },
): SendRequest {
  const { from, input, timeoutSeconds, notBefore, retry, deliverables, criteria, verifiers, dependsOn, ...rest } = body;
  const sender = from ?? (principal.kind === 'agent' ? principal.agent : null);
  if (sender === null) throw httpProblem('bad-request', 'from: an operator says in whose name');
  const terms: Partial<Terms> = said({
    deliverables,
    criteria,
    verifiers,
    dependsOn,
    attemptTimeoutMs: timeoutSeconds === undefined ? undefined : toMilliseconds(timeoutSeconds),
    retry: retry === undefined ? undefined : retryOf(rules.terms.queue?.retry ?? DEFAULT_RETRY, retry),
  });
  return {
    ...said(rest),
    from: sender,
    input: input === undefined ? {} : input,
    ...(notBefore === undefined ? {} : { notBefore: Date.parse(notBefore) }),
    ...(Object.keys(terms).length === 0 ? {} : { terms }),
    ...key,
  } as SendRequest;
}

function retryOf(base: RetryPolicy, { max, delaySeconds, multiplier }: NonNullable<SendBody['retry']>): RetryPolicy {
  return {
    ...base,
    retriesMax: max ?? base.retriesMax,
    delayMs: delaySeconds === undefined ? base.delayMs : Math.min(toMilliseconds(delaySeconds), base.capMs),
    multiplier: multiplier ?? base.multiplier,
  };
}

type Said<Thing> = { [Key in keyof Thing]: Exclude<Thing[Key], undefined> };

/** Without what was not said. */
export function said<Thing extends object>(thing: Thing): Partial<Said<Thing>> {
  return Object.fromEntries(Object.entries(thing).filter(([, value]) => value !== undefined)) as Partial<Said<Thing>>;
}
