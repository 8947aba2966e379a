/** The workspace as a whole: agents and their load, the numbers of the charts, and the files in quarantine. */
import { instantOrNull, instantText } from '../../../foundation/instant-text.ts';
import { may, readScopeOf } from '../../../domain/rights.ts';
import * as z from 'zod';
import { pausesFor } from '../../../engine/pauses.ts';
import { list } from '../../../operations/list.ts';
import { policyView } from '../../shared/policy-view.ts';
import { PageQuery } from '../../shared/requests.ts';
import {
  AgentsShape,
  AttemptsShape,
  AttentionShape,
  PolicyShape,
  QuarantineShape,
  SummaryShape,
  TotalsShape,
} from '../../shared/view-shapes.ts';
import { attentionFor } from '../attention.ts';
import type { Caller } from '../caller.ts';
import { endpoint, json, type Endpoint } from '../contract.ts';
import type { ServerContext } from '../server-context.ts';
import type { AgentRecord, Attempt } from '../attempts.ts';
import { BOUNDS, percentileMs } from '../counters.ts';
import { httpProblem } from '../problem.ts';
import { sessionsFor } from './agents.ts';
import { countedBy } from './operations.ts';

const OLDEST_MAX = 20;
/** Parameters of a list that a count does not take. */
const PAGING = ['limit', 'max', 'after', 'sort'];
const ATTENTION_MAX = 100;
/** A limit of 0 answers only the counts. */
const AttentionQuery = z.strictObject({
  limit: z
    .string()
    .regex(/^[0-9]{1,3}$/, { message: 'a whole number from 0 to 999' })
    .transform(Number)
    .optional(),
});
const AttemptsQuery = z.strictObject({
  minutes: z.enum(['15', '60', '180', '720']).optional().describe('The number of minutes back; default 60.'),
});
const QUARANTINE_MAX = 100;

