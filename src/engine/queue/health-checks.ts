/** Checks of the doctor for the queue folder: folders, files that disagree with the database, locks, quarantine. */
import { FINAL_STATES, OPEN_STATES } from '../../domain/lifecycle.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { readMessage } from '../../formats/queue-message/read.ts';
import { folderFor, QUEUE_WORDS } from '../../formats/queue-message/vocabulary.ts';
import type { Inspection, Quarantined } from '../../folders/folder.ts';
import type { OpenQueueFolder } from '../../folders/queue-folder-names.ts';
import { healthy, listed, problem, warning, type HealthCheck } from '../health-checks.ts';
import { handoffsByIds, pagesOf } from '../handoffs/find.ts';
import { unknownFinished } from './adopt-finished.ts';
import { fileName, LATE, type Queue } from './queue.ts';
import { isSameRequest } from './same-request.ts';
import { disagreement } from './settled-file.ts';

/** How many quarantined files are listed one by one. */
const QUARANTINED_MAX = 20;
const PAGE = 200;
const ENDS_MAX = 200;
/** How many names of each folder of finished files are looked up. */
const UNKNOWN_MAX = 10_000;
/** Time for moves under way to finish before the second inspection. */
const SETTLING_MS = 1_500;
const NEXT = 'the next pass puts it right: baton sync';

export async function examineQueue(queue: Queue, signal: AbortSignal): Promise<readonly HealthCheck[]> {
  const { ctx, folder } = queue;
  const seen = folder.inspect();
  const checks = [examineFolders(seen)];
  // If a folder is a link, the files behind it are not ours.
  if (seen.wrong.some(({ is }) => is !== 'missing')) return checks;
  const inspectAll = async (inspected: Inspection): Promise<ReadonlyMap<string, string>> =>
    new Map([...(await disagreements(queue, inspected)), ...(await otherOutcomes(queue, signal))]);
  const first = await inspectAll(seen);
  if (first.size > 0) await ctx.timers.sleep(SETTLING_MS, signal);
  const second = first.size === 0 ? first : await inspectAll(folder.inspect());
  const lasting = [...second].filter(([name, says]) => first.get(name) === says);
  checks.push(
    lasting.length === 0
      ? healthy('queue files', 'files and database agree')
      : warning('queue files', listed(lasting.map(([, says]) => says)), NEXT),
  );
  if (seen.wrong.length === 0) checks.push(...(await examineUnknownFinished(queue, signal)));
  checks.push(
    seen.dead.length === 0
      ? healthy('queue locks', 'no lock of a process that is gone')
      : warning(
          'queue locks',
          `left by processes that are gone: ${listed(seen.dead)}`,
          'the next pass takes them away: baton sync',
        ),
  );
  return [...checks, ...examineQuarantine(seen.quarantined)];
}

async function examineUnknownFinished(queue: Queue, signal: AbortSignal): Promise<readonly HealthCheck[]> {
  const { adoptable, truncated } = await unknownFinished(queue, UNKNOWN_MAX, signal);
  const warned = (names: readonly string[], says: string, todo: string): readonly HealthCheck[] =>
    names.length === 0 ? [] : [warning('queue files', `${says}: ${listed(names)}`, todo)];
  return [
    ...warned(
      adoptable,
      'finished by others while no Baton ran, and not in the database',
      'take them in as what they say: baton sync --adopt',
    ),
    ...warned(
      truncated,
      'unreadable and not in the database; their programs ended in the middle of writing',
      'send their requests again if they are still wanted, and delete these files',
    ),
  ];
}

function examineFolders({ wrong }: Inspection): HealthCheck {
  const strange = wrong.filter(({ is }) => is !== 'missing');
  if (strange.length > 0) {
    const says = `${listed(strange.map(({ name, is }) => `${name} is ${is}`))}; the queue stands still`;
    return problem('queue folders', says, 'put real folders there, then: baton sync');
  }
  if (wrong.length === 0) return healthy('queue folders', 'all there');
  const says = `missing: ${listed(wrong.map(({ name }) => name))}`;
  return warning('queue folders', says, 'the next pass makes them: baton sync');
}

