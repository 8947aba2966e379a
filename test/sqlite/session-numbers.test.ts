import { expect, it } from 'vitest';
import { SESSION_LEASE_MS } from '../../src/domain/deadlines.ts';
import { acceptBy, idOf, openingOf, processOf, releaseBy, sessionOf, WORKER } from '../contract/builders.ts';
import { put, recordOf } from '../contract/store-checks.ts';
import { lockWaitOf } from '../../src/stores/sqlite/binding.ts';
import { sharedRead } from '../../src/stores/sqlite/shared-read.ts';
import { newPath, openStore, openTables } from './stores.ts';

it('I6: whoever reads a record and then its session sees both as they were together', async () => {
  const path = newPath();
  const [reader, writer] = [openTables(path), openTables(path)];
  const count = (): unknown => reader.prepare('SELECT count(*) AS n FROM agent').get();
  const read = sharedRead(reader, lockWaitOf(reader), () => undefined);
  const [first, second] = await read(() => {
    const before = count();
    writer.exec("INSERT INTO agent (name) VALUES ('meanwhile')");
    return [before, count()];
  });
  expect(second).toEqual(first);
  expect(await read(count)).not.toEqual(first);
});

it('I6: the number of a forgotten session is given away again, its name is not', async () => {
  const path = newPath();
  const [one, two] = [openStore(path), openStore(path)];
  const [first, next] = [sessionOf('first'), sessionOf('next')];
  await put(one, openingOf({ id: 'a' }));
  await one.sessions.open({ id: first, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
  await one.change([idOf('a')], acceptBy(first));
  expect((await recordOf(two, idOf('a'))).custody).toMatchObject({ session: 'first' });
  await one.change([idOf('a')], releaseBy(1));
  await one.sessions.end(first, 0);
  await one.sessions.forget(first);
  await one.sessions.open({ id: next, agent: WORKER, process: processOf(), leaseMs: SESSION_LEASE_MS });
  await one.change([idOf('a')], acceptBy(next));
  expect((await recordOf(two, idOf('a'))).custody).toMatchObject({ session: 'next' });
});
