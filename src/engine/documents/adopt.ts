/** Makes a handoff of a document that the database does not know. If that is impossible, the file stays and is reported. */
import { writeJson } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { readAgentId, type HandoffId, type AgentId } from '../../domain/names.ts';
import { agentPrincipal } from '../../domain/principal.ts';
import { fileNameOf, idInFileName } from '../../formats/document/names.ts';
import { errorsIn, problemText, readDocument, verifiersIn, type DocumentRead } from '../../formats/document/read.ts';
import type { DocumentFields } from '../../formats/document/schema.ts';
import { isSettled, type Status } from '../../formats/document/vocabulary.ts';
import { send, termsOf, type SendRefusal, type SendRequest } from '../handoffs/send.ts';
import { committedBy, whyNotBelieved, writerAs, type Writer } from './attribution.ts';
import { applyEdit } from './apply-edit.ts';
import { withTextDeadline } from './apply-commit.ts';
import {
  ACTIVE,
  recordAgreed,
  reportLeft,
  NAME_RULE,
  WRITTEN_MS,
  type Documents,
  type FoundFile,
  type RoundResult,
} from './documents.ts';
import { touchIndex } from './index-file.ts';
import { planOf } from './plan-edit.ts';
import { stepRefusalText } from './step-refusal.ts';
import { settledOpening } from './import-settled.ts';
import { unseenAtHead, illegalReason } from './shared-history.ts';
import { judgeText } from './legal-change.ts';

export async function adopt(documents: Documents, id: HandoffId, { file, place }: FoundFile): Promise<RoundResult> {
  const { ctx } = documents;
  // The archive grows without limit, so only documents that a new commit brought are adopted there.
  if (place !== ACTIVE && (await unseenAtHead(documents))?.has(id) !== true) return 'done';
  const strict = documents.isStrict() && !documents.vouched;
  const committed = await committedBy(documents, place, id, file.text);
  if (committed === null && file.unchangedMs < WRITTEN_MS) return 'later';
  const read = readDocument(file.text);
  const isOver = isSettled(read.fields.status as Status);
  const refused =
    reasonAgainst(id, read) ??
    unproven(read.fields, committed, strict) ??
    (isOver && !documents.vouched ? await illegalEnd(documents, id, read.fields) : null);
  if (refused !== null) return reportLeft(documents, id, refused);
  const writer: Writer = committed ?? { via: 'file', who: file.user };
  await documents.insertBarrier.arrive();
  const sent = await (isOver
    ? insertSettled(documents, writer, id, read.fields)
    : sendOpen(documents, writer, id, read));
  if (!sent.ok) return sent.refusal.code === 'known-id' ? 'again' : reportLeft(documents, id, sent.refusal.code);
  const plan = planOf(sent.value, read.fields, null);
  const isRequest = plan.kind === 'steps' && writer.via === 'file';
  const done = isRequest ? await applyEdit(ctx, writer, sent.value, plan.steps) : sent;
  const newest = done.ok ? done.value : ((await ctx.store.load(id))?.handoff ?? sent.value);
  const rest = writer.via === 'git' && !isOver ? judgeText(ctx.rules, writer, newest, read, null) : null;
  const reason = done.ok ? (rest !== null && !rest.ok ? rest.refusal.says : null) : stepRefusalText(done.refusal);
  const says = `new → ${newest.state}${reason === null ? '' : `; ${reason}`}`;
  ctx.report({ kind: 'document-adopted', id, by: `${writer.via}:${writer.who}`, says });
  // The next round writes the refused parts back, like any change.
  const revision = done.ok ? newest.revision : sent.value.revision;
  await recordAgreed(documents, id, file.text, revision, null, committed !== null);
  await touchIndex(documents);
  return done.ok && !isOver ? 'done' : 'again';
}

