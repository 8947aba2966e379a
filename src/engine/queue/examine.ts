/** What a doctor says about the queue folder: folders, files that disagree with the database, locks, quarantine. */
import { OPEN_STATES } from '../../domain/lifecycle.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { placeOf } from '../../dialects/queue-message/words.ts';
import type { Inspection, OpenPlace, Quarantined } from '../../folders/folder.ts';
import { fine, listed, type Check } from '../examine.ts';
import type { Surroundings } from '../surroundings.ts';
import { fileName, type Queue } from './queue.ts';

/** Each of these gets its own line; whoever has more has one problem, and not a thousand. */
const QUARANTINED_MAX = 20;
const PAGE = 200;
/** What moves by itself has moved by then. */
const SETTLING_MS = 1_500;
const NEXT = 'the next pass puts it right: baton sync';

export async function examineQueue({ around, folder }: Queue, signal: AbortSignal): Promise<readonly Check[]> {
  const seen = folder.inspect();
  const checks = [examineFolders(seen)];
  // Behind a folder that is none lie somebody else's files.
  if (seen.wrong.some(({ is }) => is !== 'missing')) return checks;
  const first = await disagreements(around, seen);
  if (first.size > 0) await around.timers.sleep(SETTLING_MS, signal);
  const second = first.size === 0 ? first : await disagreements(around, folder.inspect());
  const lasting = [...second].filter(([name, says]) => first.get(name) === says);
  checks.push(
    lasting.length === 0
      ? fine('queue files', 'files and database agree')
      : { name: 'queue files', verdict: 'warning', says: listed(lasting.map(([, says]) => says)), todo: NEXT },
  );
  checks.push(
    seen.dead.length === 0
      ? fine('queue locks', 'no lock of a process that is gone')
      : {
          name: 'queue locks',
          verdict: 'warning',
          says: `left by processes that are gone: ${listed(seen.dead)}`,
          todo: 'the next pass takes them away: baton sync',
        },
  );
  return [...checks, ...examineQuarantine(seen.quarantined)];
}

function examineFolders({ wrong }: Inspection): Check {
  const strange = wrong.filter(({ is }) => is !== 'missing');
  if (strange.length > 0) {
    const says = `${listed(strange.map(({ name, is }) => `${name} is ${is}`))}; the queue stands still`;
    return { name: 'queue folders', verdict: 'problem', says, todo: 'put real folders there, then: baton sync' };
  }
  if (wrong.length === 0) return fine('queue folders', 'all there');
  const says = `missing: ${listed(wrong.map(({ name }) => name))}`;
  return { name: 'queue folders', verdict: 'warning', says, todo: 'the next pass makes them: baton sync' };
}

/** By name, in words. */
async function disagreements(around: Surroundings, { open }: Inspection): Promise<ReadonlyMap<string, string>> {
  const said = new Map<string, string>();
  const places = new Map<HandoffId, OpenPlace[]>();
  for (const { place, files } of open) {
    for (const { name, id, isFile } of files) {
      if (id === null) said.set(`${place}/${name}`, `${place}/${name} has a name that cannot be an id`);
      else if (!isFile) said.set(`${place}/${name}`, `${place}/${name} is no plain file`);
      else places.set(id, [...(places.get(id) ?? []), place]);
    }
  }
  const ids = [...places.keys()];
  for (let at = 0; at < ids.length; at += PAGE) {
    const page = ids.slice(at, at + PAGE);
    const { items } = await around.store.find({ by: 'ids', ids: page });
    const known = new Map(items.map((handoff) => [handoff.id, handoff]));
    for (const id of page) {
      const says = disagreement(id, known.get(id), places.get(id) ?? [], around.store.nowMs());
      if (says !== null) said.set(id, says);
    }
  }
  for await (const handoff of openOnes(around)) {
    if (places.has(handoff.id)) continue;
    said.set(handoff.id, `${handoff.id} is ${handoff.state} and has no file where open work lies`);
  }
  return said;
}

function disagreement(
  id: HandoffId,
  handoff: Handoff | undefined,
  places: readonly OpenPlace[],
  nowMs: number,
): string | null {
  const where = places.map((place) => `${place}/${fileName(id)}`).join(' and ');
  if (handoff === undefined) return `${where} is not taken in yet`;
  if (handoff.kind !== 'queue') return null;
  const right = placeOf(handoff, nowMs);
  if (places.length === 1 && places[0] === right) return null;
  return `${id} is ${handoff.state}, and its file lies in ${where}`;
}

async function* openOnes({ store }: Surroundings): AsyncGenerator<Handoff> {
  for (let after: string | undefined; ;) {
    const query = { by: 'filter', states: OPEN_STATES, max: PAGE } as const;
    const { items, next } = await store.find(after === undefined ? query : { ...query, after });
    yield* items.filter(({ kind }) => kind === 'queue');
    if (next === null) return;
    after = next;
  }
}

function examineQuarantine(all: readonly Quarantined[]): readonly Check[] {
  if (all.length === 0) return [fine('quarantine', 'empty')];
  const newestFirst = all.toSorted((a, b) => b.sinceMs - a.sinceMs);
  const checks = newestFirst.slice(0, QUARANTINED_MAX).map(explained);
  const rest = all.length - checks.length;
  if (rest === 0) return checks;
  const more = { name: 'quarantine', verdict: 'warning', says: `and ${rest} more`, todo: null } as const;
  return [...checks, more];
}

function explained({ name, says, sinceMs, isFile }: Quarantined): Check {
  const since = new Date(sinceMs).toISOString();
  const reason = says ?? 'nobody wrote down why';
  return {
    name: 'quarantine',
    verdict: 'warning',
    says: `${name}, since ${since}: ${reason}`,
    todo: todoFor(isFile),
  };
}

/** No command with the name in it: strangers choose names, and people copy commands. */
function todoFor(isFile: boolean): string {
  const away = 'delete it and its .reason.txt in handoffs/quarantine/';
  return isFile ? `correct it and move it to handoffs/pending/, or ${away}` : `see what has put it there, and ${away}`;
}
