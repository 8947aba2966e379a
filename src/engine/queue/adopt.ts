/** Makes a handoff of a file that the database does not know, or moves the file to the quarantine with a reason. */
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Failure, Lineage } from '../../domain/handoff.ts';
import { retryLineage } from '../../domain/lineage.ts';
import type { HandoffId } from '../../domain/names.ts';
import { agentPrincipal } from '../../domain/principal.ts';
import { may } from '../../domain/rights.ts';
import { DEFAULT_TERMS } from '../../domain/default-terms.ts';
import {
  isRefusal,
  readMessage,
  readRequest,
  type MessageProblem,
  type QueueRequest,
} from '../../formats/queue-message/read.ts';
import { writeRefusal } from '../../formats/queue-message/write-refusal.ts';
import type { FileRead } from '../../folders/folder.ts';
import { isFinished, type QueueFolder } from '../../folders/queue-folder-names.ts';
import { violationFailure, type SchemaRefusal } from '../schema-registry.ts';
import { findHandoff } from '../handoffs/find.ts';
import { send, type SendRefusal, type SendRequest } from '../handoffs/send.ts';
import { whyNotSend, whyNotTake } from './file-rights.ts';
import { byFile, fileName, quarantine, UNREADABLE_MS, WRITTEN_MS, type StepResult, type Queue } from './queue.ts';

/** If an id is in several folders, the furthest one counts. */
const FURTHEST_FIRST = ['completed', 'failed', 'in-progress', 'pending'] as const satisfies readonly QueueFolder[];

export async function adopt(queue: Queue, id: HandoffId, places: readonly QueueFolder[]): Promise<StepResult> {
  const place = FURTHEST_FIRST.find((each) => places.includes(each));
  if (place === undefined) return 'done';
  const file = await queue.folder.read(place, id);
  if (file.kind === 'absent') return 'again';
  const isEnd = isFinished(place);
  if (file.kind === 'unfit') {
    // A finished file that we did not write is left alone.
    if (isEnd) return 'done';
    await refuseFile(queue, place, id, { kind: 'unfit', says: file.says, isPlain: file.isPlain === true });
    return 'again';
  }
  const others = places.filter((each) => each !== place);
  // The end is our refusal of an earlier version of the file, or the file of a pruned handoff.
  const isLeftover = isEnd && others.length > 0 && (isOurRefusal(file.text) || (await isPruned(queue, id)));
  if (isLeftover) return adopt(queue, id, others);
  const asked = requestIn(queue, id, file.text);
  const unproven = asked.ok ? whyUnproven(queue, place, asked.value) : null;
  if (unproven !== null) return refuseFile(queue, place, id, wrong('', unproven), file.text);
  if (asked.ok) return take(queue, place, file, asked.value);
  if (isEnd) return 'done';
  if (isStillWritten(asked.refusal, file)) return 'later';
  return refuseFile(queue, place, id, asked.refusal, file.text);
}

async function isPruned({ ctx }: Queue, id: HandoffId): Promise<boolean> {
  return (await ctx.store.retention.removed([id])).length > 0;
}

/** Whether a finished file can become a settled handoff: a readable request that is no refusal of ours. */
export function isAdoptableEnd(queue: Queue, id: HandoffId, file: FileRead): boolean {
  return file.kind === 'file' && !isOurRefusal(file.text) && requestIn(queue, id, file.text).ok;
}

function isOurRefusal(text: string): boolean {
  const message = readMessage(text);
  return message.ok && isRefusal(message.value);
}

function wrong(field: string, says: string): MessageProblem {
  return { kind: 'wrong', problems: [{ field, says }] };
}

/** A file beyond pending/ was also taken in its recipient's name, which needs that right too. */
function whyUnproven(queue: Queue, place: QueueFolder, { from, to }: QueueRequest): string | null {
  return whyNotSend(queue, from) ?? (place === 'pending' ? null : whyNotTake(queue, to));
}

function requestIn({ ctx }: Queue, id: HandoffId, text: string): ReturnType<typeof readRequest> {
  const message = readMessage(text);
  if (!message.ok) return message;
  const retry = ctx.rules.terms.queue?.retry ?? DEFAULT_TERMS.queue.retry;
  const asked = readRequest(message.value, retry);
  if (!asked.ok || asked.value.id === id) return asked;
  return err(wrong('handoff_id', `the file is called ${id}.json, and inside it is ${asked.value.id}`));
}

/** A text that ends with a brace and is no JSON is probably broken; a text that is cut off may still be written. */
function isStillWritten(problem: MessageProblem, file: Extract<FileRead, { kind: 'file' }>): boolean {
  if (problem.kind === 'wrong') return false;
  return file.unchangedMs < (file.text.trimEnd().endsWith('}') ? WRITTEN_MS : UNREADABLE_MS);
}