/** Problems by name. */
async function disagreements(queue: Queue, { open }: Inspection): Promise<ReadonlyMap<string, string>> {
  const { ctx } = queue;
  const found = new Map<string, string>();
  const places = new Map<HandoffId, OpenQueueFolder[]>();
  for (const { place, files } of open) {
    for (const { name, id, isFile } of files) {
      if (id === null) found.set(`${place}/${name}`, `${place}/${name} has a name that cannot be an id`);
      else if (!isFile) found.set(`${place}/${name}`, `${place}/${name} is no plain file`);
      else places.set(id, [...(places.get(id) ?? []), place]);
    }
  }
  const known = await handoffsByIds(ctx.store, places.keys());
  for (const [id, where] of places) {
    const handoff = known.get(id);
    const says = misplaced(id, handoff, where, ctx.store.nowMs());
    const other = says === null && handoff !== undefined ? await otherRequest(queue, handoff) : null;
    if (says !== null || other !== null) found.set(id, says ?? other ?? '');
  }
  for await (const page of pagesOf(ctx.store, { by: 'filter', states: OPEN_STATES, max: PAGE })) {
    for (const { id, kind, state } of page) {
      if (kind === 'queue' && !places.has(id)) found.set(id, `${id} is ${state} and has no file where open work lies`);
    }
  }
  return found;
}

/** Checks that the file of an offered handoff asks for the same as the record. */
async function otherRequest(queue: Queue, { id, state }: Handoff): Promise<string | null> {
  if (state !== 'offered' && state !== 'blocked' && state !== 'draft') return null;
  const whole = await queue.ctx.store.load(id);
  if (whole === null || whole.handoff.state !== state) return null;
  const place = folderFor(whole.handoff, queue.ctx.store.nowMs());
  const file = await queue.folder.read(place, id);
  const message = file.kind === 'file' ? readMessage(file.text) : null;
  if (message?.ok === true && isSameRequest(message.value, whole)) return null;
  return `${place}/${fileName(id)} does not ask for what the database has`;
}

/** Compares the files of the newest settled handoffs with the database. Older and archived files are not checked. */
async function otherOutcomes(queue: Queue, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const { store } = queue.ctx;
  const { items } = await store.find({ by: 'filter', states: FINAL_STATES, max: ENDS_MAX });
  for (const { id, kind, state } of items) {
    if (signal.aborted) break;
    const place = QUEUE_WORDS[state].place as 'completed' | 'failed';
    const file = kind === 'queue' ? await queue.folder.read(place, id) : null;
    if (file === null || file.kind === 'absent') continue;
    const whole = await store.load(id);
    const wrong = whole === null ? null : await disagreement(queue, whole, file);
    if (wrong !== null) found.set(id, `${place}/${fileName(id)}: ${wrong}`);
  }
  return found;
}

function misplaced(
  id: HandoffId,
  handoff: Handoff | undefined,
  places: readonly OpenQueueFolder[],
  nowMs: number,
): string | null {
  const where = places.map((place) => `${place}/${fileName(id)}`).join(' and ');
  if (handoff === undefined) return `${where} is not taken in yet`;
  if (handoff.kind !== 'queue') return null;
  const right = folderFor(handoff, nowMs);
  if (places.length === 1 && places[0] === right) return null;
  return `${id} is ${handoff.state}, and its file lies in ${where}`;
}

function examineQuarantine(all: readonly Quarantined[]): readonly HealthCheck[] {
  if (all.length === 0) return [healthy('quarantine', 'empty')];
  const newestFirst = all.toSorted((a, b) => b.sinceMs - a.sinceMs);
  const checks = newestFirst.slice(0, QUARANTINED_MAX).map(explained);
  const rest = all.length - checks.length;
  if (rest === 0) return checks;
  const more = { name: 'quarantine', verdict: 'warning', says: `and ${rest} more`, todo: null } as const;
  return [...checks, more];
}

function explained({ name, says, sinceMs, isFile }: Quarantined): HealthCheck {
  const since = new Date(sinceMs).toISOString();
  const reason = says ?? 'nobody wrote down why';
  return warning('quarantine', `${name}, since ${since}: ${reason}`, todoFor(isFile, reason));
}

/** Contains no command with the file name: other programs choose names, and people copy commands. */
function todoFor(isFile: boolean, reason: string): string {
  const away = 'delete it and its .reason.txt in handoffs/quarantine/';
  if (reason.startsWith(LATE)) return `another answer counts; read this one if it matters, and ${away}`;
  if (/another request|needs a new id|a copy:/.test(reason))
    return `send it under a new id if it is still wanted, and ${away}`;
  return isFile ? `correct it and move it to handoffs/pending/, or ${away}` : `see what has put it there, and ${away}`;
}
