/**
 * The beat of a worker session, for a thread of its own: one small connection and one statement, so that a worker
 * whose event loop is busy is not taken for dead.
 */
import { readAddress } from './address.ts';
import type { Driver } from './driver.ts';
import { writableHost } from './writable-host.ts';
import { ConnectionError } from './connection-error.ts';

/** Without waiting for the disk: a beat need not survive a power cut, because the worker does not either. */
export const BEAT_SQL = `with quick as (select set_config('synchronous_commit', 'off', true))
update baton.session set beat_at = clock_timestamp() from quick where id = $1::text and not ended returning true`;

export interface Beat {
  /** False: the session has been ended by others. Throws when the server does not answer; the next beat tries again. */
  beat(): Promise<boolean>;
  close(): Promise<void>;
}

export interface BeatOptions {
  readonly namespace?: string;
  /** As `notify=off` in the address, and before it. */
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
        // A connection that had ended unnoticed: once more on a new one.
        if (error instanceof ConnectionError && error.kind === 'lost') return beat();
        throw error;
      }
    },
    close: async () => link?.end(),
  };
}
