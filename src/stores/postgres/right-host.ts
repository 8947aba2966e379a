/** Connects to the host that can be written to, where an address names several or asks for it. */
import { openLink, type Link, type LinkSettings } from './link.ts';
import { Trouble } from './trouble.ts';

const CAN_WRITE_SQL = `select current_setting('transaction_read_only') = 'off'`;

export async function openToWrite(settings: LinkSettings): Promise<Link> {
  const { address } = settings;
  if (!address.mustWrite) return openLink(settings);
  let problem: Trouble | null = null;
  for (const host of address.hosts) {
    const link = openLink({ ...settings, address: { ...address, hosts: [host] } });
    try {
      const [rows] = await link.runScript(CAN_WRITE_SQL);
      if (rows?.[0]?.[0] === true) return link;
      problem ??= new Trouble('unsent', new Error(`${host.host} can only be read from just now`));
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      // What is wrong for good is told, even when the next host is only away.
      if (problem === null || error.kind === 'fault') problem = error;
    }
    await link.end();
  }
  throw problem ?? new Trouble('unsent', new Error(`${address.shown} names no host`));
}
