/**
 * Sends the heartbeats of a worker session from a thread, on a connection of its own, so that a worker with a busy event
 * loop does not count as dead.
 */
import { readAddress } from './address.ts';
import type { Driver } from './driver.ts';
import { writableHost } from './writable-host.ts';
import { ConnectionError } from './connection-error.ts';

/** Does not wait for the disk: a heartbeat need not survive a power cut, because no worker does. */
export const BEAT_SQL = `with quick as (select set_config('synchronous_commit', 'off', true))
update baton.session set beat_at = clock_timestamp() from quick where id = $1::text and not ended returning true`;

export interface Beat {
  /** False: another process has ended the session. Throws when the server does not answer; the next heartbeat tries again. */
  beat(): Promise<boolean>;
  close(): Promise<void>;
}

export interface BeatOptions {
  readonly namespace?: string;
  /** Overrides `notify=off` in the address. */
  readonly notify?: boolean;
}

export async function openPostgresBeat(url: string, sessionId: string, options: BeatOptions = {}): Promise<Beat> {
  const address = readAddress(url, process.env);
  const { namespace = 'baton', notify = address.notify } = options;
  const session = notify ? { application_name: 'baton beat', statement_timeout: '5000' } : {};
  const open = (): Promise<Driver> => writableHost({ address, namespace, session, prepare: notify });
  let link: Driver | null = null;

  const beat = async (): Promise<boolean> => {
    if (link?.alive !== true) link = await open();
    return (await link.run(BEAT_SQL, [sessionId])).length > 0;
  };

  return {
    beat: async () => {
      try {
        return await beat();
      } catch (error) {
        // The connection had ended unnoticed: try once more on a new one.
        if (error instanceof ConnectionError && error.kind === 'lost') return beat();
        throw error;
      }
    },
    close: async () => link?.end(),
  };
}
