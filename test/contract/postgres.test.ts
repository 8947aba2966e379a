import { afterAll, describe } from 'vitest';
import { present } from '../../src/foundation/assert.ts';
import { lentDatabases } from '../support/lent-databases.ts';
import { WITHOUT_POSTGRES } from '../support/private-postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { postgresUnderTest } from './postgres-under-test.ts';
import { describeStore } from './store-suite.ts';

const server = await sharedPostgres();
const missing = server === null ? ` (${WITHOUT_POSTGRES})` : '';

describe.skipIf(server === null)(`on a server${missing}`, () => {
  const lend = lentDatabases(() => present(server, 'there is a server'));
  afterAll(async () => server?.remove());

  describeStore('postgres store', async ({ limits }) => {
    const lent = await lend();
    return postgresUnderTest(lent, limits, () => present(server, 'there is a server').sql(lent.name));
  });
});
