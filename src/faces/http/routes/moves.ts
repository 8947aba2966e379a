/** One entry for each move of a handoff that is there. */
import type { Result } from '../../../foundation/result.ts';
import type { Handoff } from '../../../domain/handoff.ts';
import type { HandoffId } from '../../../domain/names.ts';
import type { Principal } from '../../../domain/principal.ts';
import { isHidden } from '../../../domain/rights.ts';
import { toMilliseconds } from '../../../dialects/seconds.ts';
import { expecting } from '../../../engine/expecting.ts';
import type { Surroundings } from '../../../engine/surroundings.ts';
import { accept, renew } from '../../../engine/verbs/accept.ts';
import { activate } from '../../../engine/verbs/activate.ts';
import { block, unblock } from '../../../engine/verbs/block.ts';
import { deliver } from '../../../engine/verbs/deliver.ts';
import { cancel, reject } from '../../../engine/verbs/end.ts';
import { fail } from '../../../engine/verbs/fail.ts';
import { progress } from '../../../engine/verbs/progress.ts';
import { release } from '../../../engine/verbs/release.ts';
import { retry } from '../../../engine/verbs/retry.ts';
import type { SendRefusal } from '../../../engine/verbs/send.ts';
import { sendBack, verify } from '../../../engine/verbs/verify.ts';
import { MOVE_BODIES, MOVE_NAMES, type MoveBody, type MoveName } from '../../shared/requests.ts';
import { HandoffShape } from '../../shared/view-shapes.ts';
import { handoffView } from '../../shared/views.ts';
import { endpoint, idIn, json, type Asked, type Endpoint } from '../contract.ts';
import { entityTag, expectedRevision } from '../entity-tags.ts';
import { goneOrStopping } from '../gone.ts';
import { httpProblem, problemOf } from '../problem.ts';
import { requestKey, said } from './handoffs.ts';

interface Wanted<Name extends MoveName> {
  readonly around: Surroundings;
  readonly principal: Principal;
  readonly id: HandoffId;
  readonly body: MoveBody<Name>;
  readonly requestId?: string;
  readonly signal: AbortSignal;
}

type Verb<Name extends MoveName> = (wanted: Wanted<Name>) => Promise<Result<Handoff, SendRefusal>>;

const VERBS: { readonly [Name in MoveName]: Verb<Name> } = {
  activate: ({ around, principal, id }) => activate(around, principal, id),
  accept: ({ around, principal, id, body: { notes, leaseSeconds } }) =>
    accept(around, principal, id, said({ notes, leaseMs: ms(leaseSeconds) })),
  reject: ({ around, principal, id, body: { fence, type, reason } }) =>
    reject(around, principal, id, { type, reason, fence: fence ?? null }),
  release: ({ around, principal, id, body }) => release(around, principal, id, body.fence ?? null),
  renew: ({ around, principal, id, body }) => renew(around, principal, id, body.fence ?? null, ms(body.leaseSeconds)),
  progress: ({ around, principal, id, body: { fence, fraction, says } }) =>
    progress(around, principal, id, fence ?? null, { fraction: fraction ?? null, says: says ?? null }),
  deliver: ({ around, principal, id, body: { fence, result, evidence }, signal }) =>
    deliver(around, principal, {
      target: id,
      fence: fence ?? null,
      result: result ?? null,
      evidence: evidence ?? [],
      signal,
    }),
  fail: ({ around, principal, id, body: { fence, code, message } }) =>
    fail(around, principal, { target: id, fence: fence ?? null, failure: { code, message } }),
  block: ({ around, principal, id, body: { fence, question } }) =>
    block(around, principal, id, fence ?? null, question),
  unblock: ({ around, principal, id, body }) => unblock(around, principal, id, body.answer ?? null),
  verify: ({ around, principal, id, body: { notes, criteria, refuse, rework }, signal }) => {
    if (refuse !== undefined) {
      if (rework === true) return sendBack(around, principal, id, refuse);
      return reject(around, principal, id, { type: 'verification', reason: refuse });
    }
    const met = (criteria ?? []).map(({ criterion, says }) => ({ criterion, says: says ?? '' }));
    return verify(around, principal, { id, criteria: met, ...said({ notes }) }, signal);
  },
  cancel: ({ around, principal, id, body }) => cancel(around, principal, id, body.reason ?? null),
  retry: ({ around, principal, id, body: { input, timeoutSeconds, queue }, requestId }) =>
    retry(around, principal, { id, ...said({ input, attemptTimeoutMs: ms(timeoutSeconds), queue, requestId }) }),
};

const SUMMARIES: Readonly<Record<MoveName, string>> = {
  activate: 'Offer a draft',
  accept: 'Take it by hand; the answer has the fence',
  reject: 'Refuse it, with a type and a reason',
  release: 'Give it back',
  renew: 'Keep it for longer',
  progress: 'Tell how far it is',
  deliver: 'Say that it is done, with the result and evidence',
  fail: 'Say that the attempt failed',
  block: 'Ask a question; it waits for the answer',
  unblock: 'Answer, and let it go on',
  verify: 'Agree that it is done, or refuse, or send it back',
  cancel: 'Take it back',
  retry: 'Make a new one out of one that did not succeed',
};

export const MOVES: readonly Endpoint[] = MOVE_NAMES.map((name) =>
  endpoint({
    method: 'post',
    path: `/api/handoffs/{id}/${name}`,
    scope: 'write',
    summary: SUMMARIES[name],
    headers: {
      'If-Match': 'The ETag that the change is meant for; 412 when it has moved on.',
      ...(name === 'retry' ? { 'Idempotency-Key': 'Kept for 7 days.' } : {}),
    },
    body: MOVE_BODIES[name],
    answers: name === 'retry' ? { 201: 'The new handoff.' } : { 200: 'The handoff after it.', 412: 'It has moved on.' },
    gives: HandoffShape,
    answer: (asked) => moved(name, asked),
  }),
);

async function moved(name: MoveName, { premises, caller, c, body }: Asked): Promise<Response> {
  const id = idIn(c);
  const revision = expectedRevision(c);
  if (revision !== null) await mustStillBe(premises.around, caller.principal, id, revision);
  const expected = revision === null ? null : expecting(premises.around, caller.principal, id, revision);
  const verb = VERBS[name] as Verb<MoveName>;
  const answer = await verb({
    around: expected?.around ?? premises.around,
    principal: caller.principal,
    id,
    body: body as never,
    ...requestKey(c),
    signal: goneOrStopping(premises, c),
  });
  premises.hub.nudge();
  if (!answer.ok) throw expected?.passed() === true ? passedBy(id) : problemOf(answer.refusal);
  const headers = { etag: entityTag(answer.value) };
  if (name !== 'retry') return json(handoffView(answer.value), 200, headers);
  return json(handoffView(answer.value), 201, { ...headers, location: `/api/handoffs/${answer.value.id}` });
}

/** Said first, so that a refusal for another reason does not hide that somebody else was faster. */
async function mustStillBe(
  { store }: Surroundings,
  principal: Principal,
  id: HandoffId,
  revision: number,
): Promise<void> {
  const { items } = await store.find({ by: 'ids', ids: [id] });
  const [handoff] = items;
  if (handoff === undefined || isHidden(principal, handoff)) throw problemOf({ code: 'no-such-handoff', id });
  if (handoff.revision !== revision) throw passedBy(id);
}

function passedBy(id: HandoffId): Error {
  return httpProblem('revision-passed', `${id} has moved on since you looked; look again`, { id });
}

function ms(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : toMilliseconds(seconds);
}
