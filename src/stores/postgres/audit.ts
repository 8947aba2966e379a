/**
 * Looks for impossible states. Every check is one statement and so one snapshot, so concurrent writers are not taken for
 * damage. Records are read in pages, because the server ends long statements.
 */
import { OPEN_STATES } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { stateNumber } from '../stored-numbers.ts';
import type { Finding } from '../store.ts';
import type { Connection } from './connection.ts';
import type { Row } from './driver.ts';
import { DOCUMENT, FOR_PLACE } from './sql-numbers.ts';
import { readRow, ROW_COLUMNS } from './rows.ts';
import { damageText } from '../column-codecs.ts';

const PAGE = 5_000;
/** Per kind: more findings of one kind have one cause. */
const FINDINGS_MAX = 100;

/** Server settings that risk data when they are off, and why. */
const SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'the server does not wait for its disk (fsync is off): a power cut can lose or damage everything',
  full_page_writes: 'full_page_writes is off: a power cut can leave torn pages that nothing repairs',
  synchronous_commit: 'synchronous_commit is off: work that was acknowledged can be lost in a crash',
};
const SETTINGS_SQL = `select name from pg_settings where setting = 'off' and name in (${Object.keys(SETTINGS)
  .map((name) => `'${name}'`)
  .join(', ')})`;

const OPEN = OPEN_STATES.map(stateNumber).join(', ');
const COUNTERS_SQL = `with open as (
  select b.sender, b.recipient, b.kind = ${DOCUMENT} as document from baton.handoff h join baton.body b on b.n = h.n
  where h.state in (${OPEN}) and h.blocked is distinct from ${FOR_PLACE}),
real as (select side.agent, side.direction, count(*) as everything, count(*) filter (where document) as documents
  from open cross join lateral (values (sender, 0::smallint), (recipient, 1::smallint)) as side(agent, direction)
  group by side.agent, side.direction)
select p.agent, p.direction, p.all_open, p.documents_open, coalesce(r.everything, 0), coalesce(r.documents, 0)
from baton.place p left join real r on r.agent = p.agent and r.direction = p.direction
where (p.all_open, p.documents_open) is distinct from (coalesce(r.everything, 0), coalesce(r.documents, 0))
limit ${FINDINGS_MAX}`;

const RECORDS_SQL = `with page as (select id, n, revision, trail from baton.handoff where id > $1::text order by id limit ${PAGE})
select page.id, page.revision, counted.facts, last.hash is not distinct from page.trail, b.id is not distinct from page.id
from page
cross join lateral (select count(*)::integer as facts from baton.fact f where f.n = page.n) counted
left join lateral (select hash from baton.fact f where f.n = page.n order by f.revision desc limit 1) last on true
left join baton.body b on b.n = page.n order by page.id`;

const ROWS_SQL = `select ${ROW_COLUMNS} from baton.handoff h join baton.body b on b.n = h.n
where h.id > $1::text order by h.id limit ${PAGE}`;

const BODIES_SQL = `select b.id from baton.body b
where not exists (select from baton.handoff h where h.id = b.id) limit ${FINDINGS_MAX}`;
const FACTS_SQL = `select distinct f.n from baton.fact f
where not exists (select from baton.body b where b.n = f.n) limit ${FINDINGS_MAX}`;

/** Needs a connection without planner settings: these statements read whole tables. */
export async function audit(connection: Connection): Promise<readonly Finding[]> {
  const settings = await connection.read(SETTINGS_SQL);
  const counters = await connection.read(COUNTERS_SQL);
  const bodies = await connection.read(BODIES_SQL);
  const facts = await connection.read(FACTS_SQL);
  return [
    ...settings.map(([name]) => finding('setting', null, SETTINGS[String(name)] ?? String(name))),
    ...counters.map(aboutCounter),
    ...bodies.map(([id]) => finding('body', id as HandoffId, `the body of ${String(id)} has no record`)),
    ...facts.map(([n]) => finding('reference', null, `facts of number ${String(n)} belong to no handoff`)),
    ...(await checkPages(connection, RECORDS_SQL, aboutRecord)),
    ...(await checkPages(connection, ROWS_SQL, aboutRow)),
  ];
}

/** `sql` reads a page of records by id; the first column is the id. */
async function checkPages(
  connection: Connection,
  sql: string,
  about: (row: Row) => readonly Finding[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (let after: string | null = ''; after !== null && findings.length < FINDINGS_MAX;) {
    const rows: readonly Row[] = await connection.read(sql, [after]);
    findings.push(...rows.flatMap(about));
    after = rows.length < PAGE ? null : (rows.at(-1)?.[0] as string);
  }
  return findings;
}

/** Reads a record as a claim or a list would read it. */
function aboutRow(row: Row): readonly Finding[] {
  const says = damageText(() => readRow(row));
  return says === null ? [] : [finding('unreadable', row[0] as HandoffId, says)];
}

function aboutRecord([idValue, revision, facts, isHead, hasBody]: Row): readonly Finding[] {
  const id = idValue as HandoffId;
  return [
    ...(facts === revision ? [] : [finding('revision', id, `${id} has ${facts} facts at revision ${revision}`)]),
    ...(isHead === true ? [] : [finding('trail', id, `${id}: the newest fact is not the head of its trail`)]),
    ...(hasBody === true ? [] : [finding('body', id, `the body of ${id} is missing`)]),
  ];
}

function aboutCounter([agent, direction, all, documents, realAll, realDocuments]: Row): Finding {
  const way = direction === 0 ? 'going out' : 'coming in';
  return finding(
    'counter',
    null,
    `@${String(agent)} counts ${all} open ${way} (${documents} documents); there are ${realAll} (${realDocuments})`,
  );
}

function finding(what: string, handoff: HandoffId | null, says: string): Finding {
  return { what, handoff, says };
}
