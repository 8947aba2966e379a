/**
 * Worker sessions and the duty lease. Their connection does not wait for the disk: none of it has to survive a power cut,
 * because no worker does.
 *
 * Silence is measured on the monotonic clock, which all processes of one boot share. A row of another boot counts as
 * silent for as long as this process has seen it unchanged: it may belong to an earlier start of this machine, or to a
 * running container with a kernel of its own.
 */
import { assert } from '../../foundation/assert.ts';
import { nextClockMark, type Clock, type ClockMark } from '../../foundation/clock.ts';
import { orNull } from '../../foundation/or-null.ts';
import { identityText, isSameProcess, placeOf } from '../../foundation/process-identity.ts';
import type { AgentId, SessionId } from '../../domain/names.ts';
import type { DutyHolder, ProcessIdentity, RunningGroup, SessionRecord, Sessions, Upkeep } from '../store.ts';
import { prepare, type Database, type Row } from './binding.ts';

export interface UnsyncedConnection {
  /** Runs `act` in a transaction. `waitedMs`: how long it waited for the write lock. */
  write<Answer>(act: (database: Database, waitedMs: number) => Answer): Promise<Answer>;
  /** Reads without the write lock. */
  read<Answer>(act: (database: Database) => Answer): Promise<Answer>;
}

export const BEAT_SQL = 'UPDATE session SET beat_ms = ? WHERE id = ? AND ended = 0';

/** How many sessions of other boots are watched. Above this the watch starts over, which makes them end later. */
const WATCHED_MAX = 10_000;

/** Deletes rows of places without a process. A holder that still runs takes its duty again within a second. */
const FORGET_DUTIES = 'DELETE FROM duty WHERE boot <> ? OR beat_ms < ?';
const DUTY_KEPT_MS = 60 * 60_000;

const HOLDS = 'EXISTS (SELECT 1 FROM handoff WHERE handoff.session = session.n)';

export function sessionsOf(unsynced: UnsyncedConnection, clock: Clock, boot: string): Sessions {
  const silenceOf = silencesBy(clock, boot);

  return {
    open: ({ id, agent, process, leaseMs }) =>
      unsynced.write((database) => {
        prepare(database, 'INSERT INTO agent (name) VALUES (?) ON CONFLICT (name) DO NOTHING').run(agent);
        prepare(
          database,
          `INSERT INTO session (id, agent, process, boot, beat_ms, lease_ms)
           VALUES (?, (SELECT n FROM agent WHERE name = ?), ?, ?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET beat_ms = excluded.beat_ms WHERE ended = 0`,
        ).run(id, agent, JSON.stringify(process), process.boot, clock.monotonicMs(), leaseMs);
      }),
    beat: (id) => unsynced.write((database) => prepare(database, BEAT_SQL).run(clock.monotonicMs(), id) === 1),
    running: (id, groups) =>
      unsynced.write((database) => {
        prepare(database, 'UPDATE session SET groups = ? WHERE id = ?').run(JSON.stringify(groups), id);
      }),
    list: () =>
      unsynced.read((database) =>
        prepare(
          database,
          `SELECT session.id, agent.name, process, groups, beat_ms, boot, ended, lease_ms
           FROM session JOIN agent ON agent.n = session.agent WHERE ended = 0 OR ${HOLDS} ORDER BY session.n`,
        )
          .all()
          .map((row): SessionRecord => ({
            id: row[0] as SessionId,
            agent: row[1] as AgentId,
            process: JSON.parse(row[2] as string) as ProcessIdentity,
            groups: JSON.parse(row[3] as string) as RunningGroup[],
            leaseMs: row[7] as number,
            silentForMs: silenceOf(row[0] as string, row[4] as number, row[5] as string),
            ended: row[6] === 1,
          })),
      ),
    end: (id, silentForMs) =>
      unsynced.write((database, waitedMs) => {
        const row = prepare(database, 'SELECT beat_ms, boot, ended FROM session WHERE id = ?').get(id);
        if (row === undefined || row[2] === 1) return true;
        // While we waited for the lock, the session could not write a heartbeat either.
        if (silenceOf(id, row[0] as number, row[1] as string) - waitedMs < silentForMs) return false;
        return prepare(database, 'UPDATE session SET ended = 1 WHERE id = ?').run(id) === 1;
      }),
    forget: (id) =>
      unsynced.write((database) => {
        const holds = prepare(database, `SELECT ${HOLDS} FROM session WHERE id = ?`).get(id)?.[0] === 1;
        assert(!holds, `session ${id} holds nothing any more`);
        prepare(database, 'DELETE FROM session WHERE id = ? AND ended = 1').run(id);
      }),
  };
}

