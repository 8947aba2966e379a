/** Stores and deciders that are broken on purpose, each in one way that an invariant has to notice. */
import { err, ok } from '../../src/foundation/result.ts';
import { appendFact } from '../../src/domain/facts.ts';
import { isFinal } from '../../src/domain/lifecycle.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { principalText } from '../../src/domain/principal.ts';
import { StoreFault } from '../../src/stores/store.ts';
import {
  agreed,
  claimingTwice,
  oneMore,
  onlyClaimed,
  onlyDecided,
  remembering,
  rewritingFacts,
  silentByTheWall,
  unlawful,
  withBody,
  withoutEnd,
} from './broken-stores.ts';
import type { Mutant } from './simulate.ts';

export const MUTANTS = {
  'forgets facts': {
    breaks: 'I1',
    store: (store) => rewritingFacts(store, (read) => (read.fact.deed === 'accept' ? [] : [read])),
  },
  'lets somebody change a fact': {
    breaks: 'I1',
    store: (store) => rewritingFacts(store, (read) => [{ ...read, fact: { ...read.fact, by: 'somebody' } }]),
  },
  'goes on after the end': {
    breaks: 'I2',
    store: (store) => rewritingFacts(store, (read) => (isFinal(read.fact.to) ? [read, oneMore(read)] : [read])),
  },
  'acknowledges without writing': {
    breaks: 'I3',
    store: (store, random) => ({
      ...store,
      change: async (targets, decide) =>
        random.chance(0.1) ? onlyDecided(store, targets, decide) : store.change(targets, decide),
    }),
  },
  'refuses what it has done': {
    breaks: 'I4',
    store: (store, random) => ({
      ...store,
      change: async (targets, decide) => {
        const answers = await store.change(targets, decide);
        if (!random.chance(0.1)) return answers;
        return answers.map((each) => (each.ok ? err({ code: 'contended', id: each.value.id } as const) : each));
      },
    }),
  },
  'says unchanged when it does not know': {
    breaks: 'I4',
    store: (store, random) => ({
      ...store,
      insert: async (openings, guard) => {
        const answer = await store.insert(openings, guard);
        if (random.chance(0.1)) throw new StoreFault('the connection is gone', 'unchanged');
        return answer;
      },
    }),
  },
  'does not know a request again': {
    breaks: 'I5',
    store: (store) => ({ ...store, insert: (openings) => store.insert(openings) }),
  },
  'does not look at fences': {
    breaks: 'I6',
    store: (store) => ({
      ...store,
      change: async (targets, decide) => {
        const shown = new Map(targets.flatMap((each) => (typeof each === 'string' ? [] : [[each.id, each.fence]])));
        return store.change(targets, (now, nowMs) => decide({ ...now, fence: shown.get(now.id) ?? now.fence }, nowMs));
      },
    }),
  },
  'gives every acceptance the same fence': {
    breaks: 'I6',
    store: (store) => ({
      ...store,
      claim: (agent, max, decide) => store.claim(agent, max, (now, nowMs) => decide({ ...now, fence: 0 }, nowMs)),
    }),
  },
  'lets two claims win': { breaks: 'I6', store: (store) => claimingTwice(store) },
  'agrees to every completion': {
    breaks: 'I7',
    store: (store) => ({
      ...store,
      change: async (targets, decide) => {
        const answers = await store.change(targets, decide);
        return Promise.all(answers.map((answer) => agreed(store, answer)));
      },
    }),
  },
  'hands out what it has not written': {
    breaks: 'I8',
    store: (store) => ({ ...store, claim: async (agent, max, decide) => onlyClaimed(store, agent, max, decide) }),
  },
  'asks for no rights': {
    breaks: 'I12',
    decideBy: (principal, op, request) => (handoff, nowMs) => {
      const { deed = op, moved } = request(handoff, nowMs);
      if (!moved.ok) return moved;
      const seen = appendFact(handoff, moved.value, deed, principalText(principal), nowMs);
      return ok({ handoff: seen.handoff, facts: [seen.fact] });
    },
  },
  'knows moves that the lifecycle does not': {
    breaks: 'I12',
    store: (store) => rewritingFacts(store, (read) => [{ ...read, fact: { ...read.fact, ...unlawful(read.fact) } }]),
  },
  'does not wait for the right time': {
    breaks: 'I13',
    store: (store) => ({
      ...store,
      claim: async (agent, max, decide) => {
        const { items } = await store.find({ by: 'filter', states: ['offered'], to: agent, max });
        const answers = await store.change(items, (now, nowMs) => decide({ ...now, notBefore: 0 }, nowMs));
        return Promise.all(answers.flatMap((each) => (each.ok ? [withBody(store, each.value)] : [])));
      },
    }),
  },
  'retries for ever': {
    breaks: 'I13',
    store: (store) => ({
      ...store,
      change: (targets, decide) => store.change(targets, withoutEnd(decide)),
    }),
  },
  'takes the living for dead': { breaks: 'I14', misjudge: (truth) => (truth === 'alive' ? 'gone' : truth) },
  'does not see the silent': {
    breaks: 'I14',
    store: (store) => ({
      ...store,
      sessions: {
        ...store.sessions,
        list: async () => (await store.sessions.list()).filter((session) => session.silentForMs < 500),
      },
    }),
  },
  'does not count': { breaks: 'I15', limits: NO_LIMITS },
  'shows what it remembers': { breaks: 'I17', store: (store, random) => remembering(store, () => random.chance(0.2)) },
  'wakes nobody': {
    breaks: 'I18',
    store: (store) => ({
      ...store,
      changed: (_topic, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    }),
  },
  'measures silence by the wall clock': {
    breaks: 'I19',
    store: (store) => ({ ...store, sessions: silentByTheWall(store) }),
  },
  'forgets what runs': {
    breaks: 'one tree',
    store: (store) => ({ ...store, sessions: { ...store.sessions, running: async () => undefined } }),
  },
  'finds nothing overdue': {
    breaks: 'everything ends',
    store: (store) => ({
      ...store,
      find: async (query) => (query.by === 'overdue' ? { items: [], next: null } : store.find(query)),
    }),
  },
} as const satisfies Record<string, Mutant>;
