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
  minutes: z.enum(['15', '60', '180', '720']).optional().describe('How far back; default 60.'),
});
const QUARANTINE_MAX = 100;

export const OVERVIEW_ROUTES: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/agents',
    scope: 'read',
    summary: 'The agents that are known, with their load against their limits',
    about:
      'Known are those of baton.yaml, those with a worker, and senders, recipients and verifiers of what is open and of the newest handoffs that are over. ' +
      'With the token of an agent: those of baton.yaml, and senders and recipients of what is open and may be read with it; loads are counted from the same.',
    answers: { 200: 'All of them, by name.' },
    gives: AgentsShape,
    answer: async ({ serverContext, caller }) =>
      json({ items: await agentsOf(serverContext, caller), sessions: await sessionsFor(serverContext, caller) }),
  }),
  endpoint({
    method: 'get',
    path: '/api/metrics-summary',
    scope: 'read',
    operatorOnly: true,
    summary: 'What charts show: throughput, time in each state, failures by code, who waits longest',
    about:
      'Counted from the newest 20,000 facts of the store and all that came since; `since` says from when on that is everything.',
    answers: { 200: 'The numbers.' },
    gives: SummaryShape,
    answer: async ({ serverContext: { tally, notes } }) =>
      json({
        since: tally.since() === 0 ? null : instantText(tally.since()),
        minutes: tally.minutes().map(({ at, ...counts }) => ({ at: instantText(at), ...counts })),
        boundsSeconds: BOUNDS,
        timeInState: Object.fromEntries(
          [...tally.timeIn()].map(([state, spent]) => [
            state,
            { ...spent, p50Ms: percentileMs(spent, 50), p95Ms: percentileMs(spent, 95) },
          ]),
        ),
        failures: [...tally.failures()].map(([code, count]) => ({ code, count })).toSorted((a, b) => b.count - a.count),
        open: tally.open(),
        oldestWaiting: await notes.rows(tally.oldestWaiting(OLDEST_MAX)),
      }),
  }),
  endpoint({
    method: 'get',
    path: '/api/attention',
    scope: 'read',
    summary: 'What does not go on without a person, the most urgent first, and how much is going on',
    about:
      'Questions, deliveries to review, offers and drafts whose time ends within ten minutes, what ended badly within a day and was not tried again, and attempts that fail and come back. ' +
      'With the token of an agent: only what that agent may answer, review or retry.',
    query: AttentionQuery,
    answers: { 200: 'As far as the caller may see it.' },
    gives: AttentionShape,
    answer: async ({ serverContext, caller, query }) =>
      json(await attentionFor(serverContext, caller, query.limit ?? ATTENTION_MAX)),
  }),
  endpoint({
    method: 'get',
    path: '/api/totals',
    scope: 'read',
    summary: 'How many handoffs a list would have, by state',
    about: 'Takes the filters of GET /api/handoffs.',
    operation: list,
    without: PAGING,
    answers: { 200: 'The counts, of what the caller may read.' },
    gives: TotalsShape,
    answer: async (asked) => {
      const totals = await countedBy(asked, PAGING);
      return json({ totals, all: Object.values(totals).reduce((sum, each) => sum + each, 0) });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/attempts',
    scope: 'read',
    summary: 'Who was at what from when to when, over the last hours',
    about: 'Oldest first; `until` is null for what is under way. With the token of an agent: its own.',
    query: AttemptsQuery,
    answers: { 200: 'The attempts that touch these minutes.' },
    gives: AttemptsShape,
    answer: async ({ serverContext: { ctx, tally }, caller: { principal }, query }) => {
      const sinceMs = ctx.store.nowMs() - Number(query.minutes ?? '60') * 60_000;
      const seesAll = readScopeOf(principal) === 'everything';
      const items = tally
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
    summary: 'The policy that all processes follow, for the operator: limits, agents, webhooks',
    about: 'It stands in baton.yaml and is changed there; `baton apply` stores the next version.',
    answers: { 200: 'The newest version.' },
    gives: PolicyShape,
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
    summary: 'Files that could not be understood, with the reason',
    query: PageQuery,
    answers: { 200: 'The files, newest first.' },
    gives: QuarantineShape,
    answer: async ({ serverContext: { quarantine }, query }) =>
      json({ items: await quarantine(query.limit ?? QUARANTINE_MAX) }),
  }),
];

async function agentsOf({ ctx, tally, agents }: ServerContext, { principal }: Caller): Promise<readonly object[]> {
  const seesAll = readScopeOf(principal) === 'everything';
  const loads = seesAll ? tally.loads() : tally.loads((handoff) => may(principal, 'read', handoff).ok);
  const sessions = (await ctx.store.sessions.list()).filter(
    ({ ended, leaseMs, silentForMs }) => !ended && silentForMs < leaseMs,
  );
  const withWorker = sessions.map(({ agent }) => agent);
  const paused = new Map((await pausesFor(ctx, principal, PAUSES_MAX)).map((each) => [each.agent, each]));
  const others = seesAll ? [...tally.agents(), ...withWorker] : [];
  const names = [...new Set([...agents.names, ...loads.keys(), ...others])].toSorted();
  return names.map((agent) => {
    const { incoming = 0, outgoing = 0, working = 0, waiting = 0, waitingSince = null } = loads.get(agent) ?? {};
    const { incomingMax, outgoingMax } = agents.limitOf(agent);
    const record = seesAll ? tally.recordOf(agent) : NO_RECORD;
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
