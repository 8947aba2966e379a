/** One endpoint for each operation, made from its definition. HTTP adds conditional requests, keys and long requests. */
import type * as z from 'zod';
import type { Handoff } from '../../../domain/handoff.ts';
import type { HandoffId } from '../../../domain/names.ts';
import type { Principal } from '../../../domain/principal.ts';
import { isHidden, may } from '../../../domain/rights.ts';
import { expectRevision } from '../../../engine/expected-revision.ts';
import { trackKnownRequests } from '../../../engine/known-requests.ts';
import type { Context } from '../../../engine/context.ts';
import { count as countWanted } from '../../../engine/handoffs/read.ts';
import type { StateCounts, StoredHandoff } from '../../../stores/store.ts';
import { isFinal } from '../../../domain/lifecycle.ts';
import type { Fields, InputOf } from '../../../operations/field.ts';
import { storeFilter } from '../../../operations/list.ts';
import { MOVES, OPERATIONS } from '../../../operations/index.ts';
import { readFor, runFor, type Operation, type ResultName, type Results } from '../../../operations/operation.ts';
import { AS_JSON, AS_QUERY, issuesText } from '../../../operations/reading.ts';
import { withFullIds } from '../../../operations/short-ids.ts';
import type { BlockAnswer } from '../../../engine/handoffs/ingest-text.ts';
import { entryOf } from '../../../formats/artifact/card.ts';
import { ingestRefusalText } from '../../shared/ingest-refusal-text.ts';
import { PROBLEMS } from '../../shared/problems.ts';
import { IngestedShape, ReportShape, WorkflowsShape } from '../../shared/report/shapes.ts';
import { reportView, workflowView } from '../../shared/report/view.ts';
import { pauseView, prunedView, scheduleView, undeliveredView } from '../../shared/record-views.ts';
import { readTraceparent } from '../../shared/trace-context.ts';
import {
  ArtifactShape,
  ArtifactsShape,
  ChainShape,
  CleanedShape,
  PrunedShape,
  FactsShape,
  HandoffShape,
  InboxShape,
  PageShape,
  PauseShape,
  PausesShape,
  ResentShape,
  ScheduleShape,
  SchedulesShape,
  SettledShape,
  ShownShape,
  StatusShape,
  UndeliveredShape,
  WholeArtifactShape,
  WholeShape,
} from '../../shared/view-shapes.ts';
import { factView, handoffView, statusView, wholeView } from '../../shared/views.ts';
import type { Caller } from '../caller.ts';
import { endpoint, json, type RouteRequest, type Endpoint, type HttpContext } from '../contract.ts';
import { entityTag, expectedRevision, isKnown } from '../entity-tags.ts';
import { BEGINNING } from '../events/hub.ts';
import { openLongRequest, requestSignal } from '../long-request.ts';
import { HttpProblem, httpProblem, problemOf } from '../problem.ts';

const KEY_MAX = 500;

interface Answer<Value> {
  readonly answers: Readonly<Record<number, string>>;
  readonly responseShape: z.ZodType;
  readonly headers?: Readonly<Record<string, string>>;
  respond(value: Value, asked: RouteRequest): Response | Promise<Response>;
}

function showing<Value>(says: string, responseShape: z.ZodType, view: (value: Value) => object): Answer<Value> {
  return { answers: { 200: says }, responseShape, respond: (value) => json(view(value)) };
}

function listing<Item>(
  responseShape: z.ZodType,
  view: (item: Item) => object,
  says = '{ items }',
): Answer<readonly Item[]> {
  return showing(says, responseShape, (all) => ({ items: all.map((item) => view(item)) }));
}