export function dutyOf(
  unsynced: UnsyncedConnection,
  clock: Clock,
  boot: string,
): Pick<Upkeep, 'dutyHolder' | 'takeDuty' | 'leaveDuty' | 'checkClock'> {
  const silenceOf = silencesBy(clock, boot);
  const holderOf = (database: Database, place: string): DutyHolder | null => {
    const row = prepare(database, 'SELECT process, boot, beat_ms FROM duty WHERE host = ?').get(place);
    if (row === undefined) return null;
    const silentForMs = silenceOf(place, row[2] as number, row[1] as string);
    return { process: JSON.parse(row[0] as string) as ProcessIdentity, silentForMs };
  };

  return {
    dutyHolder: (process) => unsynced.read((database) => holderOf(database, placeOf(process))),
    takeDuty: (process, instead) =>
      unsynced.write((database) => {
        const place = placeOf(process);
        const present = holderOf(database, place);
        const mine = present !== null && isSameProcess(present.process, process);
        const judged = present !== null && instead !== null && isSameProcess(present.process, instead.process);
        // The holder that was found gone may have sent a heartbeat since.
        const isStillSilent = judged && present.silentForMs >= instead.silentForMs;
        if (present !== null && !mine && !isStillSilent) return false;
        if (present === null) prepare(database, FORGET_DUTIES).run(boot, clock.monotonicMs() - DUTY_KEPT_MS);
        prepare(
          database,
          `INSERT INTO duty (host, process, boot, beat_ms) VALUES (?, ?, ?, ?) ON CONFLICT (host)
           DO UPDATE SET process = excluded.process, boot = excluded.boot, beat_ms = excluded.beat_ms`,
        ).run(place, identityText(process), process.boot, clock.monotonicMs());
        return true;
      }),
    checkClock: (own) =>
      unsynced.write((database) => {
        const row = prepare(database, 'SELECT boot, monotonic_ms, wall_ms, steady_since_ms FROM clock').get();
        const next = nextClockMark(row === undefined ? null : markOf(row), { ...own, wallMs: clock.nowMs() });
        const { mark } = next;
        prepare(
          database,
          `INSERT INTO clock (n, boot, monotonic_ms, wall_ms, steady_since_ms) VALUES (1, ?, ?, ?, ?) ON CONFLICT (n)
           DO UPDATE SET boot = excluded.boot, monotonic_ms = excluded.monotonic_ms, wall_ms = excluded.wall_ms,
             steady_since_ms = excluded.steady_since_ms`,
        ).run(mark.boot, mark.monotonicMs, mark.wallMs, mark.steadySinceMs);
        return next.observation;
      }),
    leaveDuty: (process) =>
      unsynced.write((database) => {
        prepare(database, 'DELETE FROM duty WHERE host = ? AND process = ?').run(
          placeOf(process),
          identityText(process),
        );
      }),
  };
}

function markOf(row: Row): ClockMark {
  const [boot, monotonicMs, wallMs, steadySinceMs] = row as [string, number, number, number];
  return { boot, monotonicMs, wallMs, steadySinceMs };
}

/**
 * A heartbeat in the future belongs to an earlier boot, on a system without boot ids. It is watched like every heartbeat
 * of another boot.
 */
function silencesBy(clock: Clock, boot: string): (id: string, beatMs: number, ofBoot: string) => number {
  const watched = new Map<string, { readonly beatMs: number; readonly sinceMs: number }>();
  return (id, beatMs, ofBoot) => {
    const nowMs = clock.monotonicMs();
    if (ofBoot === boot && nowMs - beatMs > -1_000) return Math.max(0, nowMs - beatMs);
    const known = watched.get(id);
    if (known?.beatMs === beatMs) return nowMs - known.sinceMs;
    if (watched.size >= WATCHED_MAX) watched.clear();
    watched.set(id, { beatMs, sinceMs: nowMs });
    return 0;
  };
}

/** The processes of sessions and of the duty: only these may be stopped and continued. */
export function processesWith(database: Database, pid: number): readonly ProcessIdentity[] {
  const processes = prepare(
    database,
    `SELECT process FROM session WHERE json_extract(process, '$.pid') = ?1
     UNION SELECT process FROM duty WHERE json_extract(process, '$.pid') = ?1`,
  );
  // The database cannot be read while another process repairs the log.
  return orNull(() => processes.all(pid).map(([text]) => JSON.parse(text as string) as ProcessIdentity)) ?? [];
}