export const OVERVIEW_ROUTES: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/agents',
    scope: 'read',
    summary: 'List the known agents, with their load and limits',
    about:
      'Known agents are those in baton.yaml, those with a worker, and senders, recipients and verifiers of open handoffs and of the newest settled ones. ' +
      'With the token of an agent: agents in baton.yaml, and senders and recipients of open handoffs that the token may read; loads count only these handoffs.',
    answers: { 200: 'All of them, by name.' },
    responseShape: AgentsShape,
    answer: async ({ serverContext, caller }) =>
      json({ items: await agentsOf(serverContext, caller), sessions: await sessionsFor(serverContext, caller) }),
  }),
  endpoint({
    method: 'get',
    path: '/api/metrics-summary',
    scope: 'read',
    operatorOnly: true,
    summary: 'Numbers for charts: throughput, time in each state, failures by code, oldest waiting handoffs',
    about:
      'Counted from the newest 20,000 facts at the start of the server and all facts since then; from `since` on, the numbers are complete.',
    answers: { 200: 'The numbers.' },
    responseShape: SummaryShape,
    answer: async ({ serverContext: { counters, notes } }) =>
      json({
        since: counters.since() === 0 ? null : instantText(counters.since()),
        minutes: counters.minutes().map(({ at, ...counts }) => ({ at: instantText(at), ...counts })),
        boundsSeconds: BOUNDS,
        timeInState: Object.fromEntries(
          [...counters.timeIn()].map(([state, spent]) => [
            state,
            { ...spent, p50Ms: percentileMs(spent, 50), p95Ms: percentileMs(spent, 95) },
          ]),
        ),
        failures: [...counters.failures()]
          .map(([code, count]) => ({ code, count }))
          .toSorted((a, b) => b.count - a.count),
        open: counters.open(),
        oldestWaiting: await notes.rows(counters.oldestWaiting(OLDEST_MAX)),
      }),
  }),
  endpoint({
    method: 'get',
    path: '/api/attention',
    scope: 'read',
    summary: 'List handoffs that need a person, the most urgent first, with totals',
    about:
      'Questions, deliveries to review, offers and drafts that expire within ten minutes, handoffs that failed within a day and were not retried, and handoffs with failed attempts that are retried. ' +
      'With the token of an agent: only handoffs that the agent may answer, review or retry.',
    query: AttentionQuery,
    answers: { 200: 'The parts that the caller may see.' },
    responseShape: AttentionShape,
    answer: async ({ serverContext, caller, query }) =>
      json(await attentionFor(serverContext, caller, query.limit ?? ATTENTION_MAX)),
  }),
  endpoint({
    method: 'get',
    path: '/api/totals',
    scope: 'read',
    summary: 'Count handoffs by state',
    about: 'Takes the filters of GET /api/handoffs.',
    operation: list,
    without: PAGING,
    answers: { 200: 'The counts of handoffs that the caller may read.' },
    responseShape: TotalsShape,
    answer: async (asked) => {
      const totals = await countedBy(asked, PAGING);
      return json({ totals, all: Object.values(totals).reduce((sum, each) => sum + each, 0) });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/attempts',
    scope: 'read',
    summary: 'List the attempts of the last hours with their start and end',
    about: 'Oldest first; `until` is null while an attempt runs. With the token of an agent: its own attempts.',
    query: AttemptsQuery,
    answers: { 200: 'The attempts that ran in this period.' },
    responseShape: AttemptsShape,
    answer: async ({ serverContext: { ctx, counters }, caller: { principal }, query }) => {
      const sinceMs = ctx.store.nowMs() - Number(query.minutes ?? '60') * 60_000;
      const seesAll = readScopeOf(principal) === 'everything';
      const items = counters
        .attempts()
        .filter(({ until }) => until === null || until >= sinceMs)
        .filter(({ agent }) => seesAll || (principal.kind === 'agent' && principal.agent === agent));
      const view = ({ agent, from, until, ...rest }: Attempt): object => {
        return { ...rest, agent: `@${agent}`, from: instantText(from), until: instantOrNull(until) };
      };
      return json({ items: items.map(view) });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/policy',
    scope: 'read',
    operatorOnly: true,
    summary: 'Show the stored policy that all processes follow, for the operator: limits, agents, webhooks',
    about: 'Change it in baton.yaml; `baton apply` then stores the next version.',
    answers: { 200: 'The newest version.' },
    responseShape: PolicyShape,
    answer: async ({ serverContext: { ctx } }) => {
      const current = await ctx.store.policy.current();
      if (current !== null) return json(policyView(current));
      throw httpProblem('no-workspace', 'no policy is stored in this database; store one with: baton apply');
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/quarantine',
    scope: 'read',
    operatorOnly: true,
    summary: 'List files in quarantine (files that could not be read), with the reason',
    query: PageQuery,
    answers: { 200: 'The files, newest first.' },
    responseShape: QuarantineShape,
    answer: async ({ serverContext: { quarantine }, query }) =>
      json({ items: await quarantine(query.limit ?? QUARANTINE_MAX) }),
  }),
];

async function agentsOf({ ctx, counters, agents }: ServerContext, { principal }: Caller): Promise<readonly object[]> {
  const seesAll = readScopeOf(principal) === 'everything';
  const loads = seesAll ? counters.loads() : counters.loads((handoff) => may(principal, 'read', handoff).ok);
  const sessions = (await ctx.store.sessions.list()).filter(
    ({ ended, leaseMs, silentForMs }) => !ended && silentForMs < leaseMs,
  );
  const withWorker = sessions.map(({ agent }) => agent);
  const paused = new Map((await pausesFor(ctx, principal, PAUSES_MAX)).map((each) => [each.agent, each]));
  const others = seesAll ? [...counters.agents(), ...withWorker] : [];
  const names = [...new Set([...agents.names, ...loads.keys(), ...others])].toSorted();
  return names.map((agent) => {
    const { incoming = 0, outgoing = 0, working = 0, waiting = 0, waitingSince = null } = loads.get(agent) ?? {};
    const { incomingMax, outgoingMax } = agents.limitOf(agent);
    const record = seesAll ? counters.recordOf(agent) : NO_RECORD;
    const pause = paused.get(agent);
    return {
      agent: `@${agent}`,
      configured: agents.names.includes(agent),
      roles: agents.rolesOf(agent),
      incoming: { open: incoming, max: incomingMax },
      outgoing: { open: outgoing, max: outgoingMax },
      working,
      waiting,
      waitingSince: instantOrNull(waitingSince),
      workers: sessions.filter((session) => session.agent === agent).length,
      worksHere: agents.worksHere(agent),
      ...record,
      lastSeenAt: instantOrNull(record.lastSeenAt),
      paused:
        pause === undefined || pause.endedAt !== null
          ? null
          : { at: instantText(pause.at), by: pause.by, reason: pause.reason },
    };
  });
}

const PAUSES_MAX = 1_000;
/** For callers who may not see how other agents did. */
const NO_RECORD: AgentRecord = { delivered: 0, failed: 0, p95Ms: null, lastSeenAt: null };
