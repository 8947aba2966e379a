/**
 * Worker sessions and the duty lease. They live on a connection that does not wait for the disk: none of it has to
 * survive a power cut, because no worker does.
 *
 * Silence is measured on the monotonic clock, which all processes of one boot share; a row of another boot is silent
 * for ever.
 */
import { assert } from '../../foundation/assert.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { AgentId, SessionId } from '../../domain/names.ts';
import type { DutyHolder, ProcessIdentity, RunningGroup, SessionRecord, Sessions, Upkeep } from '../store.ts';
import { prepare, type Database, type Row } from './binding.ts';

export interface Quiet {
  /** Runs a few statements in a transaction when nobody else writes. */
  write<Answer>(act: (database: Database) => Answer): Promise<Answer>;
  /** Looks, without asking for the write lock. */
  read<Answer>(act: (database: Database) => Answer): Promise<Answer>;
}

export const BEAT_SQL = 'UPDATE session SET beat_ms = ? WHERE id = ? AND ended = 0';

const HOLDS = 'EXISTS (SELECT 1 FROM handoff WHERE handoff.session = session.n)';

export function sessionsOf(quiet: Quiet, clock: Clock, boot: string): Sessions {
  const silence = (row: Row, beatAt: number, bootAt: number): number =>
    silenceOf(row[beatAt] as number, row[bootAt] === boot, clock);

  return {
    open: ({ id, agent, process, leaseMs }) =>
      quiet.write((database) => {
        prepare(database, 'INSERT INTO agent (name) VALUES (?) ON CONFLICT (name) DO NOTHING').run(agent);
        prepare(
          database,
          `INSERT INTO session (id, agent, process, boot, beat_ms, lease_ms)
           VALUES (?, (SELECT n FROM agent WHERE name = ?), ?, ?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET beat_ms = excluded.beat_ms WHERE ended = 0`,
        ).run(id, agent, JSON.stringify(process), process.boot, clock.monotonicMs(), leaseMs);
      }),
    beat: (id) => quiet.write((database) => prepare(database, BEAT_SQL).run(clock.monotonicMs(), id) === 1),
    running: (id, groups) =>
      quiet.write((database) => {
        prepare(database, 'UPDATE session SET groups = ? WHERE id = ?').run(JSON.stringify(groups), id);
      }),
    list: () =>
      quiet.read((database) =>
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
            silentForMs: silence(row, 4, 5),
            ended: row[6] === 1,
          })),
      ),
    end: (id, silentForMs) =>
      quiet.write((database) => {
        const row = prepare(database, 'SELECT beat_ms, boot, ended FROM session WHERE id = ?').get(id);
        if (row === undefined || row[2] === 1) return true;
        if (silence(row, 0, 1) < silentForMs) return false;
        return prepare(database, 'UPDATE session SET ended = 1 WHERE id = ?').run(id) === 1;
      }),
    forget: (id) =>
      quiet.write((database) => {
        const holds = prepare(database, `SELECT ${HOLDS} FROM session WHERE id = ?`).get(id)?.[0] === 1;
        assert(!holds, `session ${id} holds nothing any more`);
        prepare(database, 'DELETE FROM session WHERE id = ? AND ended = 1').run(id);
      }),
  };
}

export function dutyOf(
  quiet: Quiet,
  clock: Clock,
  boot: string,
): Pick<Upkeep, 'dutyHolder' | 'takeDuty' | 'leaveDuty'> {
  const holderOf = (database: Database, host: string): DutyHolder | null => {
    const row = prepare(database, 'SELECT process, boot, beat_ms FROM duty WHERE host = ?').get(host);
    if (row === undefined) return null;
    const silentForMs = silenceOf(row[2] as number, row[1] === boot, clock);
    return { process: JSON.parse(row[0] as string) as ProcessIdentity, silentForMs };
  };

  return {
    dutyHolder: (host) => quiet.read((database) => holderOf(database, host)),
    takeDuty: (process, instead) =>
      quiet.write((database) => {
        const present = holderOf(database, process.host);
        const mine = present !== null && isSame(present.process, process);
        const judged = present !== null && instead !== null && isSame(present.process, instead.process);
        // The one that was judged gone may have come back meanwhile.
        const still = judged && present.silentForMs >= instead.silentForMs;
        if (present !== null && !mine && !still) return false;
        prepare(
          database,
          `INSERT INTO duty (host, process, boot, beat_ms) VALUES (?, ?, ?, ?) ON CONFLICT (host)
           DO UPDATE SET process = excluded.process, boot = excluded.boot, beat_ms = excluded.beat_ms`,
        ).run(process.host, JSON.stringify(process), process.boot, clock.monotonicMs());
        return true;
      }),
    leaveDuty: (process) =>
      quiet.write((database) => {
        prepare(database, 'DELETE FROM duty WHERE host = ? AND process = ?').run(process.host, JSON.stringify(process));
      }),
  };
}

/** A beat from the future is one of an earlier start of the machine, where the system does not tell starts apart. */
function silenceOf(beatMs: number, sameBoot: boolean, clock: Clock): number {
  const passedMs = clock.monotonicMs() - beatMs;
  return sameBoot && passedMs > -1_000 ? Math.max(0, passedMs) : Number.POSITIVE_INFINITY;
}

function isSame(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startedAt === b.startedAt && a.boot === b.boot && a.pidSpace === b.pidSpace;
}
