import { systemClock } from '../../foundation/clock.ts';
import type { SessionId } from '../../domain/names.ts';
import { openDatabase, prepare } from './binding.ts';
import { BEAT_SQL } from './sessions.ts';

/** Sends heartbeats on a separate connection, for a thread. Resolves to false when another process has ended the session. */
export function openSqliteBeat(path: string, session: SessionId): () => Promise<boolean> {
  const database = openDatabase(path, { sync: 'normal' });
  const statement = prepare(database, BEAT_SQL);
  return async () => statement.run(systemClock.monotonicMs(), session) === 1;
}
