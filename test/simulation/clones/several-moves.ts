/**
 * Whoever works in a clone commits when they like, so one commit may tell several moves. Each way that is legal where it
 * is made, from each beginning that was shared, has to be legal where it is read.
 */
import { present } from '../../../src/foundation/assert.ts';
import type { State } from '../../../src/domain/lifecycle.ts';
import type { HandoffId } from '../../../src/domain/names.ts';
import { seededRandom } from '../seeded-random.ts';
import { ACTS, expire, FITTING, judged, newDocument, openClone, type Clone } from './clones.ts';
import { commitOf, type Remote } from './git-model.ts';

const MINUTE = 60_000;
/** Longer than a document is on offer. */
const HOURS = 'five hours';

/** What both clones know, as the moves that led there. */
export const BEGINNINGS = [
  'create',
  'create activate',
  'create activate accept',
  'create activate accept release',
  'create activate accept ask',
  'create activate accept ask answer',
  'create activate accept deliver',
  'create activate accept deliver rework',
  'create activate accept deliver rework release',
] as const;

export interface Several {
  readonly ways: number;
  /** What does not hold; empty is good. */
  readonly broken: readonly string[];
}

/** All legal ways of at most `length` moves. `skewMs`: so far the clock of whoever makes them is ahead. */
export async function tellSeveral(beginning: string, length: number, skewMs: number): Promise<Several> {
  const broken: string[] = [];
  let ways = 0;
  let last: readonly { readonly way: readonly string[]; readonly state: State }[] = [
    { way: [], state: (await tellWay(beginning, [], skewMs)).state },
  ];
  for (let made = 0; made < length; made += 1) {
    const next: { way: readonly string[]; state: State }[] = [];
    for (const { way, state } of last) {
      for (const move of new Set([...(FITTING[state] ?? []), ...(way.at(-1) === HOURS ? [] : [HOURS])])) {
        const longer = [...way, move];
        const told = await tellWay(beginning, longer, skewMs);
        if (!told.isLegal) continue;
        next.push({ way: longer, state: told.state });
        broken.push(...told.broken.map((says) => `${beginning} | ${longer.join(', ')}: ${says}`));
      }
    }
    ways += next.length;
    last = next;
  }
  return { ways, broken };
}

interface ToldWay {
  /** False: a move was refused where it was made. */
  readonly isLegal: boolean;
  readonly state: State;
  readonly broken: readonly string[];
}

async function tellWay(beginning: string, way: readonly string[], skewMs: number): Promise<ToldWay> {
  const remote: Remote = { main: commitOf(new Map(), [], 'nobody') };
  const [here, there] = [openClone('here', remote, 0), openClone('there', remote, skewMs)];
  const clones = [here, there];
  for (const clone of clones) await clone.documents.sync('thorough');
  const id = (await newDocument(here, 'T')) as HandoffId;
  for (const move of beginning.split(' ').slice(1)) await make(here, clones, id, move);
  await share(here);
  await share(there);
  let isLegal = true;
  for (const move of way) isLegal &&= await make(there, clones, id, move);
  const { state } = present(await there.ctx.store.load(id), id).handoff;
  if (!isLegal) return { isLegal, state, broken: [] };
  await share(there);
  await share(here);
  await share(there);
  return { isLegal, state, broken: (await judged(clones)).broken };
}

async function make(clone: Clone, clones: readonly Clone[], id: HandoffId, move: string): Promise<boolean> {
  for (const { clock } of clones) clock.advance(move === HOURS ? 300 * MINUTE : MINUTE);
  if (move === HOURS) await expire(clone);
  return move === HOURS || (await present(ACTS[move], move)(clone.ctx, id, seededRandom(clone.clock.nowMs()))).ok;
}

export async function share(clone: Clone): Promise<void> {
  clone.commit();
  clone.pull('merge', () => 'theirs');
  await clone.documents.sync('thorough', { asked: true });
  clone.commit();
  clone.push();
}
