import { assert } from '../../foundation/assert.ts';
import type { JsonText } from '../../foundation/json.ts';
import type { Decide } from '../../domain/decision.ts';
import type { AgentId } from '../../domain/names.ts';
import { CLAIM_MAX, type Claimed } from '../store.ts';
import { assertValidRecord } from '../valid-record.ts';
import { isBusy, type Row } from './binding.ts';
import type { HandoffParts } from './change.ts';
import { IS_PAUSED_SQL } from './pauses.ts';
import { readRow, ROW_COLUMNS, type ReadRow } from './rows.ts';
import { stateNumber } from '../stored-numbers.ts';
import { enoughReadable } from '../column-codecs.ts';
import type { Work } from './shared-commit.ts';

const OFFERED = stateNumber('offered');

export const CLAIM_SQL = `SELECT ${ROW_COLUMNS.replaceAll(/\b(\w+)\b/g, 'handoff.$1')}, body.text
  FROM handoff INDEXED BY handoff_ready JOIN body ON body.handoff = handoff.n
  WHERE recipient = ? AND state = ${OFFERED} AND ready = 1 ORDER BY rank, n LIMIT ?`;

/** Marks delayed handoffs whose time has come as ready. Usually there are none. */
export const RIPEN_SQL = `UPDATE handoff INDEXED BY handoff_delayed SET ready = 1
  WHERE recipient = ? AND state = ${OFFERED} AND ready = 0 AND not_before <= ?`;

export const PROBE_SQL = `SELECT
  EXISTS (SELECT 1 FROM handoff INDEXED BY handoff_ready WHERE recipient = ?1 AND state = ${OFFERED} AND ready = 1),
  EXISTS (SELECT 1 FROM handoff INDEXED BY handoff_delayed
          WHERE recipient = ?1 AND state = ${OFFERED} AND ready = 0 AND not_before <= ?2),
  EXISTS (${IS_PAUSED_SQL.replace('?', '?3')})`;

export interface Claim {
  /** Checks without the write lock whether anything is ready, and whether some of it is still marked as delayed. */
  probe(agent: AgentId): 'nothing' | 'ready' | 'ripe';
  work(agent: AgentId, max: number, decide: Decide, hasDelayed: boolean): Work<readonly Claimed[]>;
}

export function claimOf({ sql, names, writing, sessions, nowMs }: HandoffParts): Claim {
  const probe = sql(PROBE_SQL);
  const ripen = sql(RIPEN_SQL);
  const select = sql(CLAIM_SQL);
  const paused = sql(IS_PAUSED_SQL);

  /** Returns `busy` while the database is locked; then the claim itself has to check. */
  const unlessBusy = (get: () => Row | undefined, busy: Row): Row | undefined => {
    try {
      return get();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return busy;
    }
  };

  return {
    probe: (agent) => {
      const n = names.knownAgentNumber(agent);
      if (n === null) return 'nothing';
      // One statement, because each takes and releases locks of its own.
      const [ready, ripe, isPaused] = unlessBusy(() => probe.get(n, nowMs(), agent), [1, 1, 0]) ?? [];
      if (isPaused === 1 || (ripe !== 1 && ready !== 1)) return 'nothing';
      return ripe === 1 ? 'ripe' : 'ready';
    },
    work: (agent, max, decide, hasDelayed) => () => {
      const n = names.knownAgentNumber(agent);
      // Another process may have paused the agent since `probe`.
      if (n === null || paused.get(agent) !== undefined) return () => [];
      const now = nowMs();
      if (hasDelayed) ripen.run(n, now);
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
          assert(written, 'no other process writes inside our transaction');
          return { handoff: decision.handoff, body };
        });
    },
  };
}