/** Sends the handoff. All steps of a commit are applied. For an uncommitted file only the first state is; the rest is a request. */
async function sendOpen(
  documents: Documents,
  writer: Writer,
  id: HandoffId,
  read: DocumentRead,
): Promise<Result<Handoff, SendRefusal>> {
  const { ctx } = documents;
  const request = requestOf(id, read.fields);
  const principal = writerAs(writer, agentPrincipal(request.from));
  const sendIt = async (more: Partial<SendRequest>): Promise<Result<Handoff, SendRefusal>> => {
    const sent = await send(ctx, principal, { ...request, ...more });
    if (sent.ok || sent.refusal.code !== 'limit-reached') return sent;
    const over = await send(ctx, principal, { ...request, ...more, overLimits: true });
    if (over.ok) ctx.report({ kind: 'document-over-limit', id, says: overLimit(sent.refusal) });
    return over;
  };
  // The deadline is the one in the text.
  const onlyClock: Decide = (handoff) => ok({ handoff: withTextDeadline(read.fields, handoff), facts: [] });
  const createdAt = Date.parse(read.fields.created_at ?? '');
  const dated = (decide: Decide): Decide => {
    return (handoff, nowMs) =>
      decide({ ...handoff, createdAt: Number.isNaN(createdAt) ? nowMs : Math.max(0, createdAt) }, nowMs);
  };
  if (writer.via === 'file') return sendIt({ onward: () => dated(onlyClock) });
  const whole = await sendIt({
    onward: (begun) => {
      const judged = judgeText(ctx.rules, writer, begun, read, null);
      return dated((judged.ok ? judged.value : null) ?? onlyClock);
    },
  });
  return whole.ok || whole.refusal.code === 'known-id' ? whole : sendIt({});
}

/** Inserts the record of a settled document, with its final state. */
export async function insertSettled(
  { ctx }: Documents,
  writer: Writer,
  id: HandoffId,
  fields: DocumentFields,
): Promise<Result<Handoff, SendRefusal>> {
  const request = requestOf(id, fields);
  const body = writeJson({ input: request.input });
  if (!body.ok) return err({ code: 'not-json', problem: body.refusal });
  const made = await ctx.store.insert([settledOpening(ctx.rules, writer, request, body.value, fields)]);
  if (!made.ok) return made;
  const [handoff] = made.value;
  return handoff === undefined ? err({ code: 'no-such-handoff', id }) : ok(handoff);
}

/** A settled document is adopted without further checks, so its history in git is checked first. */
async function illegalEnd(documents: Documents, id: HandoffId, fields: DocumentFields): Promise<string | null> {
  const request = requestOf(id, fields);
  return illegalReason(documents, id, termsOf(documents.ctx.rules, 'document', request.terms, request));
}

export function reasonAgainst(id: HandoffId, read: DocumentRead): string | null {
  const { fields } = read;
  const problems = errorsIn(read);
  if (idInFileName(fileNameOf(id)) === null) return NAME_RULE;
  if (problems.length > 0) return problems.map(problemText).join('; ');
  return fields.handoff_id === id ? null : `inside it is ${fields.handoff_id ?? 'another one'}`;
}

/** An uncommitted file cannot prove that a document is over. Under strict identity a commit proves only its signer. */
function unproven(fields: DocumentFields, committed: Writer | null, strict: boolean): string | null {
  const isOver = isSettled(fields.status as Status);
  if (committed === null && isOver)
    return `it is ${fields.status} and nobody here knows it; commit it, or put it into archived/ and run baton sync --adopt`;
  if (!strict) return null;
  const sender = readAgentId(fields.from_agent ?? '') as AgentId;
  // A settled document tells of several agents: one signature does not prove all of them.
  const isProven = committed !== null && !isOver && whyNotBelieved(committed, agentPrincipal(sender)) === null;
  if (isProven) return null;
  const doubt =
    committed === null ? 'a file shows no token' : `the commit of ${committed.who} does not prove who wrote it`;
  return `identity is strict here, and ${doubt}; send it with baton create, or let an operator take it in with baton sync --adopt`;
}

function requestOf(id: HandoffId, fields: DocumentFields): SendRequest & Required<Pick<SendRequest, 'id'>> {
  const isDraft = fields.status === 'Created';
  return {
    id,
    kind: 'document',
    from: readAgentId(fields.from_agent ?? '') as AgentId,
    to: readAgentId(fields.to_agent ?? '') as AgentId,
    title: fields.title ?? id,
    task: fields.related_task ?? id,
    draft: isDraft,
    input: {
      purpose: fields.purpose ?? null,
      context: fields.context ?? null,
      meeting: fields.source_meeting ?? null,
      skill: fields.skill_web_node ?? null,
      target_completion: fields.target_completion ?? null,
    },
    terms: {
      deliverables: fields.deliverables ?? [],
      criteria: fields.verification_criteria ?? [],
      verifiers: verifiersIn(fields),
    },
  };
}

/** The message names no count, because other documents are adopted at the same time. */
function overLimit({ agent, direction, max }: Extract<SendRefusal, { code: 'limit-reached' }>): string {
  return `@${agent} should have at most ${max} ${direction} handoffs open, and has more with it`;
}