/** How each kind of result is answered. */
const ANSWERS: { readonly [Name in ResultName]: Answer<Results[Name]> } = {
  handoff: {
    answers: { 200: 'The changed handoff.', 412: 'The handoff has changed.' },
    responseShape: HandoffShape,
    respond: (handoff) => json(handoffView(handoff), 200, { etag: entityTag(handoff) }),
  },
  created: {
    answers: { 201: 'The new handoff.' },
    responseShape: HandoffShape,
    respond: (handoff) =>
      json(handoffView(handoff), 201, { etag: entityTag(handoff), location: `/api/handoffs/${handoff.id}` }),
  },
  claimed: {
    answers: { 200: 'The handoff with its input and fence.', 204: 'Nothing was offered within the time.' },
    responseShape: WholeShape,
    respond: (claimed) =>
      claimed === null
        ? new Response(null, { status: 204 })
        : json(wholeView({ ...claimed, outcome: null }), 200, { etag: entityTag(claimed.handoff) }),
  },
  page: {
    answers: { 200: 'A page of the list.' },
    responseShape: PageShape,
    respond: async ({ items, next, cursor }, { serverContext: { notes } }) =>
      json({ items: await notes.rows(items), next, cursor: cursor === '' ? BEGINNING : cursor }),
  },
  shown: {
    answers: { 200: 'The handoff with facts; its revision is the ETag.', 304: 'The handoff has not changed.' },
    headers: { 'If-None-Match': 'The ETag of your copy; 304 when the handoff has not changed.' },
    responseShape: ShownShape,
    respond: ({ facts, ...whole }, { caller, c }) => {
      const headers = { etag: entityTag(whole.handoff), 'cache-control': 'no-cache' };
      if (isKnown(c, headers.etag)) return new Response(null, { status: 304, headers });
      return json(
        { ...wholeView(whole), facts: facts.map(factView), may: movesFor(caller, whole.handoff) },
        200,
        headers,
      );
    },
  },
  facts: listing(FactsShape, factView, 'All facts of the handoff.'),
  chain: {
    answers: { 200: 'The legs.' },
    responseShape: ChainShape,
    // The caller may not see the root, so its id is taken from the lineage of a visible leg.
    respond: (chain, { c }) =>
      json({
        root: chain[0]?.lineage.root ?? chain[0]?.id ?? c.req.param('id') ?? '',
        items: chain.map(handoffView),
      }),
  },
  settled: {
    answers: {
      200: 'The handoff with `settled`: true when it has ended, in whatever state; false, below /api/v1 only, when the time ran out first.',
      408: 'Below /api only: not settled yet; ask again.',
    },
    responseShape: SettledShape,
    respond: (whole) =>
      json({ ...wholeView(whole), settled: isFinal(whole.handoff.state) }, 200, { etag: entityTag(whole.handoff) }),
  },
  status: showing('The parts that the caller may see.', StatusShape, statusView),
  inbox: {
    answers: { 200: 'Its notifications, and the work that waits for it, oldest first.' },
    responseShape: InboxShape,
    respond: ({ entries, waiting }) => json({ items: entries, waiting: waiting.map(handoffView) }),
  },
  ingested: {
    answers: { 200: '{ blocks }, in the order of the text.' },
    responseShape: IngestedShape,
    respond: (blocks) => json({ blocks: blocks.map(blockView) }),
  },
  workflows: listing(WorkflowsShape, workflowView),
  report: showing('The report.', ReportShape, reportView),
  schedule: showing('The schedule.', ScheduleShape, scheduleView),
  schedules: listing(SchedulesShape, scheduleView),
  pause: showing('The pause.', PauseShape, pauseView),
  pauses: listing(PausesShape, pauseView),
  undelivered: listing(UndeliveredShape, undeliveredView),
  resent: showing('The delivery is retried.', ResentShape, (key) => ({ key })),
  artifacts: listing(ArtifactsShape, entryOf),
  artifact: {
    answers: { 200: 'The artifact.' },
    responseShape: WholeArtifactShape,
    respond: ({ card, file, changed, dependents }) => json({ ...entryOf(card), changed, dependents, artifact: file }),
  },
  registered: {
    answers: { 201: 'The entry in the registry.' },
    responseShape: ArtifactShape,
    respond: (card) => json(entryOf(card), 201),
  },
  pruned: showing('The handoffs that were removed, or would be.', PrunedShape, prunedView),
  cleaned: showing('{ applied, deprecated, changes }', CleanedShape, (cleaned) => cleaned),
};

