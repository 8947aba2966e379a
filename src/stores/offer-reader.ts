/**
 * Reads what is offered to an agent. A hook opens this alone on a SQLite file (`open-offer-reader.ts`), because it must
 * answer quickly; `offerReaderOf` makes one from any store.
 */
import type { Handoff } from '../domain/handoff.ts';
import { isFinal } from '../domain/lifecycle.ts';
import type { AgentId, HandoffId } from '../domain/names.ts';
import type { Store } from './store.ts';

export type Offer = Pick<Handoff, 'id' | 'from' | 'title' | 'priority' | 'offeredAt' | 'notBefore'>;

export interface OfferReader extends Pick<Store, 'nowMs' | 'close'> {
  /** The newest handoffs on offer to the agent. */
  offersTo(agent: AgentId, max: number): Promise<readonly Offer[]>;
  /** Those of the handoffs that are not settled. */
  stillOpen(ids: readonly HandoffId[]): Promise<readonly HandoffId[]>;
  readonly tokens: Pick<Store['tokens'], 'byHash' | 'used'>;
  readonly agents: Pick<Store['agents'], 'load'>;
}

export function offerReaderOf(store: Store): OfferReader {
  return {
    offersTo: async (agent, max) =>
      (await store.find({ by: 'filter', to: agent, visibleTo: agent, states: ['offered'], max })).items,
    stillOpen: async (ids) =>
      (await store.find({ by: 'ids', ids })).items.filter(({ state }) => !isFinal(state)).map(({ id }) => id),
    nowMs: () => store.nowMs(),
    close: () => store.close(),
    tokens: store.tokens,
    agents: store.agents,
  };
}
