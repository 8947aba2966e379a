/** A file that the database does not know becomes a handoff, or goes to quarantine with the reason; nothing is dropped. */
import type { Failure } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { DEFAULT_TERMS } from '../../domain/terms.ts';
import { readMessage, readRequest, type MessageProblem, type QueueRequest } from '../../dialects/queue-message/read.ts';
import { writeRefusal } from '../../dialects/queue-message/write-refusal.ts';
import type { FileRead, Place } from '../../folders/folder.ts';
import { violationOf, type SchemaRefusal } from '../schema-book.ts';
import { send, type SendRefusal } from '../verbs/send.ts';
import { whyNotSend, whyNotTake } from './file-rights.ts';
import { byFile, fileName, quarantine, UNREADABLE_MS, WRITTEN_MS, type LookAgain, type Queue } from './queue.ts';

/** An id in several folders: the furthest one tells most. */
const FURTHEST_FIRST = ['completed', 'failed', 'in-progress', 'pending'] as const satisfies readonly Place[];

export async function adopt(queue: Queue, id: HandoffId, places: readonly Place[]): Promise<LookAgain> {
  const place = FURTHEST_FIRST.find((each) => places.includes(each));
  if (place === undefined) return false;
  const file = await queue.folder.read(place, id);
  if (file.kind === 'absent') return true;
  const isEnd = place === 'completed' || place === 'failed';
  if (file.kind === 'unfit') {
    // What ended without us is not ours to tidy up.
    if (isEnd) return false;
    await quarantine(queue, place, fileName(id), file.says);
    return true;
  }
  const asked = requestIn(queue, id, file.text);
  const unproven = asked.ok ? whyUnproven(queue, place, asked.value) : null;
  if (unproven !== null) {
    await putAside(queue, place, id, { kind: 'wrong', problems: [{ field: '', says: unproven }] }, file.text);
    return false;
  }
  if (asked.ok) return take(queue, place, file, asked.value);
  if (isEnd || isStillWritten(asked.refusal, file)) return false;
  await putAside(queue, place, id, asked.refusal, file.text);
  return false;
}

/** What lies beyond pending/ was taken too, in its recipient's name. */
function whyUnproven(queue: Queue, place: Place, { from, to }: QueueRequest): string | null {
  return whyNotSend(queue, from) ?? (place === 'pending' ? null : whyNotTake(queue, to));
}

type Asked = ReturnType<typeof readRequest>;

function requestIn({ around }: Queue, id: HandoffId, text: string): Asked {
  const message = readMessage(text);
  if (!message.ok) return message;
  const retry = around.rules.terms.queue?.retry ?? DEFAULT_TERMS.queue.retry;
  const asked = readRequest(message.value, retry);
  if (!asked.ok || asked.value.id === id) return asked;
  const says = `the file is called ${id}.json, and inside it is ${asked.value.id}`;
  return { ok: false, refusal: { kind: 'wrong', problems: [{ field: 'handoff_id', says }] } };
}

/** What ends like an object and is none will not become one; what breaks off may. */
function isStillWritten(problem: MessageProblem, file: Extract<FileRead, { kind: 'file' }>): boolean {
  if (problem.kind === 'wrong') return false;
  return file.quietMs < (file.text.trimEnd().endsWith('}') ? WRITTEN_MS : UNREADABLE_MS);
}

async function take(
  queue: Queue,
  place: Place,
  { user, text }: Extract<FileRead, { kind: 'file' }>,
  request: QueueRequest,
): Promise<LookAgain> {
  const { around } = queue;
  const { id } = request;
  // Over a limit it waits for a place: its sender cannot be asked to come back.
  const wanted = { ...request, queue: true, ...(place === 'pending' ? {} : { takenBy: user }) };
  const sent = await send(around, byFile(user), wanted);
  const failure = sent.ok ? null : failureOf(sent.refusal);
  const kept = failure === null ? sent : await send(around, byFile(user), { ...wanted, failure });
  if (kept.ok) around.report({ kind: 'file-adopted', id, place });
  if (kept.ok || kept.refusal.code === 'known-id') return true;
  await putAside(queue, place, id, { kind: 'wrong', problems: [{ field: '', says: wordsOf(kept.refusal) }] }, text);
  return false;
}

/** Input that does not follow its schema is a handoff that failed: its sender finds it there, and can send it again. */
function failureOf(refusal: SendRefusal): Failure | null {
  switch (refusal.code) {
    case 'schema-violated': {
      const says = refusal.violations.map((each) => `${each.path}: ${each.says}`).join('; ');
      return {
        code: 'SCHEMA_VALIDATION_FAILED',
        message: `the input does not follow ${refusal.schema}: ${says}`,
        violations: refusal.violations.map(violationOf),
      };
    }
    case 'schema-unknown':
    case 'schema-broken':
      return { code: 'DEPENDENCY_MISSING', message: missing(refusal) };
    case 'artifact-reference':
      return { code: 'DEPENDENCY_MISSING', message: `${refusal.field} cannot name an artifact: ${refusal.says}` };
    case 'context-file':
      return { code: 'DEPENDENCY_MISSING', message: `${refusal.file}: ${refusal.says}` };
    default:
      return null;
  }
}

function wordsOf(refusal: SendRefusal): string {
  if (refusal.code === 'not-json') return `request and input together are too much to keep: ${refusal.problem.says}`;
  return refusal.code === 'dependency-cycle' ? `it waits for itself: ${refusal.ring.join(' → ')}` : refusal.code;
}

function missing(refusal: Exclude<SchemaRefusal, { code: 'schema-violated' }>): string {
  return refusal.code === 'schema-unknown'
    ? `there is no schema ${refusal.schema} in schemas/`
    : `the schema ${refusal.schema} cannot be used: ${refusal.says}`;
}

/**
 * Whoever waits for it looks into failed/, so it says there what is wrong. Somebody waits for what names its own id; junk
 * does not, and is not answered.
 */
async function putAside(
  queue: Queue,
  place: Place,
  id: HandoffId,
  problem: MessageProblem,
  written: string,
): Promise<void> {
  const text = writeRefusal(id, problem, queue.around.store.nowMs());
  await quarantine(queue, place, fileName(id), text.says);
  if (!written.includes(JSON.stringify(id))) return;
  const there = await queue.folder.whereIs(id);
  if (!there.includes('failed') && !there.includes('completed')) await queue.folder.put('failed', id, text.file);
}
