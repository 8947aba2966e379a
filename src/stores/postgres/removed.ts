/** Reads the tombstones of removed handoffs. */
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { RemovedHandoff } from '../store.ts';
import type { Connection } from './connection.ts';

const REMOVED_SQL = `select r.id, r.sender, r.recipient, r.at, r.archive
from json_array_elements_text($1::text::json) as wanted(id) join baton.removed r on r.id = wanted.id`;

export async function removedOf(reads: Connection, ids: readonly HandoffId[]): Promise<readonly RemovedHandoff[]> {
  const rows = await reads.read(REMOVED_SQL, [JSON.stringify(ids)]);
  return rows.map(([id, from, to, at, archive]) => ({
    id: id as HandoffId,
    from: from as AgentId,
    to: to as AgentId,
    at: Number(at),
    archive: archive as string,
  }));
}
