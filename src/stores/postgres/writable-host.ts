/** Connects to the host that can be written to, where an address names several or asks for it. */
import { openDriver, type Driver, type DriverSettings } from './driver.ts';
import { ConnectionError } from './connection-error.ts';

const CAN_WRITE_SQL = `select current_setting('transaction_read_only') = 'off'`;

export async function writableHost(settings: DriverSettings): Promise<Driver> {
  const { address } = settings;
  if (!address.mustWrite) return openDriver(settings);
  let problem: ConnectionError | null = null;
  for (const host of address.hosts) {
    const link = openDriver({ ...settings, address: { ...address, hosts: [host] } });
    try {
      const [rows] = await link.runScript(CAN_WRITE_SQL);
      if (rows?.[0]?.[0] === true) return link;
      problem ??= new ConnectionError('unsent', new Error(`${host.host} can only be read from just now`));
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      // What is wrong for good is told, even when the next host is only away.
      if (problem === null || error.kind === 'fault') problem = error;
    }
    await link.end();
  }
  throw problem ?? new ConnectionError('unsent', new Error(`${address.shown} names no host`));
}
