import { afterAll, beforeAll, describe } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import { privatePostgres, WITHOUT_POSTGRES } from '../support/private-postgres.ts';
import { postgresUnderTest } from './postgres-under-test.ts';
import { describeStore } from './store-suite.ts';

const server = await privatePostgres({ fsync: false });
const missing = server === null ? ` (${WITHOUT_POSTGRES})` : '';

describe.skipIf(server === null)(`on a private server${missing}`, () => {
  let count = 0;
  beforeAll(async () => {
    // Made once, then copied for each test: copying is faster than making.
    const url = await present(server, 'there is a server').createDatabase('empty');
    await (await openPostgresStore({ url, limits: NO_LIMITS, random: systemRandom })).close();
  });
  afterAll(async () => server?.remove());

  describeStore('postgres store', async ({ limits }) => {
    const [running, name] = [present(server, 'there is a server'), `test_${(count += 1)}`];
    return postgresUnderTest(await running.createDatabase(name, 'empty'), limits, () => running.sql(name));
  });
});
