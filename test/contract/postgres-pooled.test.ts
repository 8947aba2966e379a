/**
 * The contract once more, behind a pooler that lends connections for one transaction: in `npm test` the parts that write
 * records, in `npm run test:long` all of it.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { systemRandom } from '../../src/foundation/random.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { privatePgBouncer, WITHOUT_PGBOUNCER } from '../support/private-pgbouncer.ts';
import { privatePostgres, WITHOUT_POSTGRES } from '../support/private-postgres.ts';
import { postgresUnderTest } from './postgres-under-test.ts';
import { describeStore } from './store-suite.ts';
import type { MakeStore } from './store-under-test.ts';

const server = await privatePostgres({ fsync: false });
const pooler = server === null ? null : await privatePgBouncer(server, { poolSize: 3 });
const missing = pooler === null ? ` (${WITHOUT_POSTGRES}; ${WITHOUT_PGBOUNCER})` : '';

describe.skipIf(pooler === null)(`behind PgBouncer${missing}`, () => {
  let count = 0;
  beforeAll(async () => {
    // Made once, and not through the pooler, whose connection would stay and keep it from being copied.
    const url = await present(server, 'there is a server').createDatabase('empty');
    await (await openPostgresStore({ url, limits: NO_LIMITS, random: systemRandom })).close();
  });
  afterAll(async () => {
    await pooler?.remove();
    await server?.remove();
  });

  const make: MakeStore = async ({ limits }) => {
    const [running, name] = [present(server, 'there is a server'), `test_${(count += 1)}`];
    const direct = await running.createDatabase(name, 'empty');
    const url = `${present(pooler, 'there is a pooler').through(direct)}?notify=off`;
    return { ...(await postgresUnderTest(url, limits, () => running.sql(name))), tellsOthers: false };
  };
  describeStore('postgres store', make, campaignSize('BATON_POOLED_PARTS'));
});
