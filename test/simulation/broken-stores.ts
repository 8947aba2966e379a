/** The parts that mutants are made of: what a store, or a decision, does wrong. */
import { present } from '../../src/foundation/assert.ts';
import { ok, type Result } from '../../src/foundation/result.ts';
import type { Decide } from '../../src/domain/decision.ts';
import { hashOf, type Fact } from '../../src/domain/facts.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import type { HandoffId, SessionId } from '../../src/domain/names.ts';
import type { Refusal } from '../../src/domain/refusals.ts';
import type { Claimed, FactRead, Store } from '../../src/stores/store.ts';

type Answers = readonly Result<Handoff, Refusal>[];

export function rewritingFacts(store: Store, rewrite: (read: FactRead) => readonly FactRead[]): Store {
  return { ...store, facts: async (query) => (await store.facts(query)).flatMap(rewrite) };
}

export function oneMore({ fact, cursor }: FactRead): FactRead {
  const next = { ...fact, revision: fact.revision + 1, from: fact.to, to: 'cancelled', deed: 'cancel' } as const;
  return { fact: { ...next, hash: hashOf(next, fact.hash) }, cursor };
}

export function unlawful({ deed }: Fact): Partial<Fact> {
  return deed === 'deliver' ? { deed: 'verify' } : {};
}

export async function onlyDecided(
  store: Store,
  targets: readonly (HandoffId | Handoff)[],
  decide: Decide,
): Promise<Answers> {
  const { items } = await store.find({
    by: 'ids',
    ids: targets.map((each) => (typeof each === 'string' ? each : each.id)),
  });
  return items.map((handoff) => {
    const decided = decide(handoff, store.nowMs());
    return decided.ok ? ok(decided.value.handoff) : decided;
  });
}

export async function onlyClaimed(
  store: Store,
  agent: Handoff['to'],
  max: number,
  decide: Decide,
): Promise<readonly Claimed[]> {
  const { items } = await store.find({ by: 'filter', states: ['offered'], to: agent, max });
  const decided = items.map((handoff) => decide(handoff, store.nowMs()));
  return Promise.all(decided.flatMap((each) => (each.ok ? [withBody(store, each.value.handoff)] : [])));
}

export async function withBody(store: Store, handoff: Handoff): Promise<Claimed> {
  return { handoff, body: present(await store.load(handoff.id), 'it was just there').body };
}

export function claimingTwice(store: Store): Store {
  const last = new Map<Handoff['to'], readonly Claimed[]>();
  return {
    ...store,
    claim: async (agent, max, decide) => {
      const claimed = await store.claim(agent, max, decide);
      if (claimed.length === 0) return last.get(agent) ?? [];
      last.set(agent, claimed);
      return claimed;
    },
  };
}

export async function agreed(store: Store, answer: Result<Handoff, Refusal>): Promise<Result<Handoff, Refusal>> {
  if (answer.ok || answer.refusal.code !== 'lease-lost') return answer;
  const { handoff } = present(await store.load(answer.refusal.id), 'what was asked for is there');
  return handoff.state === 'completed' ? ok(handoff) : answer;
}

export function withoutEnd(decide: Decide): Decide {
  return (handoff, nowMs) => {
    const { terms } = handoff;
    const decided = decide({ ...handoff, terms: { ...terms, retry: { ...terms.retry, retriesMax: 99 } } }, nowMs);
    return decided.ok ? ok({ ...decided.value, handoff: { ...decided.value.handoff, terms } }) : decided;
  };
}

export function remembering(store: Store, fromMemory: () => boolean): Store {
  const first = new Map<HandoffId, Handoff>();
  return {
    ...store,
    find: async (query) => {
      const page = await store.find(query);
      for (const handoff of page.items) if (!first.has(handoff.id)) first.set(handoff.id, handoff);
      return fromMemory() ? { ...page, items: page.items.map((handoff) => first.get(handoff.id) ?? handoff) } : page;
    },
  };
}

export function silentByTheWall(store: Store): Store['sessions'] {
  const beats = new Map<SessionId, number>();
  const note = (id: SessionId): void => void beats.set(id, store.nowMs());
  const silentMs = (id: SessionId): number => store.nowMs() - (beats.get(id) ?? 0);
  return {
    ...store.sessions,
    open: async (session) => {
      note(session.id);
      return store.sessions.open(session);
    },
    beat: async (id) => {
      note(id);
      return store.sessions.beat(id);
    },
    list: async () => (await store.sessions.list()).map((each) => ({ ...each, silentForMs: silentMs(each.id) })),
    end: async (id, silentForMs) => (silentMs(id) >= silentForMs ? store.sessions.end(id, 0) : false),
  };
}
