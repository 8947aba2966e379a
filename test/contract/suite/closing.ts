/** After the end: calls are faults that say that nothing changed. */
import { describe, expect, it } from 'vitest';
import { SESSION_LEASE_MS } from '../../../src/domain/deadlines.ts';
import type { JsonText } from '../../../src/foundation/json.ts';
import { StoreFault, type TokenRecord } from '../../../src/stores/store.ts';
import { acceptBy, cancelled, idOf, openingOf, processOf, SESSION, THIS_BOOT, WORKER } from '../builders.ts';
import { put, soundRecordOf, valueOf } from '../store-checks.ts';
import { newSession } from './agent-sessions.ts';
import type { OpenStore } from '../store-under-test.ts';

const TOKEN: TokenRecord = {
  id: 't',
  hash: 'h',
  agent: null,
  roles: [],
  scopes: [],
  label: null,
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
  keepsLeases: false,
};

export function describeClosing(open: OpenStore): void {
  describe('close', () => {
    it('I4: later calls are faults that changed nothing', async () => {
      const { store } = await open();
      await put(store, openingOf({ id: 'a' }));
      await store.close();
      const later: readonly (() => Promise<unknown>)[] = [
        async () => store.insert([openingOf({ id: 'b' })]),
        async () => store.claim(WORKER, 1, acceptBy()),
        async () => store.change([idOf('a')], cancelled),
        async () => store.load(idOf('a')),
        async () => store.find({ by: 'overdue', max: 1 }),
        async () => store.facts({ max: 1 }),
        async () =>
          store.sessions.open({ id: SESSION, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS }),
        async () => store.sessions.beat(SESSION),
        async () => store.sessions.running(SESSION, []),
        async () => store.sessions.list(),
        async () => store.sessions.end(SESSION, 0),
        async () => store.sessions.forget(SESSION),
        async () => store.outbox.due(1),
        async () => store.outbox.done(['k']),
        async () => store.outbox.take('k', 1),
        async () => store.outbox.postpone('k', 1),
        async () => store.outbox.inbox(WORKER, 1),
        async () => store.find({ by: 'filter', text: 'word', max: 1 }),
        async () => store.tokens.add(TOKEN, { by: 'me' }),
        async () => store.tokens.byHash('h'),
        async () => store.tokens.list(),
        async () => store.tokens.revoke('t', { by: 'me' }),
        async () => store.tokens.byIds(['t']),
        async () => store.tokens.bootstrapIsOpen(),
        async () => store.tokens.denied({ token: null, by: 'me', detail: {} }),
        async () => store.tokens.log({ max: 1 }),
        async () => store.agents.add(newSession('a')),
        async () => store.agents.load(1),
        async () => store.agents.list({ max: 1 }),
        async () => store.agents.replace({ ...newSession('a'), id: 1, revision: 1 }),
        async () => store.policy.current(),
        async () => store.policy.put('{}' as JsonText, 0, 'operator'),
        async () => store.policy.history(1),
        async () => store.upkeep.dutyHolder(processOf()),
        async () => store.upkeep.takeDuty(processOf(), null),
        async () => store.upkeep.leaveDuty(processOf()),
        async () => store.upkeep.checkClock({ boot: THIS_BOOT, monotonicMs: 1 }),
        async () => store.upkeep.maintain(),
      ];
      const faults: unknown[] = [];
      for (const call of later) {
        const fault: unknown = await call().then(
          () => 'no fault',
          (error: unknown) => error,
        );
        faults.push([String(call), fault instanceof StoreFault ? fault.outcome : fault]);
      }
      expect(faults).toEqual(later.map((call) => [String(call), 'unchanged']));
    });

    it('closing twice is closing once', async () => {
      const { store } = await open();
      await store.close();
      await expect(store.close()).resolves.toBeUndefined();
    });

    it('what is under way is still answered, and there for whoever opens it again', async ({ skip }) => {
      const { store, reopen } = await open();
      skip(reopen === null, 'nothing outlives this store');
      const underWay = Array.from({ length: 20 }, async (_, index) => store.insert([openingOf({ id: `a-${index}` })]));
      const closed = store.close();
      const answers = await Promise.all(underWay);
      await closed;
      const again = await reopen!();
      for (const answer of answers) {
        const [made] = valueOf(answer);
        expect(await soundRecordOf(again, made!.id)).toEqual(made);
      }
    });
  });
}
