/** A document that the database does not know becomes a handoff. What cannot become one is left alone, with the reason. */
import type { HandoffId } from '../../domain/names.ts';
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { agentPrincipal } from '../../domain/principal.ts';
import { fileNameOf, idInFileName } from '../../dialects/document/names.ts';
import { errorsIn, problemText, readDocument } from '../../dialects/document/read.ts';
import type { DocumentFields } from '../../dialects/document/schema.ts';
import { isSettled, type Status } from '../../dialects/document/words.ts';
import { send, type SendRefusal, type SendRequest } from '../verbs/send.ts';
import { carryOut, wordsFor, type Writer } from './carry-out.ts';
import { agree, leave, NAME_RULE, WRITTEN_MS, type Documents, type Looked, type SeenFile } from './documents.ts';
import { touchIndex } from './index-file.ts';
import { planOf } from './plan.ts';

export async function adopt(documents: Documents, id: HandoffId, { file, place }: SeenFile): Promise<Looked> {
  const { around, folder, strict } = documents;
  const name = fileNameOf(id);
  const author = await folder.git.authorOf(place, id, file.text);
  if (author === null && file.quietMs < WRITTEN_MS) return 'later';
  const read = readDocument(file.text);
  const refused = reasonAgainst(id, read.fields, errorsIn(read).map(problemText), strict && author === null);
  if (refused !== null) {
    leave(documents, name, refused);
    return 'done';
  }
  const writer: Writer = author === null ? { via: 'file', who: file.user } : { via: 'git', who: author };
  const request = requestOf(id, read.fields, around.store.nowMs());
  const sent = await send(around, { kind: 'writer', ...writer, as: agentPrincipal(request.from) }, request);
  if (!sent.ok) {
    if (sent.refusal.code === 'known-id') return 'again';
    if (sent.refusal.code === 'limit-reached') documents.waiting.add(id);
    leave(documents, name, reasonOf(sent.refusal));
    return 'done';
  }
  documents.waiting.delete(id);
  const plan = planOf(sent.value, read.fields, null);
  const done = plan.kind === 'steps' ? await carryOut(around, writer, sent.value, plan.steps) : sent;
  const newest = done.ok ? done.value : ((await around.store.load(id))?.handoff ?? sent.value);
  const says = done.ok ? `new → ${newest.state}` : `new → ${newest.state}; ${wordsFor(done.refusal)}`;
  around.report({ kind: 'document-adopted', id, by: `${writer.via}:${writer.who}`, says });
  // What was refused is told in the next look, like any change.
  const revision = done.ok ? newest.revision : sent.value.revision;
  await agree(documents, id, file.text, revision, null);
  await touchIndex(documents);
  return done.ok ? 'done' : 'again';
}

function reasonAgainst(
  id: HandoffId,
  fields: DocumentFields,
  problems: readonly string[],
  isUnproven: boolean,
): string | null {
  if (idInFileName(fileNameOf(id)) === null) return NAME_RULE;
  if (problems.length > 0) return problems.join('; ');
  if (fields.handoff_id !== id) return `inside it is ${fields.handoff_id ?? 'another one'}`;
  if (isSettled(fields.status as Status))
    return `it is ${fields.status} and nobody here knows it; it belongs into archived/`;
  return isUnproven ? 'identity is strict here, and a file shows no token; commit it, or use baton create' : null;
}

/** The clock that its text names is the one it has. */
function requestOf(id: HandoffId, fields: DocumentFields, nowMs: number): SendRequest {
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

function reasonOf(refusal: SendRefusal): string {
  if (refusal.code !== 'limit-reached') return refusal.code;
  return `@${refusal.agent} has ${refusal.count} ${refusal.direction} handoffs open, at most ${refusal.max}; it waits here`;
}