/** The moves that the caller may make now, for clients that show buttons. Only the table of rights knows them. */
function movesFor({ principal, scopes }: Caller, handoff: Handoff): readonly string[] {
  if (!scopes.includes('write')) return [];
  return Object.values(MOVES)
    .filter(({ permission }) => permission !== 'operator' && may(principal, permission, handoff).ok)
    .map(({ name }) => name);
}

function blockView({ refusal, ...answer }: BlockAnswer): object {
  if (refusal === undefined) return answer;
  const { code } = refusal;
  return { ...answer, refusal: { code, detail: ingestRefusalText(refusal), retryable: PROBLEMS[code].retryable } };
}

export const OPERATION_ROUTES: readonly Endpoint[] = Object.values(OPERATIONS).map((operation: Operation) => {
  const { name, summary, about, scope, input, result } = operation;
  const { method, path } = operation.route ?? { method: 'post', path: `/api/handoffs/{id}/${name}` };
  const { answers, responseShape, headers = {} } = ANSWERS[result];
  return endpoint({
    method,
    path,
    scope,
    summary,
    ...(about === undefined ? {} : { about }),
    headers: {
      ...headers,
      ...(changesOne(operation)
        ? { 'If-Match': 'The ETag of the revision to change; 412 when the handoff has changed.' }
        : {}),
      ...('requestId' in input ? { 'Idempotency-Key': 'The same as requestId. Kept for 7 days.' } : {}),
      ...('context' in input
        ? { traceparent: 'Stored in the context, unless the context has one or the request has an Idempotency-Key.' }
        : {}),
    },
    operation,
    answers,
    responseShape,
    answer: (asked) => answerOf(operation, asked),
  });
});

function changesOne({ scope, result }: Operation): boolean {
  return scope === 'write' && result === 'handoff';
}

async function answerOf(operation: Operation, asked: RouteRequest): Promise<Response> {
  try {
    const { serverContext } = asked;
    const requests = 'requestId' in operation.input ? trackKnownRequests(serverContext.ctx) : null;
    const ctx = requests?.ctx ?? serverContext.ctx;
    const value = await runOperation(operation, { ...asked, serverContext: { ...serverContext, ctx } });
    const response = await ANSWERS[operation.result].respond(value as never, asked);
    if (requests?.wasKnown() === true) response.headers.set('idempotency-replayed', 'true');
    return response;
  } catch (error) {
    const whole = operation.result === 'settled' ? await timedOutAnswer(error, asked) : null;
    if (whole === null) throw error;
    return ANSWERS.settled.respond(whole, asked);
  }
}

/** A wait that timed out answers 200 below `/api/v1` only: clients of `/api` take 200 for settled. Null: another problem. */
async function timedOutAnswer(
  error: unknown,
  { serverContext: { ctx }, c }: RouteRequest,
): Promise<StoredHandoff | null> {
  const isOver = error instanceof HttpProblem && error.code === 'timed-out' && c.req.path.startsWith('/api/v1/');
  return isOver ? ctx.store.load(c.req.param('id') as HandoffId) : null;
}

/** How many handoffs a list with these filters has, by state. */
export async function countedBy(asked: RouteRequest, without: readonly string[]): Promise<StateCounts> {
  const { serverContext, caller } = asked;
  const strange = without.find((name) => name in (asked.body as Given));
  if (strange !== undefined) throw httpProblem('bad-request', `${strange}: there is no such field here`);
  const { limit, after, sort, ...filter } = inputOf(OPERATIONS.list, asked, {}) as InputOf<
    typeof OPERATIONS.list.input
  >;
  void [limit, after, sort];
  const isAll = Object.keys(filter).length === 0 && caller.principal.kind === 'operator';
  return isAll ? serverContext.totals() : countWanted(serverContext.ctx, caller.principal, storeFilter(filter));
}

