/** The house as a whole: agents and their load, what the charts show, and what lies in quarantine. */
import { principalText } from '../../../domain/principal.ts';
import { may, readScopeOf } from '../../../domain/rights.ts';
import { PageQuery } from '../../shared/requests.ts';
import { AgentsShape, QuarantineShape, SummaryShape } from '../../shared/view-shapes.ts';
import { handoffView } from '../../shared/views.ts';
import { mustBeOperator, type Caller } from '../caller.ts';
import { endpoint, json, type Endpoint } from '../contract.ts';
import type { ServerContext } from '../server-context.ts';
import { BOUNDS } from '../counters.ts';
import { sessionsFor } from './agents.ts';

const OLDEST_MAX = 20;
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
    summary: 'What charts show: throughput, time in each state, failures by code, who waits longest',
    about: 'Counted by this server since it started, and from the newest handoffs before.',
    answers: { 200: 'The numbers.' },
    gives: SummaryShape,
    answer: async ({ serverContext: { tally }, caller }) => {
      mustBeOperator(caller);
      return json({
        minutes: tally.minutes().map(({ at, ...counts }) => ({ at: new Date(at).toISOString(), ...counts })),
        boundsSeconds: BOUNDS,
        timeInState: Object.fromEntries(tally.timeIn()),
        failures: [...tally.failures()].map(([code, count]) => ({ code, count })).toSorted((a, b) => b.count - a.count),
        open: tally.open(),
        oldestWaiting: tally.oldestWaiting(OLDEST_MAX).map(handoffView),
      });
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/quarantine',
    scope: 'read',
    summary: 'Files that could not be understood, with the reason',
    query: PageQuery,
    answers: { 200: 'The files, newest first.' },
    gives: QuarantineShape,
    answer: async ({ serverContext: { quarantine }, caller, query }) => {
      mustBeOperator(caller);
      return json({ items: await quarantine(query.limit ?? QUARANTINE_MAX) });
    },
  }),
];

async function agentsOf({ ctx, tally, agents }: ServerContext, { principal }: Caller): Promise<readonly object[]> {
  const seesAll = readScopeOf(principal) === 'everything';
  const loads = seesAll ? tally.loads() : tally.loads((handoff) => may(principal, 'read', handoff).ok);
  const sessions = (await ctx.store.sessions.list()).filter(
    ({ ended, leaseMs, silentForMs }) => !ended && silentForMs < leaseMs,
  );
  const withWorker = sessions.map(({ agent }) => agent);
  const others = seesAll ? [...tally.agents(), ...withWorker] : [];
  const names = [...new Set([...agents.names, ...loads.keys(), ...others])].toSorted();
  return names.map((agent) => {
    const { incoming = 0, outgoing = 0, working = 0, waiting = 0, waitingSince = null } = loads.get(agent) ?? {};
    const { incomingMax, outgoingMax } = agents.limitOf(agent);
    return {
      agent: principalText({ kind: 'agent', agent, roles: [] }),
      configured: agents.names.includes(agent),
      roles: agents.rolesOf(agent),
      incoming: { open: incoming, max: incomingMax },
      outgoing: { open: outgoing, max: outgoingMax },
      working,
      waiting,
      waitingSince: waitingSince === null ? null : new Date(waitingSince).toISOString(),
      workers: sessions.filter((session) => session.agent === agent).length,
      worksHere: agents.worksHere(agent),
    };
  });
}
