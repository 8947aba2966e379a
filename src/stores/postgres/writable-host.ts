/** Connects to a host that can be written to, if the address names several hosts or requires it. */
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
      // A permanent error is reported even if the next host is only unreachable.
      if (problem === null || error.kind === 'fault') problem = error;
    }
    await link.end();
  }
  throw problem ?? new ConnectionError('unsent', new Error(`${address.shown} names no host`));
}
