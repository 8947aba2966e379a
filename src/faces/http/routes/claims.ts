/** Taking the next one by hand, and reading what one was told. */
import type { JsonObject } from '../../../foundation/json.ts';
import type { AgentId } from '../../../domain/names.ts';
import { principalText } from '../../../domain/principal.ts';
import { toMilliseconds } from '../../../dialects/seconds.ts';
import { claimByHand } from '../../../engine/verbs/claim.ts';
import { release } from '../../../engine/verbs/release.ts';
import type { Surroundings } from '../../../engine/surroundings.ts';
import type { Claimed } from '../../../stores/store.ts';
import { AgentName, ClaimBody, PageQuery } from '../../shared/requests.ts';
import { InboxShape, WholeShape } from '../../shared/view-shapes.ts';
import { wholeView } from '../../shared/views.ts';
import type { Caller } from '../caller.ts';
import { endpoint, json, type Endpoint, type HttpContext } from '../contract.ts';
import { entityTag } from '../entity-tags.ts';
import { goneOrStopping } from '../gone.ts';
import { hold } from '../held.ts';
import { httpProblem } from '../problem.ts';

const PAGE = 50;

export const CLAIMS: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/claims',
    scope: 'write',
    summary: 'Take the next handoff offered to you',
    about: 'With waitSeconds it waits for one to come; whoever hangs up takes nothing.',
    body: ClaimBody,
    answers: { 200: 'The handoff with its input and fence.', 204: 'Nothing was offered in that time.' },
    gives: WholeShape,
    answer: async ({ premises, caller, body, c }) => {
      const agent = agentOf(caller, body.agent);
      const waitMs = toMilliseconds(body.waitSeconds ?? 0);
      const leaseMs = body.leaseSeconds === undefined ? undefined : toMilliseconds(body.leaseSeconds);
      const held = waitMs > 0 ? hold(premises, c, caller, 'wait') : null;
      const signal = held?.signal ?? goneOrStopping(premises, c);
      const claimed = await claimWithin(premises.around, caller, agent, { waitMs, leaseMs, signal });
      if (claimed === null) {
        held?.mustStillBeGood();
        return new Response(null, { status: 204 });
      }
      premises.hub.nudge();
      // The token may have ended in the moment of taking, after its leases were given back.
      if (!(await caller.stillGood())) {
        await release(premises.around, caller.principal, claimed.handoff.id, claimed.handoff.fence);
        throw httpProblem('token-refused', 'the token has ended; what it was about to take is offered again');
      }
      // It hung up in the moment of taking: nobody would do it before the lease is over.
      if (signal.aborted) await release(premises.around, caller.principal, claimed.handoff.id, claimed.handoff.fence);
      return json(wholeView({ ...claimed, outcome: null }), 200, { etag: entityTag(claimed.handoff) });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/inbox/{agent}',
    scope: 'read',
    summary: 'What an agent was told and has not put away',
    query: PageQuery,
    answers: { 200: 'What it was told, oldest first.' },
    gives: InboxShape,
    answer: async ({ premises: { around }, caller, query, c }) => {
      const agent = inboxOf(caller, c);
      const entries = await around.store.outbox.inbox(agent, query.limit ?? PAGE);
      return json({ items: entries.map(({ key, payload }) => ({ key, ...(JSON.parse(payload) as JsonObject) })) });
    },
  }),
  endpoint({
    method: 'delete',
    path: '/api/inbox/{agent}',
    scope: 'write',
    summary: 'Put away what lies in an inbox now',
    query: PageQuery,
    answers: { 200: '{ cleared }' },
    answer: async ({ premises: { around }, caller, query, c }) => {
      const agent = inboxOf(caller, c);
      const entries = await around.store.outbox.inbox(agent, query.limit ?? PAGE);
      await around.store.outbox.done(entries.map(({ key }) => key));
      return json({ cleared: entries.length });
    },
  }),
];

/** What is offered to an agent is for that agent; its name in the body is only compared. */
function agentOf({ principal }: Caller, named: AgentId | undefined): AgentId {
  if (principal.kind === 'agent' && (named === undefined || named === principal.agent)) return principal.agent;
  const whose = named === undefined ? 'somebody with a name' : `@${named}`;
  throw httpProblem('not-yours', `${principalText(principal)} cannot take what is offered to ${whose}`);
}

/** An inbox is its agent's: nobody but the operator looks into it beside. */
function inboxOf({ principal }: Caller, c: HttpContext): AgentId {
  const read = AgentName.safeParse(c.req.param('agent') ?? '');
  if (!read.success) throw httpProblem('bad-request', `agent: ${read.error.issues[0]?.message ?? ''}`);
  const own = principal.kind === 'operator' || (principal.kind === 'agent' && principal.agent === read.data);
  if (!own) throw httpProblem('not-yours', `this is the inbox of @${read.data}`);
  return read.data;
}

async function claimWithin(
  around: Surroundings,
  { principal, stillGood }: Caller,
  agent: AgentId,
  {
    waitMs,
    leaseMs,
    signal,
  }: { readonly waitMs: number; readonly leaseMs: number | undefined; readonly signal: AbortSignal },
): Promise<Claimed | null> {
  const over = new AbortController();
  const end = (): void => over.abort('over');
  signal.addEventListener('abort', end, { once: true });
  if (waitMs > 0) void around.timers.sleep(waitMs, over.signal).then(end);
  try {
    for (;;) {
      const hint = around.store.changed({ kind: 'offers', agent }, over.signal);
      // Whoever has hung up would never learn what it holds.
      const claimed = signal.aborted ? null : await claimByHand(around, principal, agent, leaseMs);
      if (claimed !== null || waitMs === 0 || over.signal.aborted) return claimed;
      await hint;
      if (!(await stillGood())) throw httpProblem('token-refused', 'the token has ended while it waited');
    }
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
