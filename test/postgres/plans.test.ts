/** Nothing on the way of a claim grows with what is finished: every statement there goes through an index. */
import { beforeAll, expect, it } from 'vitest';
import type postgres from 'postgres';
import { systemRandom } from '../../src/foundation/random.ts';
import { NO_LIMITS } from '../../src/domain/limits.ts';
import { READY_LOCKED_SQL, READY_SQL } from '../../src/stores/postgres/claim.ts';
import { FEED_BEFORE_SQL, FEED_SQL, HELD_BACK_SQL, TRAIL_SQL } from '../../src/stores/postgres/facts.ts';
import {
  ARE_FEW_SQL,
  ASKING_SQL,
  CHAIN_SQL,
  FAILED_DEPENDENCY_SQL,
  FREED_SQL,
  listStatement,
  ARTIFACTS_SQL,
  OVERDUE_SQL,
  PLACES_SQL,
  RETRIES_SQL,
  VISIBLE_CHAIN_SQL,
  WAITING_SQL,
  SESSION_SQL,
} from '../../src/stores/postgres/find.ts';
import { PLANNED_ONCE } from '../../src/stores/postgres/session-setup.ts';
import { POLL_SQL } from '../../src/stores/postgres/wake-waiters.ts';
import { LOAD_SQL, RECORDS_SQL } from '../../src/stores/postgres/load.ts';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import { DUE_SQL, INBOX_SQL } from '../../src/stores/postgres/outbox.ts';
import { LIST_SQL } from '../../src/stores/postgres/sessions.ts';
import { moveStatement } from '../../src/stores/postgres/move-statement.ts';
import { ADD_SQL, CURSOR_SQL, NEXT_SQL } from '../../src/stores/postgres/text-index.ts';
import { agentOf, openingsOf } from '../contract/builders.ts';
import { put } from '../contract/store-checks.ts';
import { describeWithServer } from './fixture.ts';

const FINISHED = 100_000;
const WORKER = agentOf('worker');

const PLAIN = {
  factCount: 'many',
  outcomes: true,
  effects: true,
  counting: 'yes',
  joining: true,
  gated: false,
  bodies: true,
  best: true,
  notified: true,
  notifying: true,
  revising: false,
  erasing: false,
} as const;

await describeWithServer('query plans', 'shared', (fixture) => {
  let sql: postgres.Sql;

  beforeAll(async () => {
    const { url, name } = await fixture.database();
    const store = await openPostgresStore({ url, limits: NO_LIMITS, random: systemRandom });
    await put(store, ...openingsOf(50, 'open'));
    await store.close();
    sql = fixture.server.sql(name);
    await fillWithFinished(sql);
  });

  const list = (...given: Parameters<typeof listStatement>): string => listStatement(...given).statement;
  const everything = { by: 'filter', max: 50 } as const;

  it.each([
    ['claim', READY_SQL, ['handoff_offered', 'body_pkey']],
    ['claim with others', READY_LOCKED_SQL, ['handoff_offered', 'body_pkey']],
    ['overdue', OVERDUE_SQL, ['handoff_due']],
    ['held by a session', SESSION_SQL, ['handoff_held']],
    ['freed', FREED_SQL, ['handoff_resting']],
    ['poll', POLL_SQL, ['handoff_offered']],
    ['load', LOAD_SQL, ['handoff_pkey']],
    ['load several', RECORDS_SQL, ['handoff_pkey']],
    ['facts', FEED_SQL, ['fact_order']],
    ['facts before a horizon', FEED_BEFORE_SQL, ['fact_order']],
    ['facts held back', HELD_BACK_SQL, ['fact_order']],
    ['facts of one', TRAIL_SQL, ['handoff_pkey', 'fact_pkey']],
    ['effects due', DUE_SQL, ['effect_due']],
    ['an inbox', INBOX_SQL, ['effect_inbox']],
    ['a chain', CHAIN_SQL, ['handoff_pkey', 'body_chain']],
    ['a chain as far as an agent may see it', VISIBLE_CHAIN_SQL, ['handoff_pkey', 'body_chain', 'verifier_pkey']],
    ['what names artifacts', ARTIFACTS_SQL, ['artifact_use_pkey', 'body_pkey', 'handoff_pkey']],
    [
      'all that an agent may see',
      list({ ...everything, visibleTo: WORKER, after: '9.9' }),
      ['body_sender', 'body_recipient', 'verifier_pkey'],
    ],
    [
      'what an agent may see of few words',
      list({ ...everything, visibleTo: WORKER }, { query: "'x'", areFew: true }),
      ['words_words', 'body_pkey', 'verifier_pkey'],
    ],
    ['places', PLACES_SQL, ['handoff_resting']],
    ['what waits for an answer', ASKING_SQL, ['handoff_resting']],
    ['what waits for a name', WAITING_SQL, ['handoff_resting', 'dependency_pkey']],
    ['what waits for something that has ended badly', FAILED_DEPENDENCY_SQL, ['handoff_resting', 'dependency_pkey']],
    ['the retries of some', RETRIES_SQL, ['body_chain', 'handoff_pkey']],
    ['how far the words are', CURSOR_SQL, ['fact_order', 'indexed_pkey']],
    ['what is missing among the words', NEXT_SQL, ['fact_order', 'words_pkey', 'body_pkey']],
    ['adding words', ADD_SQL, ['indexed_pkey']],
    ['whether words are few', ARE_FEW_SQL, ['words_words']],
    ['few words', list(everything, { query: "'x'", areFew: true }), ['words_words', 'body_pkey', 'handoff_pkey']],
    [
      'few words of an agent',
      list({ ...everything, agent: WORKER, states: ['offered'] }, { query: "'x'", areFew: true }),
      ['words_words', 'body_pkey', 'handoff_pkey'],
    ],
    ['many words', list(everything, { query: "'x'", areFew: false }), ['body_created', 'words_pkey']],
    ['newest of an agent', list({ ...everything, agent: WORKER }), ['body_sender', 'body_recipient']],
    [
      'what an agent has open',
      list({ ...everything, agent: WORKER, states: ['offered', 'blocked'] }),
      ['handoff_offered', 'handoff_resting'],
    ],
    [
      'change',
      moveStatement(PLAIN),
      ['handoff_pkey', 'session_pkey', 'place_pkey', 'listener_pkey', 'handoff_offered'],
    ],
    ['newest', list(everything), ['body_created']],
    ['newest of a sender', list({ ...everything, from: agentOf('sender-7') }), ['body_sender']],
    [
      'newest of a recipient',
      list({ ...everything, to: agentOf('worker-7'), states: ['completed'] }),
      ['body_recipient'],
    ],
    [
      'what is open',
      list({ ...everything, states: ['offered', 'accepted', 'blocked'] }),
      ['handoff_offered', 'handoff_held', 'handoff_resting'],
    ],
    ['what failed', list({ ...everything, states: ['failed'], to: WORKER }), ['handoff_resting']],
  ])('%s uses its index and reads no table whole', async (_, statement, indexes) => {
    const plan = await planOf(sql, statement);
    expect(seqScansIn(plan)).toEqual([]);
    for (const index of indexes) expect(JSON.stringify(plan)).toContain(`"${index}"`);
  });

  it('a list of sessions looks for what each holds in the index of what is held', async () => {
    expect(JSON.stringify(await planOf(sql, LIST_SQL))).toContain('"handoff_held"');
  });

  it('a claim reads a few pages, however much is finished', async () => {
    const pages = await sql.begin(async (transaction) => {
      await transaction.unsafe(`${SETTINGS} prepare look as ${READY_SQL}`);
      const [row] = await transaction.unsafe(`explain (analyze, buffers, format json) execute look('worker', 10)`);
      return pagesOf(row as Record<string, unknown>);
    });
    // A few for each of the ten, in rows, bodies and their indexes; everything that is finished fills thousands.
    expect(pages).toBeLessThan(400);
  });
});

