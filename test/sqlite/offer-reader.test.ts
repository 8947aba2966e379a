/** A hook's look for work finds in the file what the store finds in it. */
import { expect, it } from 'vitest';
import { systemClock } from '../../src/foundation/clock.ts';
import { present } from '../../src/foundation/assert.ts';
import { prepare } from '../../src/stores/sqlite/binding.ts';
import { openOfferReader } from '../../src/stores/sqlite/open-offer-reader.ts';
import { SCHEMA_VERSION } from '../../src/stores/sqlite/schema.ts';
import { offerReaderOf, type Offer } from '../../src/stores/offer-reader.ts';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import {
  acceptBy,
  agentOf,
  deliverAndVerify,
  FAR_AHEAD,
  idOf,
  openingOf,
  processOf,
  SESSION,
  WORKER,
} from '../contract/builders.ts';
import { newSession } from '../contract/suite/agent-sessions.ts';
import { put } from '../contract/store-checks.ts';
import { newPath, openStore, openTables } from './stores.ts';

const OVER = idOf('over');
const TAKEN = idOf('taken');
const shown = ({ id, from, title, priority, offeredAt, notBefore }: Offer): Offer => ({
  id,
  from,
  title,
  priority,
  offeredAt,
  notBefore,
});

it('answers as the store does', async () => {
  const path = newPath();
  const store = openStore(path);
  await store.sessions.open({ id: SESSION, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
  await put(store, openingOf({ id: 'first', title: 'The first one' }), openingOf({ id: 'now', priority: 'urgent' }));
  await put(
    store,
    openingOf({ id: 'later', notBefore: FAR_AHEAD }),
    openingOf({ id: 'for-another', to: agentOf('b') }),
  );
  await put(store, openingOf({ id: OVER }), openingOf({ id: TAKEN }));
  await store.change([OVER, TAKEN], acceptBy());
  await store.change([OVER], deliverAndVerify(1));
  const session = await store.agents.add(newSession('a', { state: 'starting' }));
  const look = present(openOfferReader(path, systemClock), 'the file has our version');
  const whole = offerReaderOf(store);
  for (const agent of [WORKER, agentOf('b'), agentOf('nobody')]) {
    for (const max of [1, 2, 100]) {
      expect((await look.offersTo(agent, max)).map(shown)).toEqual((await whole.offersTo(agent, max)).map(shown));
    }
  }
  expect((await look.offersTo(WORKER, 100)).map(({ id }) => id)).toEqual(['later', 'now', 'first'].map(idOf));
  const told = [OVER, TAKEN, idOf('first'), idOf('gone')];
  expect(new Set(await look.stillOpen(told))).toEqual(new Set(await whole.stillOpen(told)));
  expect(new Set(await look.stillOpen(told))).toEqual(new Set([TAKEN, idOf('first')]));
  expect([await look.agents.load(session.id), await look.agents.load(99)]).toEqual([session, null]);
  await look.close();
});

it('leaves a file of another version to whoever opens the whole store', () => {
  const path = newPath();
  const database = openTables(path);
  for (const version of [SCHEMA_VERSION - 1, SCHEMA_VERSION + 1]) {
    database.exec(`PRAGMA user_version = ${version}`);
    expect(openOfferReader(path, systemClock)).toBeNull();
    expect(prepare(database, 'PRAGMA user_version').get()).toEqual([version]);
  }
});
