/**
 * The contract once more, behind a pooler that lends connections for one transaction: in `npm test` the parts that write
 * records, in `npm run test:long` all of it.
 */
import type { Sql } from 'postgres';
import { afterAll, describe } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { lentDatabases } from '../support/lent-databases.ts';
import { privatePgBouncer, WITHOUT_PGBOUNCER } from '../support/private-pgbouncer.ts';
import { WITHOUT_POSTGRES } from '../support/private-postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { postgresUnderTest } from './postgres-under-test.ts';
import { describeStore } from './store-suite.ts';
import type { MakeStore } from './store-under-test.ts';

const server = await sharedPostgres();
const pooler = server === null ? null : await privatePgBouncer(server, { poolSize: 3 });
const missing = pooler === null ? ` (${WITHOUT_POSTGRES}; ${WITHOUT_PGBOUNCER})` : '';

describe.skipIf(pooler === null)(`behind PgBouncer${missing}`, () => {
  const lend = lentDatabases(() => present(server, 'there is a server'));
  afterAll(async () => {
    await pooler?.remove();
    await server?.remove();
  });

  const make: MakeStore = async ({ limits }) => {
    const { name, url: direct, giveBack } = await lend();
    const url = `${present(pooler, 'there is a pooler').through(direct)}?notify=off`;
    const sql = (): Sql => present(server, 'there is a server').sql(name);
    return { ...(await postgresUnderTest({ url, giveBack }, limits, sql)), tellsOthers: false };
  };
  describeStore('postgres store', make, campaignSize('BATON_POOLED_PARTS'));
});
