/** Reads the schema version on a server without creating anything. */
import { readAddress } from './address.ts';
import { setUpSession } from './session-setup.ts';
import { faultOf } from './connection.ts';
import { VERSION_SQL } from './migrations.ts';
import { serverClock } from './server-clock.ts';
import { ConnectionError } from './connection-error.ts';

/** Null: there are no tables of Baton. */
export async function schemaVersionAt(url: string, namespace = 'baton'): Promise<number | null> {
  const address = readAddress(url, process.env);
  try {
    const link = await setUpSession({ address, namespace, clock: serverClock(), ownSession: address.notify }, {}, true);
    try {
      const [rows] = await link.runScript(VERSION_SQL);
      return Number(rows?.[0]?.[0] ?? 0);
    } finally {
      await link.end();
    }
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    if (error.kind === 'no-schema') return null;
    throw faultOf(error, false, address.shown);
  }
}
