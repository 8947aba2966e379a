import { assert } from '../../foundation/assert.ts';
import type { JsonText } from '../../foundation/json.ts';
import type { Decide } from '../../domain/decision.ts';
import type { AgentId } from '../../domain/names.ts';
import { CLAIM_MAX, type Claimed } from '../store.ts';
import { assertValidRecord } from '../valid-record.ts';
import { isBusy, prepare, type Database, type Row } from './binding.ts';
import type { LiveSessions } from './live-sessions.ts';
import { IS_PAUSED_SQL } from './pauses.ts';
import type { RowNumbers } from './row-numbers.ts';
import { readRow, ROW_COLUMNS, type ReadRow } from './rows.ts';
import { stateNumber } from '../numbers.ts';
import { enoughReadable } from '../column-codecs.ts';
import type { Work } from './shared-commit.ts';
import type { RowWriter } from './write-rows.ts';

const OFFERED = stateNumber('offered');

export const CLAIM_SQL = `SELECT ${ROW_COLUMNS.replaceAll(/\b(\w+)\b/g, 'handoff.$1')}, body.text
  FROM handoff INDEXED BY handoff_ready JOIN body ON body.handoff = handoff.n
  WHERE recipient = ? AND state = ${OFFERED} AND ready = 1 ORDER BY rank, n LIMIT ?`;

/** Those whose time has come move over to the ready ones; usually there are none. */
export const RIPEN_SQL = `UPDATE handoff INDEXED BY handoff_delayed SET ready = 1
  WHERE recipient = ? AND state = ${OFFERED} AND ready = 0 AND not_before <= ?`;

export const PROBE_SQL = `SELECT
  EXISTS (SELECT 1 FROM handoff INDEXED BY handoff_ready WHERE recipient = ?1 AND state = ${OFFERED} AND ready = 1),
  EXISTS (SELECT 1 FROM handoff INDEXED BY handoff_delayed
          WHERE recipient = ?1 AND state = ${OFFERED} AND ready = 0 AND not_before <= ?2)`;

export interface Claim {
  /** Without the write lock: whether there is anything to take, and whether some of it has to be made ready first. */
  anything(agent: AgentId): 'nothing' | 'ready' | 'ripe';
  work(agent: AgentId, max: number, decide: Decide, isRipe: boolean): Work<readonly Claimed[]>;
}

export function claimOf(
  database: Database,
  {
    names,
    writing,
    sessions,
    nowMs,
  }: { names: RowNumbers; writing: RowWriter; sessions: LiveSessions; nowMs: () => number },
): Claim {
  const probe = prepare(database, PROBE_SQL);
  const ripen = prepare(database, RIPEN_SQL);
  const select = prepare(database, CLAIM_SQL);
  const paused = prepare(database, IS_PAUSED_SQL);

  const isPaused = (agent: AgentId): boolean => {
    try {
      return paused.get(agent) !== undefined;
    } catch (error) {
      if (!isBusy(error)) throw error;
      return false;
    }
  };

  /** Where it cannot be seen, everything has to be expected. */
  const probed = (n: number): Row | undefined => {
    try {
      return probe.get(n, nowMs());
    } catch (error) {
      if (!isBusy(error)) throw error;
      return [1, 1];
    }
  };

  return {
    anything: (agent) => {
      const n = names.knownAgentNumber(agent);
      if (n === null) return 'nothing';
      const [ready, ripe] = probed(n) ?? [];
      if ((ripe !== 1 && ready !== 1) || isPaused(agent)) return 'nothing';
      return ripe === 1 ? 'ripe' : 'ready';
    },
    work: (agent, max, decide, isRipe) => () => {
      const n = names.knownAgentNumber(agent);
      // Another process may have paused it since somebody looked.
      if (n === null || paused.get(agent) !== undefined) return () => [];
      const now = nowMs();
      if (isRipe) ripen.run(n, now);
      const read = (row: Row): ReadRow & { readonly body: JsonText } => ({
        ...readRow(row, names),
        body: row.at(-1) as JsonText,
      });
      const ready = enoughReadable(Math.min(max, CLAIM_MAX), (limit) => select.all(n, limit), read);
      const taken = ready.flatMap(({ n: number, handoff, body }) => {
        names.rememberHandoff(handoff.id, number);
        const decided = decide(handoff, now);
        if (!decided.ok || !sessions.mayHold(handoff, decided.value.handoff)) return [];
        assertValidRecord(handoff.id, handoff, decided.value);
        return [{ before: handoff, decision: decided.value, body }];
      });
      return () =>
        taken.map(({ before, decision, body }) => {
          const written = writing.update(before, decision, now);
          assert(written, 'nobody else writes inside our transaction');
          return { handoff: decision.handoff, body };
        });
    },
  };
}
