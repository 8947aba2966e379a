/**
 * Any sequence of operations is answered as the reference answers it.
 *
 * Instants and what is made of them (hashes) are left out: a store may have its own clock.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SESSION_LEASE_MS } from '../../../src/domain/deadlines.ts';
import type { Result } from '../../../src/foundation/result.ts';
import type { Decide } from '../../../src/domain/decision.ts';
import type { Handoff } from '../../../src/domain/handoff.ts';
import type { Refusal } from '../../../src/domain/refusals.ts';
import { openMemoryStore } from '../../../src/stores/memory/memory-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import * as build from '../builders.ts';
import { feedOf } from '../follow-facts.ts';
import { ALL, soundRecordOf } from '../store-checks.ts';
import { manualClock } from '../manual-clock.ts';
import type { OpenStore } from '../store-under-test.ts';

const LIMITS = build.limitsOf({ worker: [null, 4], sender: [6, null] });
const AGENTS = [build.WORKER, build.agentOf('other')];
const SESSIONS = ['one', 'two'].map(build.sessionOf);

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const agent = fc.constantFrom(...AGENTS);
const session = fc.constantFrom(...SESSIONS);
const fence = fc.integer({ min: 1, max: 3 });

const decision: fc.Arbitrary<{ readonly says: string; readonly decide: Decide }> = fc.oneof(
  session.map((id) => ({ says: `accept by ${id}`, decide: build.acceptBy(id) })),
  fence.map((n) => ({ says: `complete ${n}`, decide: build.deliverAndVerify(n, { outcome: build.jsonOf(n) }) })),
  fence.map((n) => ({ says: `release ${n}`, decide: build.releaseBy(n) })),
  fence.map((n) => ({
    says: `fail ${n}`,
    decide: build.failBy(n, 'INVALID', { outcome: build.jsonOf({ failed: n }) }),
  })),
  fence.map((n) => ({ says: `ask ${n}`, decide: build.asking('which?', n) })),
  fc.constantFrom(
    { says: 'cancel', decide: build.cancelled },
    { says: 'unblock', decide: build.unblocked },
    { says: 'progress', decide: build.progressed },
  ),
);

interface Operation {
  readonly says: string;
  readonly run: (store: Store) => Promise<unknown>;
}

const insert: fc.Arbitrary<Operation> = fc
  .record({
    openings: fc.array(
      fc.record({
        id: name,
        dependsOn: fc.uniqueArray(name, { maxLength: 2 }),
        to: agent,
        queued: fc.boolean(),
        priority: fc.constantFrom('low' as const, 'urgent' as const),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    key: fc.option(fc.constantFrom('k1', 'k2')),
  })
  .map(({ openings, key }) => {
    const hash = JSON.stringify(openings);
    const guard = key === null ? {} : { request: { by: '@sender', key, hash } };
    const given = openings.map((parts) =>
      build.openingOf({ ...parts, effects: [{ key: parts.id, kind: 'x', payload: build.jsonOf(parts.id) }] }),
    );
    return {
      says: `insert ${hash} ${key ?? ''}`,
      run: async (store) => {
        const answer = await store.insert(given, guard);
        if (answer.ok) return answer.value.map(alike);
        // Where several openings have each their fault, any of these may be told.
        return given.length === 1 || answer.refusal.code === 'request-reused' ? likeRefusal(answer) : 'refused';
      },
    };
  });

const move: fc.Arbitrary<Operation> = fc
  .record({ names: fc.array(name, { minLength: 1, maxLength: 3 }), decision })
  .map(({ names, decision: { says, decide } }) => ({
    says: `change ${names.join(' ')}: ${says}`,
    run: async (store) => (await store.change(names.map(build.idOf), decide)).map(likeRefusal),
  }));

const relay: fc.Arbitrary<Operation> = fc
  .record({ target: name, decision, opening: name, dependsOn: fc.uniqueArray(name, { maxLength: 2 }), to: agent })
  .map(({ target, decision: { says, decide }, ...opening }) => ({
    says: `relay ${target}: ${says}, then ${JSON.stringify(opening)}`,
    run: async (store) => {
      const parts = { id: opening.opening, dependsOn: opening.dependsOn, to: opening.to };
      const answer = await store.relay(build.idOf(target), decide, [build.openingOf(parts)]);
      return answer.ok ? [answer.value.changed, ...answer.value.inserted].map(alike) : likeRefusal(answer);
    },
  }));

const claim: fc.Arbitrary<Operation> = fc
  .record({ agent, max: fc.integer({ min: 1, max: 3 }), session })
  .map((given) => ({
    says: `claim ${JSON.stringify(given)}`,
    run: async (store) => {
      const claimed = await store.claim(given.agent, given.max, build.acceptBy(given.session));
      return claimed.map(({ handoff, body }) => ({ ...alike(handoff), body }));
    },
  }));

const ctx: fc.Arbitrary<Operation> = fc.oneof(
  session.map((id) => ({ says: `end ${id}`, run: async (store: Store) => store.sessions.end(id, 0) })),
  session.map((id) => ({ says: `forget ${id}`, run: async (store: Store) => store.sessions.forget(id) })),
  session.map((id) => ({
    says: `open ${id}`,
    run: async (store: Store) =>
      store.sessions.open({ id, agent: build.WORKER, process: build.processOf(), leaseMs: SESSION_LEASE_MS }),
  })),
  name.map((key) => ({ says: `done ${key}`, run: async (store: Store) => store.outbox.done([key]) })),
);

function alike(handoff: Handoff): object {
  const { id, state, revision, from, to, attempt, excused, fence: newest, custody, blockedOn, terms } = handoff;
  return { id, state, revision, from, to, attempt, excused, newest, custody, blockedOn, dependsOn: terms.dependsOn };
}

/** Of a ring only that there is one: it may be told from any of its members. */
function likeRefusal(result: Result<Handoff, Refusal> | { readonly ok: false; readonly refusal: Refusal }): unknown {
  if (result.ok) return alike(result.value);
  const { code } = result.refusal;
  return code === 'dependency-cycle' || code === 'too-early' ? { code } : result.refusal;
}