/** `more`: fields that the route sets. */
export async function runOperation<F extends Fields, Name extends ResultName>(
  operation: Operation<F, Name>,
  asked: RouteRequest,
  more: Given = {},
): Promise<Results[Name]> {
  const { serverContext, caller, c } = asked;
  const { principal } = caller;
  const read: Given = inputOf(operation, asked, more);
  const whole = await withFullIds(operation.input, read as never, serverContext.ctx, principal);
  if (!whole.ok) throw problemOf(whole.refusal);
  const input: Given = whole.value;
  const held = waitsFor(operation, input) > 0 ? openLongRequest(serverContext, c, caller, 'wait') : null;
  const revision = changesOne(operation) ? expectedRevision(c) : null;
  const id = input['id'] as HandoffId;
  if (revision !== null) await requireRevision(serverContext.ctx, principal, id, revision);
  const expected = revision === null ? null : expectRevision(serverContext.ctx, principal, id, revision);
  const answer = await runFor(operation, expected?.ctx ?? serverContext.ctx, principal, input as never, {
    signal: held?.signal ?? requestSignal(serverContext, c),
    isTokenValid: caller.isStillValid,
    readProjects: serverContext.projects.read,
    ...(serverContext.project === null ? {} : { project: serverContext.project }),
  });
  if (operation.scope === 'write') serverContext.hub.wake();
  held?.requireValidToken();
  if (answer.ok) return answer.value;
  throw expected?.wasStale() === true ? passedBy(id) : problemOf(answer.refusal);
}

type Given = Readonly<Record<string, unknown>>;

function inputOf(operation: Operation, { caller: { principal }, body, c }: RouteRequest, more: Given): Given {
  const { input, route } = operation;
  const asked = body as Given;
  const elsewhere = route?.without?.find((name) => name in asked);
  if (elsewhere !== undefined) throw httpProblem('bad-request', `${elsewhere}: there is no such field here`);
  const given = { ...asked, ...more, ...('requestId' in input ? requestKey(c) : {}) };
  const self = principal.kind === 'agent' ? principal.agent : null;
  const spelling = route?.method === 'get' ? AS_QUERY : AS_JSON;
  const read = readFor(operation, 'context' in input ? withTraceContext(given, c) : given, spelling, self);
  if (read.ok) return read.value;
  const issues = read.refusal.map(({ field, says }) => ({ field, says }));
  throw httpProblem('bad-request', issuesText(read.refusal), { issues });
}

function waitsFor({ waits }: Operation, input: Given): number {
  const ms = waits === undefined ? 0 : input[waits];
  return typeof ms === 'number' ? ms : 0;
}

/** The header that stands for a request id. Without it, every request is new. */
function requestKey(c: HttpContext): { readonly requestId?: string } {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return {};
  if (key.trim() !== '' && key.length <= KEY_MAX) return { requestId: key };
  throw httpProblem('bad-request', `Idempotency-Key: 1 to ${KEY_MAX} characters`);
}

/** Puts the trace of the request into the context. Not with a key, because a retry would have other content. */
function withTraceContext(given: Given, c: HttpContext): Given {
  const traceparent = c.req.header('traceparent');
  const context = given['context'] ?? {};
  const isObject = typeof context === 'object' && !Array.isArray(context);
  if ('requestId' in given || readTraceparent(traceparent) === null || !isObject) return given;
  return { ...given, context: { traceparent: traceparent ?? '', ...context } };
}

/** Checked first, so that another refusal does not hide that the handoff has changed. */
async function requireRevision(
  { store }: Context,
  principal: Principal,
  id: HandoffId,
  revision: number,
): Promise<void> {
  const { items } = await store.find({ by: 'ids', ids: [id] });
  const handoff: Handoff | undefined = items[0];
  if (handoff === undefined || isHidden(principal, handoff)) throw problemOf({ code: 'no-such-handoff', id });
  if (handoff.revision !== revision) throw passedBy(id);
}

function passedBy(id: HandoffId): Error {
  return httpProblem('revision-passed', `${id} has changed since you read it; read it again`, { id });
}
