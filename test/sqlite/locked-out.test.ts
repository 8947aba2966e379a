import { expect, it } from 'vitest';
import { processOf, sessionOf, WORKER } from '../contract/builders.ts';
import { until } from '../support/processes.ts';
import { newPath, openStore, openTables } from './stores.ts';

it('I14: a session is not ended for a silence in which nobody could write', async () => {
  const path = newPath();
  const [store, tables] = [openStore(path), openTables(path)];
  const id = sessionOf('healthy');
  const silentForMs = async (): Promise<number> => (await store.sessions.list())[0]?.silentForMs ?? 0;
  await store.sessions.open({ id, agent: WORKER, process: processOf({ boot: 'this boot' }), leaseMs: 10_000 });
  tables.exec('BEGIN IMMEDIATE');
  const ending = store.sessions.end(id, 500);
  await until('it looks silent', async () => (await silentForMs()) > 700);
  tables.exec('COMMIT');
  expect(await ending).toBe(false);
  expect(await store.sessions.beat(id)).toBe(true);
});