const SETTINGS = Object.entries(PLANNED_ONCE)
  .map(([name, value]) => `set local ${name} = ${value};`)
  .join(' ');

type Plan = Readonly<Record<string, unknown>>;

/** With the settings of our connections, and for any parameters: that is how a prepared statement runs. */
async function planOf(sql: postgres.Sql, statement: string): Promise<Plan> {
  const rows = await sql.begin(async (transaction) => {
    const count = Math.max(0, ...[...statement.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])));
    const nothing = count === 0 ? '' : `(${Array.from({ length: count }, () => 'null').join(', ')})`;
    await transaction.unsafe(`${SETTINGS} prepare look as ${statement}`);
    const explained = await transaction.unsafe(`explain (format json) execute look${nothing}`);
    await transaction.unsafe('deallocate look');
    return explained;
  });
  const [first] = (rows[0] as unknown as { readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[] })['QUERY PLAN'];
  return first!.Plan;
}

function seqScansIn(plan: Plan): readonly string[] {
  const below = (plan['Plans'] as readonly Plan[] | undefined) ?? [];
  const here = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] as string] : [];
  return [...here, ...below.flatMap(seqScansIn)];
}

function pagesOf(row: Record<string, unknown>): number {
  const [{ Plan: plan }] = row['QUERY PLAN'] as [{ readonly Plan: Plan }];
  return Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks']);
}

/** As if they had been sent, claimed and completed; a few failed, and each hundredth is still held. */
async function fillWithFinished(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    insert into baton.handoff (id, n, recipient, revision, state, since, offered_at, not_before, rank, due_at,
        attempt, excused, fence, session, holder, trail)
      select 'done-' || i, 1000 + i, case when i % 3 = 0 then 'worker' else 'worker-' || i % 50 end, 4,
        case when i % 100 = 0 then 3 when i % 37 = 0 then 6 else 5 end, i, i, 0, i,
        case when i % 100 = 0 then 4000000000000 end, 1, 0, 1,
        case when i % 100 = 0 then 'session-' || i % 7 end, case when i % 100 = 0 then 'worker' end, 'x'
      from generate_series(1, ${FINISHED}) i;
    insert into baton.body (n, id, kind, sender, recipient, priority, created_at, text)
      select 1000 + i, 'done-' || i, 0, 'sender-' || i % 50, case when i % 3 = 0 then 'worker' else 'worker-' || i % 50 end, 2, i, '{}'
      from generate_series(1, ${FINISHED}) i;
    insert into baton.fact (n, revision, at, by, step, attempt, fence, hash)
      select 1000 + i, r, i, 'system', (select max(step) from baton.fact), 0, 0, 'x'
      from generate_series(1, ${FINISHED}) i, generate_series(1, 2) r;
    insert into baton.words (n, words)
      select 1000 + i, array_to_tsvector(array['often', 'w' || i]) from generate_series(1, ${FINISHED}) i;
    insert into baton.effect (key, kind, payload, done) select 'k' || i, 'x', 'null', true from generate_series(1, 20000) i;
    insert into baton.session (id, agent, process, ended) select 'session-' || i, 'worker', '{}', true from generate_series(1, 2000) i;
    analyze baton.handoff; analyze baton.body; analyze baton.fact; analyze baton.words; analyze baton.effect; analyze baton.session; analyze baton.listener`);
}
