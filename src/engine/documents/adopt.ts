/** A document that the database does not know becomes a handoff. What cannot become one is left alone, with the reason. */
import { writeJson } from '../../foundation/json.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import type { Decide } from '../../domain/decision.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { agentPrincipal } from '../../domain/principal.ts';
import { fileNameOf, idInFileName } from '../../formats/document/names.ts';
import { errorsIn, problemText, readDocument, verifiersIn, type DocumentRead } from '../../formats/document/read.ts';
import type { DocumentFields } from '../../formats/document/schema.ts';
import { isSettled, type Status } from '../../formats/document/vocabulary.ts';
import { send, termsOf, type SendRefusal, type SendRequest } from '../handoffs/send.ts';
import { committedBy, whyNotBelieved, writerAs, type Writer } from './attribution.ts';
import { applyEdit } from './apply-edit.ts';
import { clockedBy } from './apply-commit.ts';
import {
  ACTIVE,
  agree,
  leave,
  NAME_RULE,
  WRITTEN_MS,
  type Documents,
  type Looked,
  type SeenFile,
} from './documents.ts';
import { touchIndex } from './index-file.ts';
import { planOf } from './plan-edit.ts';
import { wordsFor } from './step-refusal.ts';
import { settledOpening } from './import-settled.ts';
import { newsAtHead, whyUnlawful } from './shared-history.ts';
import { judgeTold } from './legal-change.ts';

export async function adopt(documents: Documents, id: HandoffId, { file, place }: SeenFile): Promise<Looked> {
  const { ctx } = documents;
  // The archive grows for ever: of what is unknown there, only what has just come with a commit is taken in.
  if (place !== ACTIVE && (await newsAtHead(documents))?.has(id) !== true) return 'done';
  const strict = documents.isStrict() && !documents.vouched;
  const name = fileNameOf(id);
  const committed = await committedBy(documents, place, id, file.text);
  if (committed === null && file.quietMs < WRITTEN_MS) return 'later';
  const read = readDocument(file.text);
  const isOver = isSettled(read.fields.status as Status);
  const refused =
    reasonAgainst(id, read.fields, errorsIn(read).map(problemText)) ??
    unproven(read.fields, committed, strict) ??
    (isOver && !documents.vouched ? await unlawfulEnd(documents, id, read.fields) : null);
  if (refused !== null) {
    leave(documents, name, refused);
    return 'done';
  }
  const writer: Writer = committed ?? { via: 'file', who: file.user };
  await documents.together.arrive();
  const sent = await (isOver ? bringSettled(documents, writer, id, read.fields) : bringIn(documents, writer, id, read));
  if (!sent.ok) {
    if (sent.refusal.code === 'known-id') return 'again';
    leave(documents, name, sent.refusal.code);
    return 'done';
  }
  const plan = planOf(sent.value, read.fields, null);
  const isAsked = plan.kind === 'steps' && writer.via === 'file';
  const done = isAsked ? await applyEdit(ctx, writer, sent.value, plan.steps) : sent;
  const newest = done.ok ? done.value : ((await ctx.store.load(id))?.handoff ?? sent.value);
  const rest = writer.via === 'git' && !isOver ? judgeTold(ctx.rules, writer, newest, read, null) : null;
  const reason = done.ok ? (rest !== null && !rest.ok ? rest.refusal.says : null) : wordsFor(done.refusal);
  const says = `new → ${newest.state}${reason === null ? '' : `; ${reason}`}`;
  ctx.report({ kind: 'document-adopted', id, by: `${writer.via}:${writer.who}`, says });
  // What was refused is told in the next look, like any change.
  const revision = done.ok ? newest.revision : sent.value.revision;
  await agree(documents, id, file.text, revision, null, committed !== null);
  await touchIndex(documents);
  return done.ok && !isOver ? 'done' : 'again';
}

/** Of a commit, all that has happened to it, in one go; else its beginning, and the rest is a request like any other. */
async function bringIn(
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
  // The clock that its text names is the one it has.
  const inTime: Decide = (handoff) => ok({ handoff: clockedBy(read.fields, handoff), facts: [] });
  const createdAt = Date.parse(read.fields.created_at ?? '');
  const dated = (decide: Decide): Decide => {
    return (handoff, nowMs) =>
      decide({ ...handoff, createdAt: Number.isNaN(createdAt) ? nowMs : Math.max(0, createdAt) }, nowMs);
  };
  if (writer.via === 'file') return sendIt({ onward: () => dated(inTime) });
  const whole = await sendIt({
    onward: (begun) => {
      const told = judgeTold(ctx.rules, writer, begun, read, null);
      return dated(told.ok && told.value.decide !== null ? told.value.decide : inTime);
    },
  });
  return whole.ok || whole.refusal.code === 'known-id' ? whole : sendIt({});
}

/** As what it is: over. */
export async function bringSettled(
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

/** What is over comes in as it is told, so somebody looks first at how it came to its end. */
async function unlawfulEnd(documents: Documents, id: HandoffId, fields: DocumentFields): Promise<string | null> {
  const request = requestOf(id, fields);
  return whyUnlawful(documents, id, termsOf(documents.ctx.rules, 'document', request.terms, request));
}

export function reasonAgainst(id: HandoffId, fields: DocumentFields, problems: readonly string[]): string | null {
  if (idInFileName(fileNameOf(id)) === null) return NAME_RULE;
  if (problems.length > 0) return problems.join('; ');
  return fields.handoff_id === id ? null : `inside it is ${fields.handoff_id ?? 'another one'}`;
}

/** A commit tells what has been; on this machine, somebody only says so. Where identity is strict, neither is proof. */
function unproven(fields: DocumentFields, committed: Writer | null, strict: boolean): string | null {
  if (committed !== null && !strict) return null;
  if (committed !== null) {
    const sender = readAgentId(fields.from_agent ?? '') as AgentId;
    const doubt = whyNotBelieved(committed, agentPrincipal(sender));
    // What is over has happened elsewhere, in the names of several: one signature does not prove all of them.
    if (doubt === null && !isSettled(fields.status as Status)) return null;
    return (
      `identity is strict here, and the commit of ${committed.who} does not prove who wrote it; ` +
      'send it with baton create, or let an operator take it in with baton sync --adopt'
    );
  }
  if (isSettled(fields.status as Status))
    return `it is ${fields.status} and nobody here knows it; commit it, or put it into archived/ and run baton sync --adopt`;
  return strict
    ? 'identity is strict here, and a file shows no token; send it with baton create, or let an operator take it in with baton sync --adopt'
    : null;
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

/** Without the count: others come in at the same time. */
function overLimit({ agent, direction, max }: Extract<SendRefusal, { code: 'limit-reached' }>): string {
  return `@${agent} should have at most ${max} ${direction} handoffs open, and has more with it`;
}
