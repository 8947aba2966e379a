/** A document that the database does not know becomes a handoff. What cannot become one is left alone, with the reason. */
import { writeJson } from '../../foundation/json.ts';
import { refuse, yes, type Result } from '../../foundation/result.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { HandoffId } from '../../domain/names.ts';
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { agentPrincipal } from '../../domain/principal.ts';
import { fileNameOf, idInFileName } from '../../dialects/document/names.ts';
import { errorsIn, problemText, readDocument } from '../../dialects/document/read.ts';
import type { DocumentFields } from '../../dialects/document/schema.ts';
import { isSettled, type Status } from '../../dialects/document/words.ts';
import { send, type SendRefusal, type SendRequest } from '../verbs/send.ts';
import { carryOut, elsewhereOf, wordsFor, type Writer } from './carry-out.ts';
import { agree, leave, NAME_RULE, WRITTEN_MS, type Documents, type Looked, type SeenFile } from './documents.ts';
import { touchIndex } from './index-file.ts';
import { planOf } from './plan.ts';
import { settledOpening } from './settled.ts';

export async function adopt(documents: Documents, id: HandoffId, { file, place }: SeenFile): Promise<Looked> {
  const { around, folder } = documents;
  const strict = documents.isStrict() && !documents.vouched;
  const name = fileNameOf(id);
  const author = await folder.git.authorOf(place, id, file.text);
  if (author === null && file.quietMs < WRITTEN_MS) return 'later';
  const read = readDocument(file.text);
  const refused =
    reasonAgainst(id, read.fields, errorsIn(read).map(problemText)) ?? unproven(read.fields, author, strict);
  if (refused !== null) {
    leave(documents, name, refused);
    return 'done';
  }
  const writer: Writer = author === null ? { via: 'file', who: file.user } : { via: 'git', who: author };
  const isOver = isSettled(read.fields.status as Status);
  await documents.together.arrive();
  const sent = await (isOver ? bringSettled : bringIn)(documents, writer, id, read.fields);
  if (!sent.ok) {
    if (sent.refusal.code === 'known-id') return 'again';
    leave(documents, name, sent.refusal.code);
    return 'done';
  }
  const plan = planOf(sent.value, read.fields, null);
  const done = plan.kind === 'steps' ? await carryOut(around, writer, sent.value, plan.steps) : sent;
  const newest = done.ok ? done.value : ((await around.store.load(id))?.handoff ?? sent.value);
  const says = done.ok ? `new → ${newest.state}` : `new → ${newest.state}; ${wordsFor(done.refusal)}`;
  around.report({ kind: 'document-adopted', id, by: `${writer.via}:${writer.who}`, says });
  // What was refused is told in the next look, like any change.
  const revision = done.ok ? newest.revision : sent.value.revision;
  await agree(documents, id, file.text, revision, null);
  await touchIndex(documents);
  return done.ok && !isOver ? 'done' : 'again';
}

/** Of a commit, all that has happened to it, in one go; else its beginning, and the rest is a request like any other. */
async function bringIn(
  documents: Documents,
  writer: Writer,
  id: HandoffId,
  fields: DocumentFields,
): Promise<Result<Handoff, SendRefusal>> {
  const { around } = documents;
  const request = requestOf(id, fields, around.store.nowMs());
  const principal = { kind: 'writer', ...writer, as: agentPrincipal(request.from) } as const;
  const sendIt = async (more: Partial<SendRequest>): Promise<Result<Handoff, SendRefusal>> => {
    const sent = await send(around, principal, { ...request, ...more });
    if (sent.ok || sent.refusal.code !== 'limit-reached') return sent;
    const over = await send(around, principal, { ...request, ...more, overLimits: true });
    if (over.ok) around.report({ kind: 'document-over-limit', id, says: overLimit(sent.refusal) });
    return over;
  };
  if (writer.via === 'file') return sendIt({});
  const whole = await sendIt({
    onward: (begun) => {
      const plan = planOf(begun, fields, null);
      const more = plan.kind === 'steps' ? elsewhereOf(around, writer, begun, plan.steps) : yes(null);
      return more.ok ? more.value : null;
    },
  });
  return whole.ok || whole.refusal.code === 'known-id' ? whole : sendIt({});
}

/** As what it is: over. */
export async function bringSettled(
  { around }: Documents,
  writer: Writer,
  id: HandoffId,
  fields: DocumentFields,
): Promise<Result<Handoff, SendRefusal>> {
  const request = requestOf(id, fields, around.store.nowMs());
  const body = writeJson({ input: request.input });
  if (!body.ok) return refuse({ code: 'not-json', problem: body.refusal });
  const made = await around.store.insert([settledOpening(around.rules, writer, request, body.value, fields)]);
  if (!made.ok) return made;
  const [handoff] = made.value;
  return handoff === undefined ? refuse({ code: 'no-such-handoff', id }) : yes(handoff);
}

export function reasonAgainst(id: HandoffId, fields: DocumentFields, problems: readonly string[]): string | null {
  if (idInFileName(fileNameOf(id)) === null) return NAME_RULE;
  if (problems.length > 0) return problems.join('; ');
  return fields.handoff_id === id ? null : `inside it is ${fields.handoff_id ?? 'another one'}`;
}

/** A commit tells what has been; on this machine, somebody only says so. Where identity is strict, neither is proof. */
function unproven(fields: DocumentFields, author: string | null, strict: boolean): string | null {
  if (author !== null && !strict) return null;
  if (author !== null) {
    return (
      `identity is strict here, and the commit of ${author} does not prove who wrote it; ` +
      'send it with baton create, or let an operator take it in with baton sync --adopt'
    );
  }
  if (isSettled(fields.status as Status))
    return `it is ${fields.status} and nobody here knows it; commit it, or put it into archived/ and run baton sync --adopt`;
  return strict
    ? 'identity is strict here, and a file shows no token; send it with baton create, or let an operator take it in with baton sync --adopt'
    : null;
}

/** The clock that its text names is the one it has. */
function requestOf(
  id: HandoffId,
  fields: DocumentFields,
  nowMs: number,
): SendRequest & Required<Pick<SendRequest, 'id'>> {
  const isDraft = fields.status === 'Created';
  const due = Date.parse(fields.expires_at ?? '');
  const clock = Number.isNaN(due) ? {} : { [isDraft ? 'draftMs' : 'offeredMs']: Math.max(1, due - nowMs) };
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
    terms: { deliverables: fields.deliverables ?? [], criteria: fields.verification_criteria ?? [], ...clock },
  };
}

/** Without the count: others come in at the same time. */
function overLimit({ agent, direction, max }: Extract<SendRefusal, { code: 'limit-reached' }>): string {
  return `@${agent} should have at most ${max} ${direction} handoffs open, and has more with it`;
}