async function answerOf(store: Store, operation: Operation): Promise<unknown> {
  return operation.run(store).catch((error: unknown) => (error instanceof Error ? error.name : error));
}

async function pictureOf(store: Store): Promise<unknown> {
  const { items } = await store.find({ by: 'filter', max: ALL });
  const wholes = await Promise.all(items.map(async ({ id }) => store.load(id)));
  const held = SESSIONS.map(async (id) => (await store.find({ by: 'session', session: id, max: ALL })).items);
  const written = items.reduce((sum, { revision }) => sum + revision, 0);
  return {
    records: items.map(alike),
    texts: wholes.map((whole) => [whole?.body, whole?.outcome]),
    freed: (await store.find({ by: 'freed', max: ALL })).items.map(({ id }) => id).toSorted(),
    held: (await Promise.all(held)).map((each) => each.map(({ id }) => id).toSorted()),
    facts: (await feedOf(store, written)).map(({ fact }) => [
      fact.handoff,
      fact.revision,
      fact.deed,
      fact.from,
      fact.to,
    ]),
    sessions: (await store.sessions.list())
      .map(({ id, ended }) => ({ id, ended }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    effects: await store.outbox.due(ALL),
  };
}

export function describeLikeness(open: OpenStore): void {
  describe('likeness', () => {
    it('I1, I2, I4, I12, I15: any sequence of operations is answered as the reference does', async () => {
      const operations = fc.array(fc.oneof(insert, insert, move, move, relay, claim, ctx), {
        minLength: 10,
        maxLength: 40,
      });
      await fc.assert(
        fc.asyncProperty(operations, async (sequence) => {
          const { store, clock, destroy } = await open(LIMITS, SESSIONS);
          const ownClock = manualClock();
          const reference = openMemoryStore({ clock: ownClock, limits: LIMITS });
          for (const id of SESSIONS)
            await reference.sessions.open({
              id,
              agent: build.WORKER,
              process: build.processOf(),
              leaseMs: SESSION_LEASE_MS,
            });
          for (const operation of sequence) {
            clock.advance(1);
            ownClock.advance(1);
            const expected = await answerOf(reference, operation);
            expect({ [operation.says]: await answerOf(store, operation) }).toEqual({ [operation.says]: expected });
          }
          expect(await pictureOf(store)).toEqual(await pictureOf(reference));
          for (const { id } of (await store.find({ by: 'filter', max: ALL })).items) await soundRecordOf(store, id);
          await destroy();
        }),
        { numRuns: 20 },
      );
    });
  });
}
