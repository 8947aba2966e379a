/** What must hold in every database after whatever happened to its processes: complaints, or nothing. */
import { firstBrokenRevision, type Fact } from '../../src/domain/facts.ts';
import type { Handoff } from '../../src/domain/handoff.ts';
import { nextState, isFinal, type Move } from '../../src/domain/lifecycle.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import type { DatabaseAddress } from '../../src/workspace/database-address.ts';
import { openDatabase, prepare } from '../../src/stores/sqlite/binding.ts';
import type { Store } from '../../src/stores/store.ts';

const PAGE = 5_000;

export interface Everything {
  readonly handoffs: ReadonlyMap<HandoffId, Handoff>;
  readonly trails: ReadonlyMap<HandoffId, readonly Fact[]>;
}

export async function everythingIn(store: Store): Promise<Everything> {
  const handoffs = new Map<HandoffId, Handoff>();
  for (let after: string | null | undefined; after !== null;) {
    const page = await store.find({ by: 'filter', max: PAGE, ...(after === undefined ? {} : { after }) });
    for (const handoff of page.items) handoffs.set(handoff.id, handoff);
    after = page.next;
  }
  const trails = new Map<HandoffId, Fact[]>();
  for (let after: string | undefined; ;) {
    const read = await store.facts({ max: PAGE, ...(after === undefined ? {} : { after }) });
    if (read.length === 0) return { handoffs, trails };
    after = read.at(-1)?.cursor;
    for (const { fact } of read) {
      const trail = trails.get(fact.handoff);
      if (trail === undefined) trails.set(fact.handoff, [fact]);
      else trail.push(fact);
    }
  }
}

/** I1, I2, I6, I12 of everything there is, and the database's own checks. */
export async function complaintsAbout(store: Store, address: DatabaseAddress): Promise<readonly string[]> {
  const { handoffs, trails } = await everythingIn(store);
  const lost = [...trails.keys()].filter((id) => !handoffs.has(id)).map((id) => `${id} has a trail and no record`);
  const unsound = [...handoffs.values()].flatMap((handoff) => complaintsOf(handoff, trails.get(handoff.id) ?? []));
  return [...lost, ...unsound, ...(address.kind === 'sqlite' ? complaintsAboutFile(address.path) : [])];
}

function complaintsOf(handoff: Handoff, trail: readonly Fact[]): readonly string[] {
  const { id } = handoff;
  const broken = firstBrokenRevision(trail);
  const fences = trail.filter((fact) => fact.deed === 'accept').map((fact) => fact.fence);
  const last = trail.at(-1);
  return [
    ...(trail.length === handoff.revision ? [] : [`${id} has ${trail.length} facts at revision ${handoff.revision}`]),
    ...(broken === null ? [] : [`${id}: its trail does not add up at revision ${broken}`]),
    ...(last?.to === handoff.state && last.hash === handoff.trail ? [] : [`${id}: the trail ends elsewhere`]),
    ...(trail.slice(0, -1).some((fact) => isFinal(fact.to)) ? [`${id}: something follows its end`] : []),
    ...(fences.every((fence, index) => fence === index + 1) ? [] : [`${id}: fences ${fences.join(', ')}`]),
    ...trail.filter((fact) => !isLegal(fact)).map((fact) => `${id}: ${fact.deed} from ${fact.from} to ${fact.to}`),
  ];
}

function isLegal({ deed, from, to }: Fact): boolean {
  if (deed === 'create') return from === null;
  if (deed === 'renew' || deed === 'progress') return from === 'accepted' && to === 'accepted';
  // Only documents that clones share are overruled, and there are none here.
  if (deed === 'supersede') return false;
  if (deed === 'erase') return from !== null && isFinal(from) && to === from;
  if (deed === 'reblock') return from === 'blocked' && to === 'blocked';
  return from !== null && nextState(from, deed satisfies Move) === to;
}

/** I15: the counters of the limits say what is really open. */
const WRONG_COUNTERS = `SELECT name, out_all, in_all,
    (SELECT count(*) FROM handoff WHERE sender = agent.n AND state < 5 AND blocked IS NOT 1) AS outgoing,
    (SELECT count(*) FROM handoff WHERE recipient = agent.n AND state < 5 AND blocked IS NOT 1) AS incoming
  FROM agent WHERE out_all <> outgoing OR in_all <> incoming`;

function complaintsAboutFile(path: string): readonly string[] {
  const database = openDatabase(path, { sync: 'full' });
  try {
    const integrity = prepare(database, 'PRAGMA integrity_check').all().map(String);
    const keys = prepare(database, 'PRAGMA foreign_key_check').all();
    const counters = prepare(database, WRONG_COUNTERS).all();
    return [
      ...integrity.filter((line) => line !== 'ok').map((line) => `integrity: ${line}`),
      ...keys.map((row) => `foreign key: ${row.join(' ')}`),
      ...counters.map((row) => `counters: ${row.join(' ')}`),
    ];
  } finally {
    database.close();
  }
}
