/**
 * Removes finished handoffs and keeps a tombstone of each. One statement removes them after locking the row that counts
 * inserts with dependencies: such an insert either came before, or finds the handoff gone.
 */
import { KINDS } from '../../domain/handoff.ts';
import { isFinal, STATES } from '../../domain/lifecycle.ts';
import { StoreFault } from '../../foundation/store-fault.ts';
import { ROUNDS_MAX, type Removal, type Retention, type CopiesPage, type Head } from '../store.ts';
import type { Connection, LockingConnection } from './connection.ts';
import { removedOf } from './removed.ts';
import { NOW_MS } from './schema.ts';
import { copiesSql, readCopies } from './transfer.ts';

const FIRST_FINAL = STATES.findIndex(isFinal);
const QUEUE = KINDS.indexOf('queue');
const ROOT = `coalesce((b.lineage::jsonb) ->> 'root', b.id) collate "C"`;

/** The chain has a member that is open, newer than `before`, or a document; or something open depends on a member. */
const isNeeded = (before: string): string => `exists (
  select from (
    select m.id, m.n from baton.body m where m.n in (select x.n from baton.handoff x where x.id in (b.id, ${ROOT}))
    union all select m.id, m.n from baton.body m
      where m.lineage is not null and ((m.lineage::jsonb) ->> 'root') collate "C" = ${ROOT}
  ) member join baton.handoff mh on mh.id = member.id join baton.body mb on mb.n = member.n
  where mh.state < ${FIRST_FINAL} or mb.kind <> ${QUEUE} or mh.since >= ${before} or exists (
    select from baton.dependency d join baton.handoff waiting on waiting.id = d.id
    where d.needs = member.id and waiting.state < ${FIRST_FINAL}))`;

const PAGE_SQL = `select b.n, h.state < ${FIRST_FINAL} or b.kind <> ${QUEUE} or h.since >= $2::bigint
  or ${isNeeded('$2::bigint')}
from (select * from baton.body where n > $1::bigint order by n limit $3::integer) b join baton.handoff h on h.id = b.id
order by b.n`;

const COPIES_SQL = copiesSql(
  'b.n in (select value::bigint from json_array_elements_text($1::text::json)) order by b.n',
);

const REMOVE_SQL = `with gone as (
  delete from baton.handoff h using json_to_recordset($1::text::json) as g(id text, trail text), baton.body b
  where h.id = g.id and h.trail = g.trail and b.n = h.n and h.state >= ${FIRST_FINAL}
    and not ${isNeeded(`${Number.MAX_SAFE_INTEGER}::bigint`)}
  returning h.id, h.n
), bodies as (delete from baton.body b using gone where b.n = gone.n returning b.*),
outcomes as (delete from baton.outcome o using gone where o.n = gone.n),
facts as (delete from baton.fact f using gone where f.n = gone.n),
unworded as (delete from baton.words w using gone where w.n = gone.n),
needs as (delete from baton.dependency d using gone where d.id = gone.id),
effects as (delete from baton.effect e using gone where e.key > gone.id || ':' and e.key < gone.id || ';'),
verifiers as (delete from baton.verifier v using bodies b
  cross join lateral json_array_elements_text(coalesce(b.terms::json -> 'verifiers', '[]')) as x(name)
  where v.agent = x.name and v.created_at = b.created_at and v.n = b.n),
artifacts as (delete from baton.artifact_use v using bodies b
  cross join lateral json_array_elements_text(coalesce(b.terms::json -> 'artifacts', '[]')) as x(name)
  where v.artifact = x.name and v.created_at = b.created_at and v.n = b.n)
insert into baton.removed (id, sender, recipient, at, archive)
select id, sender, recipient, ${NOW_MS}, $2::text from bodies`;

const LOCK_SQL = 'select revision from baton.graph for update';

const HEADS_SQL = `select h.id, h.trail from json_array_elements_text($1::text::json) as wanted(id)
join baton.handoff h on h.id = wanted.id`;

export function retentionOf(reads: Connection, writes: LockingConnection): Retention {
  return {
    removable: async (settledBefore, after, max): Promise<CopiesPage> => {
      const looked = await reads.read(PAGE_SQL, [after === null ? 0 : Number(after), settledBefore, max]);
      const free = looked.filter(([, needed]) => needed === false).map(([n]) => n);
      const { items, damaged } = readCopies(
        free.length === 0 ? [] : await reads.read(COPIES_SQL, [JSON.stringify(free)]),
      );
      return { items, damaged, next: looked.length < max ? null : String(looked.at(-1)?.[0]) };
    },
    remove: async (heads, archive) => {
      const given = JSON.stringify(heads.map(({ id, trail }) => ({ id, trail })));
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const { end } = await writes.transaction(async (on) => {
          await on.write(LOCK_SQL);
          await on.write(REMOVE_SQL, [given, archive]);
        });
        // After a lost answer it can be repeated: what was removed is not found again.
        if (end === 'done') return removals(reads, heads, archive);
      }
      throw new StoreFault('the server was lost too often while handoffs were removed; try again', 'unknown');
    },
    removed: (ids) => removedOf(reads, ids),
  };
}

async function removals(reads: Connection, heads: readonly Head[], archive: string): Promise<readonly Removal[]> {
  const ids = heads.map(({ id }) => id);
  const there = new Map((await reads.read(HEADS_SQL, [JSON.stringify(ids)])).map(([id, trail]) => [id, trail]));
  const gone = new Map((await removedOf(reads, ids)).map((each) => [each.id, each.archive]));
  return heads.map(({ id, trail }): Removal => {
    const found = there.get(id);
    if (found !== undefined) return found === trail ? 'needed' : 'changed';
    return gone.get(id) === archive ? 'removed' : 'elsewhere';
  });
}
