/** Running agents: their context, their handovers, and their hooks. */
import * as z from 'zod';
import { SUCCESSION_REASONS } from '../../../domain/succession.ts';
import { beginSuccession, CONTEXT_MAX } from '../../../engine/succession/begin.ts';
import { planFor } from '../../../engine/succession/supervise.ts';
import type { AgentSession } from '../../../domain/agent-session.ts';
import type { Principal } from '../../../domain/principal.ts';
import { agentSessionView, agentWording, stepsView, triggerFacts } from '../../shared/agent-views.ts';
import { AgentSessionShape } from '../../shared/view-shapes.ts';
import type { Caller } from '../caller.ts';
import { endpoint, json, type Endpoint, type HttpContext } from '../contract.ts';
import { httpProblem } from '../problem.ts';
import { requestSignal } from '../long-request.ts';
import type { ServerContext } from '../server-context.ts';

const SESSIONS_MAX = 200;
const FACTS_MAX = 1_000;
const AGENT_NUMBER = /^[1-9][0-9]{0,14}$/;

const HandoffRequest = z.strictObject({
  reason: z.enum(SUCCESSION_REASONS).optional().describe('Why; default manual.'),
  context: z.string().max(CONTEXT_MAX).nullable().optional().describe('What the agent should mention in its document.'),
});

const HookQuery = z.strictObject({
  agent: z
    .string()
    .regex(AGENT_NUMBER, { message: 'the number of an agent, such as 1' })
    .describe('The number of the agent whose hook this is.'),
  vendor: z.enum(['claude', 'codex', 'gemini', 'command']).optional().describe('Default claude.'),
});

export const AGENT_ROUTES: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/agents/{id}',
    scope: 'read',
    summary: 'Show a running agent, with the steps of its handover',
    answers: { 200: 'The agent, if there is one with this number that you may see.' },
    responseShape: AgentSessionShape,
    answer: async ({ serverContext: { ctx }, caller, c }) => {
      const session = await visibleSession(ctx.store, caller, c);
      const handoff = session.succession?.handoff ?? session.lastSuccession?.handoff ?? null;
      const facts = handoff === null ? [] : await ctx.store.facts({ handoff, max: FACTS_MAX });
      return json({ ...agentSessionView(session), steps: stepsView(facts.map(({ fact }) => fact)) });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/agents/{id}/handoff',
    scope: 'write',
    summary: 'Replace an agent by a successor of the same persona, with a handoff document',
    about:
      'Answers at once with status `initiated`; the steps follow as facts of the handoff, and a failure as the event `handoff_error`. ' +
      'Refusals have `error`: `not_found`, `not_active`, `no_persona`, `no_tmux_pane`, `already_in_progress`.',
    body: HandoffRequest,
    answers: {
      200: '{ status: "initiated", agent_id, handoff, file_path }',
      400: 'It is not active, has no persona, or has no pane.',
      404: 'There is no such agent.',
      409: 'A handover is under way for it.',
    },
    responseShape: z.strictObject({
      status: z.literal('initiated'),
      agent_id: z.int(),
      handoff: z.string(),
      file_path: z.string(),
    }),
    answer: async ({ serverContext, caller, body, c }) => {
      const { ctx } = serverContext;
      const successions = mustHaveAgents(serverContext);
      const { id } = await visibleSession(ctx.store, caller, c);
      const { reason = 'manual', context = null } = body;
      const drive = { ctx, runtime: successions.runtime, signal: requestSignal(serverContext, c) };
      const plan = await planFor(drive, id, reason);
      const begun = await beginSuccession(ctx, successions.runtime, caller.principal, id, { reason, context, plan });
      if (!begun.ok) throw httpProblem(begun.refusal.code, agentWording(begun.refusal), triggerFacts(begun.refusal));
      successions.driveNow();
      serverContext.hub.wake();
      const { handoff, documentPath } = begun.value.begun;
      return json({ status: 'initiated', agent_id: id, handoff, file_path: documentPath });
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/hooks/{event}',
    scope: 'write',
    summary: 'Receive a hook call of an agent that posts its hooks instead of running a command',
    about: 'The body is the input of the hook; the response is the output of the hook, for the program of the agent.',
    query: HookQuery,
    body: z.looseObject({}),
    answers: { 200: 'A JSON object; empty if there is nothing to announce.' },
    responseShape: z.looseObject({}),
    answer: async ({ serverContext, caller, query, body, c }) => {
      const successions = mustHaveAgents(serverContext);
      const id = Number(query.agent);
      const session = mustSee(caller.principal, id, await serverContext.ctx.store.agents.load(id));
      const event = c.req.param('event') ?? '';
      const hook = { vendor: query.vendor ?? 'claude', event, payload: body };
      return json(
        (await successions.runtime.journal.record(id, hook)) ?? (await successions.wake(session, hook)) ?? {},
      );
    },
  }),
];

function mustHaveAgents({ successions }: ServerContext): NonNullable<ServerContext['successions']> {
  if (successions !== null) return successions;
  throw httpProblem('no-workspace', 'agents belong to a workspace, and this server has none');
}

/** Newest first. The operator sees all sessions, an agent those of its own persona. */
export async function sessionsFor({ ctx }: ServerContext, { principal }: Caller): Promise<readonly object[]> {
  const sessions = await ctx.store.agents.list({ max: SESSIONS_MAX });
  return sessions.filter((session) => maySee(principal, session)).map(agentSessionView);
}

function maySee(principal: Principal, { persona }: AgentSession): boolean {
  return principal.kind === 'operator' || (principal.kind === 'agent' && principal.agent === persona);
}

/** Callers who may not see the session get the same answer as for one that does not exist. */
function mustSee(principal: Principal, id: number, session: AgentSession | null): AgentSession {
  if (session !== null && maySee(principal, session)) return session;
  throw httpProblem('agent-not-found', `there is no agent ${id} that you may see`, {
    error: 'not_found',
    id,
  });
}

async function visibleSession(
  { agents }: ServerContext['ctx']['store'],
  { principal }: Caller,
  c: HttpContext,
): Promise<AgentSession> {
  const text = c.req.param('id') ?? '';
  if (AGENT_NUMBER.test(text)) return mustSee(principal, Number(text), await agents.load(Number(text)));
  const says = `there is no agent ${JSON.stringify(text.slice(0, 100))}: agents have numbers`;
  throw httpProblem('agent-not-found', says, { error: 'not_found' });
}
