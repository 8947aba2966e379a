/** What somebody may not see is not there for them: stores leave it out before they match, count or cut pages. */
import { describe, expect, it } from 'vitest';
import { NO_LINEAGE, type Handoff } from '../../../src/domain/handoff.ts';
import type { State } from '../../../src/domain/lifecycle.ts';
import type { AgentId, ArtifactId } from '../../../src/domain/names.ts';
import { partiesOf } from '../../../src/domain/rights.ts';
import type { Query, StateCounts, Store } from '../../../src/stores/store.ts';
import { agentOf, cancelled, idOf, openingOf } from '../builders.ts';
import { ALL, put } from '../store-checks.ts';
import type { OpenStore } from '../store-under-test.ts';

type Filter = Omit<Extract<Query, { readonly by: 'filter' }>, 'by' | 'max'>;

const AGENTS = ['ann', 'bob', 'cat', 'dan'].map((name) => agentOf(name));
const [ANN, BOB, CAT, DAN] = AGENTS as [AgentId, AgentId, AgentId, AgentId];

/** Every pair of agents, some with verifiers, some over, all found by the same word. */
async function fill(store: Store): Promise<void> {
  for (const [index, from] of AGENTS.entries()) {
    for (const to of AGENTS) {
      const verifiers = index % 2 === 0 ? [DAN, BOB, DAN] : [];
      const id = `${from}-${to}`;
      const priority = index % 2 === 0 ? 'high' : 'normal';
      const task = `T-${index % 2}`;
      await put(store, openingOf({ id, from, to, task, priority, title: 'some words', terms: { verifiers } }));
    }
  }
  await store.change([idOf('ann-bob'), idOf('cat-ann'), idOf('bob-bob')], cancelled);
}

async function pages(store: Store, filter: Filter, max: number): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page = await store.find({ by: 'filter', max, ...filter, ...(after === '' ? {} : { after }) });
    const isFull = page.next === null || page.items.length === max;
    expect(isFull).toBe(true);
    seen.push(...page.items.map(({ id }) => id));
    after = page.next;
  }
  return seen;
}

function countedIn(handoffs: readonly Handoff[]): StateCounts {
  const counts: Partial<Record<State, number>> = {};
  for (const { state } of handoffs) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

const FILTERS: readonly Filter[] = [
  {},
  { states: ['offered'] },
  { states: ['cancelled'] },
  { states: ['offered', 'cancelled', 'completed'] },
  { from: ANN },
  { to: BOB },
  { to: BOB, states: ['offered', 'blocked'] },
  { agent: CAT },
  { agent: CAT, states: ['offered'] },
  { task: 'T-1' },
  { text: 'words' },
  { text: 'words', agent: ANN },
  { text: 'words', states: ['cancelled'] },
  { priorities: ['high'] },
  { priorities: ['high', 'low'], states: ['offered'], to: BOB },
  { kind: 'queue' },
  { kind: 'document' },
  { createdSince: 0 },
  { createdBefore: 1 },
  { createdSince: 1, text: 'words' },
];

export function describeVisibility(open: OpenStore): void {
  describe('find with visibleTo', () => {
    it('I12: by filter answers what the agent is a party of, in the same order, on pages that are full', async () => {
      const { store } = await open();
      await fill(store);
      for (const filter of FILTERS) {
        const { items } = await store.find({ by: 'filter', max: ALL, ...filter });
        for (const visibleTo of [...AGENTS, agentOf('nobody')]) {
          const expected = items.filter((handoff) => partiesOf(handoff).includes(visibleTo)).map(({ id }) => id);
          const told = `${JSON.stringify(filter)} for ${visibleTo}`;
          expect([told, await pages(store, { ...filter, visibleTo }, 100)]).toEqual([told, expected]);
          expect([told, await pages(store, { ...filter, visibleTo }, 2)]).toEqual([told, expected]);
          const oldest = await pages(store, { ...filter, visibleTo, oldestFirst: true }, 2);
          expect([told, oldest]).toEqual([told, expected.toReversed()]);
          const seen = items.filter((handoff) => partiesOf(handoff).includes(visibleTo));
          expect([told, await store.count({ ...filter, visibleTo })]).toEqual([told, countedIn(seen)]);
        }
      }
    });

    it('I12: by chain answers those legs alone, and cuts after them', async () => {
      const { store } = await open();
      const lineage = { ...NO_LINEAGE, root: idOf('root'), parent: idOf('root'), hops: 1 };
      await put(store, openingOf({ id: 'root', from: ANN, to: BOB }));
      await put(store, openingOf({ id: 'hidden', from: BOB, to: CAT, lineage }));
      await put(store, openingOf({ id: 'judged', from: BOB, to: CAT, lineage, terms: { verifiers: [ANN] } }));
      await put(store, openingOf({ id: 'back', from: CAT, to: ANN, lineage }));
      const legs = async (visibleTo: AgentId, max = ALL): Promise<readonly string[]> =>
        (await store.find({ by: 'chain', root: idOf('root'), max, visibleTo })).items.map(({ id }) => id);
      expect(await legs(ANN)).toEqual(['root', 'judged', 'back']);
      expect(await legs(ANN, 2)).toEqual(['root', 'judged']);
      expect(await legs(BOB)).toEqual(['root', 'hidden', 'judged']);
      expect(await legs(DAN)).toEqual([]);
    });
  });

  describe('find by artifacts', () => {
    it('Q14: answers those that name one of them, each once, newest first', async () => {
      const { store } = await open();
      const naming = (id: string, ...artifacts: readonly string[]): ReturnType<typeof openingOf> =>
        openingOf({ id, terms: { artifacts: artifacts as readonly ArtifactId[] } });
      await put(
        store,
        naming('one', 'a'),
        naming('two', 'b', 'a', 'a'),
        naming('three', 'c'),
        openingOf({ id: 'none' }),
      );
      const found = async (max: number, ...artifacts: readonly string[]): Promise<readonly string[]> =>
        (await store.find({ by: 'artifacts', artifacts: artifacts as readonly ArtifactId[], max })).items.map(
          ({ id }) => id,
        );
      expect(await found(ALL, 'a')).toEqual(['two', 'one']);
      expect(await found(ALL, 'a', 'b', 'c')).toEqual(['three', 'two', 'one']);
      expect(await found(1, 'a')).toEqual(['two']);
      expect(await found(ALL, 'unknown')).toEqual([]);
    });
  });
}