async function take(
  queue: Queue,
  place: QueueFolder,
  { user, text }: Extract<FileRead, { kind: 'file' }>,
  request: QueueRequest,
): Promise<StepResult> {
  const { ctx } = queue;
  const { id, retryOf: old, ...rest } = request;
  const lineage = old === undefined ? ok(null) : await lineageOf(queue, request.from, old);
  if (!lineage.ok) return refuseFile(queue, place, id, wrong('retry_of', lineage.refusal), text);
  // Over a limit the handoff waits for capacity: its sender cannot be told to retry.
  const wanted: SendRequest = {
    ...rest,
    id,
    waitForCapacity: true,
    ...(lineage.value === null ? {} : { lineage: lineage.value }),
    ...(place === 'pending' ? {} : { takenBy: user }),
  };
  const kept = await sendTolerantly(queue, user, wanted);
  if (kept.ok) ctx.report({ kind: 'file-adopted', id, place });
  if (kept.ok) return 'again';
  if (kept.refusal.code === 'known-id') {
    if (!(await isPruned(queue, id))) return 'again';
    // The finished file of a pruned handoff stays; a new request under its id is refused with a reason.
    const says = 'it needs a new id: the handoff of this id is finished and was moved to an archive';
    return isFinished(place) ? 'done' : refuseFile(queue, place, id, wrong('handoff_id', says), text);
  }
  return refuseFile(queue, place, id, wrong('', refusalText(kept.refusal)), text);
}

/** Null: the database does not know the old handoff, so there is no lineage. */
async function lineageOf(
  { ctx }: Queue,
  from: QueueRequest['from'],
  old: HandoffId,
): Promise<Result<Lineage | null, string>> {
  const handoff = await findHandoff(ctx, old);
  if (handoff === null) return ok(null);
  const entitled = may(agentPrincipal(from), 'retry', handoff);
  if (!entitled.ok) return err(`${old} is ${handoff.state} and of @${handoff.from}; its sender can retry what failed`);
  const lineage = retryLineage(handoff);
  return lineage.ok ? lineage : err(lineage.refusal.code);
}

/** Stores a request that cannot be done as a failed handoff. A missing schema is a warning, unless the rules refuse it. */
async function sendTolerantly(queue: Queue, user: string, wanted: SendRequest): ReturnType<typeof send> {
  const { ctx } = queue;
  const sent = await send(ctx, byFile(user), wanted);
  if (sent.ok) return sent;
  if (sent.refusal.code === 'schema-unknown' && ctx.rules.missingSchema === 'warn' && wanted.schema !== undefined) {
    const { schema, ...unchecked } = wanted;
    const says = `there is no schema ${schema} in schemas/; the input was not checked`;
    ctx.report({ kind: 'file-warning', id: wanted.id as HandoffId, place: 'pending', says });
    return sendTolerantly(queue, user, { ...unchecked, warnings: [says] });
  }
  const failure = failureOf(sent.refusal);
  return failure === null ? sent : send(ctx, byFile(user), { ...wanted, failure });
}

/** Refusals that become a failed handoff, so that the sender finds the reason in failed/ and can send it again. */
function failureOf(refusal: SendRefusal): Failure | null {
  switch (refusal.code) {
    case 'schema-violated':
      return violationFailure('SCHEMA_VALIDATION_FAILED', 'the input', refusal);
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

function refusalText(refusal: SendRefusal): string {
  if (refusal.code === 'not-json') return `request and input together are too much to keep: ${refusal.problem.says}`;
  return refusal.code === 'dependency-cycle' ? `it waits for itself: ${refusal.ring.join(' → ')}` : refusal.code;
}

function missing(refusal: Exclude<SchemaRefusal, { code: 'schema-violated' }>): string {
  return refusal.code === 'schema-unknown'
    ? `there is no schema ${refusal.schema} in schemas/`
    : `the schema ${refusal.schema} cannot be used: ${refusal.says}`;
}

/**
 * Quarantines a file, and writes a refusal into failed/, where its sender waits for the result. A sender probably waits
 * if the file contains its own id, or is a regular file that cannot be read. Other files get no answer.
 */
async function refuseFile(
  queue: Queue,
  place: QueueFolder,
  id: HandoffId,
  problem: MessageProblem | { readonly kind: 'unfit'; readonly says: string; readonly isPlain: boolean },
  written?: string,
): Promise<'done'> {
  const text = writeRefusal(id, problem, queue.ctx.store.nowMs(), written);
  await quarantine(queue, place, fileName(id), text.says);
  const isAwaited = problem.kind === 'unfit' ? problem.isPlain : written?.includes(JSON.stringify(id)) === true;
  if (!isAwaited) return 'done';
  const there = await queue.folder.whereIs(id);
  if (there.includes('completed')) return 'done';
  const known = there.includes('failed') ? await queue.folder.read('failed', id) : null;
  if (known === null || (known.kind === 'file' && isOurRefusal(known.text)))
    await queue.folder.put('failed', id, text.file);
  return 'done';
}
