/**
 * Opens a database file for a hook that checks for offers. It finds what the store finds, along the same indexes, but
 * loads less code: an agent waits for its hook.
 */
import type { Clock } from '../../foundation/clock.ts';
import { isFinal, STATES } from '../../domain/lifecycle.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import { PRIORITIES, type Priority } from '../../domain/priority.ts';
import { stateNumber } from '../stored-numbers.ts';
import type { OfferReader, Offer } from '../offer-reader.ts';
import { loadAgentSession } from './agent-sessions.ts';
import { prepare, sqlOn, type Row } from './binding.ts';
import { ensureDatabaseFile } from './database-file.ts';
import { numbersSql, ON_OFFER } from './on-offer.ts';
import { openToRead } from './read-only.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { noteTokenUse, tokenByHash } from './tokens.ts';

const AGENT_SQL = 'SELECT n FROM agent WHERE name = ?';
export const OFFERS_SQL = `SELECT id, (SELECT name FROM agent WHERE n = sender), title, priority, offered_at, not_before
  FROM handoff WHERE n IN (${numbersSql(ON_OFFER)}) ORDER BY n DESC LIMIT ?2`;
export const STILL_OPEN_SQL = `SELECT id FROM handoff WHERE id IN (SELECT value FROM json_each(?))
  AND state NOT IN (${STATES.filter(isFinal).map(stateNumber).join(', ')})`;

/** Null: the file has another schema version; opening the store migrates or refuses it. */
export function openOfferReader(path: string, clock: Clock): OfferReader | null {
  ensureDatabaseFile(path);
  const { database } = openToRead(path, { sync: 'full' });
  if (prepare(database, 'PRAGMA user_version').get()?.[0] !== SCHEMA_VERSION) {
    database.close();
    return null;
  }
  const nowMs = (): number => clock.nowMs();
  const sql = sqlOn(database);
  return {
    offersTo: async (agent, max) => {
      const [n = null] = sql(AGENT_SQL).get(agent) ?? [];
      return n === null ? [] : sql(OFFERS_SQL).all(n, max).map(offerOf);
    },
    stillOpen: async (ids) =>
      sql(STILL_OPEN_SQL)
        .all(JSON.stringify(ids))
        .map(([id]) => id as HandoffId),
    nowMs,
    agents: { load: async (id) => loadAgentSession(sql, 'id', id) },
    tokens: {
      byHash: async (hash) => tokenByHash(sql, hash),
      used: async (id) => noteTokenUse(sql, id, nowMs()),
    },
    close: async () => database.close(),
  };
}

function offerOf([id, from, title, priority, offeredAt, notBefore]: Row): Offer {
  return {
    id: id as HandoffId,
    from: from as AgentId,
    title: title as string | null,
    priority: PRIORITIES[priority as number] as Priority,
    offeredAt: offeredAt as number,
    notBefore: notBefore as number,
  };
}
