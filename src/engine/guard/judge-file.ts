/** Judges one file: whether it is a handoff at all, lies where it may, has the right name, and says what it has to. */
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { archiveMonth, documentId, nameFits } from '../../formats/document/names.ts';
import { errorsIn, readDocument, verifiersIn, type DocumentRead } from '../../formats/document/read.ts';
import { isSettled } from '../../formats/document/vocabulary.ts';
import { complain, complainerOf, type Complaint, type FieldComplainer } from './complaint.ts';
import { isImported } from '../documents/overrule.ts';
import type { JudgedText } from './judge-change.ts';
import { judgeConflict } from './judge-derived.ts';
import { suspectIn } from './suspect.ts';
import type { FileText, InsideFile } from './tree.ts';

export interface GuardRules {
  /** Verifiers of every document; where there are some, nothing completes without one. */
  readonly verifiers: readonly AgentId[];
}

export interface Judged {
  readonly complaints: readonly Complaint[];
  /** Null: the file is no document, or cannot be read. */
  readonly document: JudgedText | null;
}

const FORM = 'handoff-{from}-{to}-{task}-{YYYYMMDD}.md';

/** What programs and people call a second file of the same: `…_063331.md`, `…-copy.md`, `… (2).md`, `Copy of …`. */
const COPY =
  /^copy of |(?:_\d{6,}|[-_ .]copy(?:[-_ ]?\d+)?| ?\(\d+\))(?:\.[a-z]+)?$|(?:~|\.(?:bak|orig|old|rej|swp|tmp))$/i;

/** `inside` is null for a file outside of `_handoffs/`. */
export function judgeFile(path: string, inside: InsideFile | null, file: FileText, rules: GuardRules): Judged {
  const complaints =
    inside === null
      ? judgeOutside(path, file)
      : 'unfit' in file
        ? judgeUnfit(inside, file.unfit)
        : judgePlace(inside, file.text);
  if (complaints !== null || inside === null || 'unfit' in file)
    return { complaints: complaints ?? [], document: null };
  const { text } = file;
  const document: JudgedText = { text, read: readDocument(text), complain: complainerOf(path, text) };
  return { complaints: judgeDocument(inside, document, rules), document };
}

function judgeOutside(path: string, file: FileText): readonly Complaint[] {
  const suspect = 'unfit' in file ? null : suspectIn(path, file.text);
  if (suspect === null) return [];
  const says = suspect === 'older' ? 'a handoff of an older form' : 'a handoff';
  const todo =
    suspect === 'older'
      ? 'bring it over with: baton migrate'
      : 'move it to _handoffs/active/, or to _handoffs/archived/YYYY/MM/ if it is settled';
  return [complain(path, 'outside', `${says} outside of _handoffs/`, todo)];
}

/** Whether the name is meant to be that of a handoff. */
const MEANT = /^(?:copy of )?handoff[-_]/i;

function judgeUnfit({ path, name }: InsideFile, says: string): readonly Complaint[] {
  return MEANT.test(name) ? [complain(path, 'unreadable', says, 'put a plain file there, or nothing')] : [];
}

/** Null: it is a document with the right name in the right folder, and its content is judged next. */
function judgePlace({ path, name, kind, id }: InsideFile, text: string): readonly Complaint[] | null {
  const isMeant = MEANT.test(name);
  const conflict = isMeant ? judgeConflict(path, text) : [];
  if (conflict.length > 0) return conflict;
  const suspect = suspectIn(path, text);
  if (suspect === null && !isMeant) return [];
  if (COPY.test(name)) {
    const todo = 'keep the one that is right, take this one away; the second of a day ends in -2.md';
    return [complain(path, 'copy', 'the name of a copy', todo)];
  }
  if (kind === 'misplaced') {
    const says = 'below _handoffs/ a handoff lies in active/ or in archived/YYYY/MM/';
    return [complain(path, 'place', says, 'move it there')];
  }
  if (id === null) return [complain(path, 'name', `not the name of a handoff`, `call it ${FORM}`)];
  if (suspect !== 'older') return null;
  const says = 'a handoff of an older form, without the front matter';
  return [complain(path, 'fields', says, 'bring it over with: baton migrate')];
}

function judgeDocument(inside: InsideFile, document: JudgedText, rules: GuardRules): readonly Complaint[] {
  const { read, complain: complainOf } = document;
  const wrong = errorsIn(read).map(({ field, says, line, column }) =>
    complain(inside.path, 'fields', field === '' ? says : `${field}: ${says}`, 'put it right', { line, column }),
  );
  return [
    ...wrong,
    ...judgeName(inside.name, read, complainOf),
    ...judgeStatus(inside.kind, read, complainOf),
    ...(wrong.length > 0 ? [] : judgeMonth(inside.rest, read, complainOf)),
    ...judgeCompletion(read, rules, complainOf),
  ];
}

function judgeName(name: string, { fields }: DocumentRead, complainOf: FieldComplainer): readonly Complaint[] {
  const stem = name.slice(0, -'.md'.length);
  const { handoff_id: id, from_agent: from, to_agent: to, related_task: task, created_at: created } = fields;
  if (id !== undefined && id !== stem) {
    const says = `the file is called ${stem}, its handoff_id is ${id}`;
    return [complainOf('name', 'handoff_id', says, 'make both the same; a second handoff needs an id of its own')];
  }
  const sender = readAgentId(from ?? '');
  const recipient = readAgentId(to ?? '');
  if (sender === null || recipient === null || task === undefined || created === undefined) return [];
  const parts = { from: sender, to: recipient, task, createdAt: Date.parse(created) };
  // A document without a task has the task `none`, and `no-task` in its name.
  if (nameFits(stem, parts) || (task === 'none' && nameFits(stem, { ...parts, task: null }))) return [];
  const says = `its fields make the name ${documentId(parts)}.md`;
  return [complainOf('name', 'handoff_id', says, 'call it so, or put the fields right')];
}

function judgeStatus(
  place: InsideFile['kind'],
  { fields: { status } }: DocumentRead,
  complainOf: FieldComplainer,
): readonly Complaint[] {
  if (status === undefined) return [];
  const settled = isSettled(status as never);
  if (settled === (place === 'archived')) return [];
  const todo = settled ? 'move it to _handoffs/archived/YYYY/MM/, or run: baton sync' : 'move it to _handoffs/active/';
  return [complainOf('place', 'status', `${status} does not belong in ${place}/`, todo)];
}

/** Every clone archives a document in the month in which it was settled, as its text tells. */
function judgeMonth(rest: string, { fields, all }: DocumentRead, complainOf: FieldComplainer): readonly Complaint[] {
  const [, month] = /^archived\/(\d{4}\/\d{2})\//.exec(rest) ?? [];
  const settledAt = Date.parse(fields.updated_at ?? '');
  if (month === undefined || Number.isNaN(settledAt) || isImported(all)) return [];
  const right = archiveMonth(settledAt);
  if (month === right || fields.status === undefined || !isSettled(fields.status as never)) return [];
  return [complainOf('place', 'updated_at', `it was settled in ${right}`, `move it to _handoffs/archived/${right}/`)];
}

/** Ends have conditions: completed work was accepted, and verified by somebody else; a rejection has a reason. */
function judgeCompletion(
  { fields, all }: DocumentRead,
  { verifiers }: GuardRules,
  complainOf: FieldComplainer,
): readonly Complaint[] {
  // Over before it was migrated: nobody knows who acknowledged or verified it.
  if (isImported(all)) return [];
  const { status, from_agent: from, to_agent: to, rejection_reason: reason } = fields;
  if (status === 'Rejected' && (reason ?? null) === null) {
    const todo = 'write rejection_reason with a type and a message';
    return [complainOf('completion', 'status', 'Rejected without a reason', todo)];
  }
  if (status !== 'Complete') return [];
  const verifier = readAgentId(fields.completion_verified_by ?? '');
  const todo = 'let it be verified with: baton verify';
  const missing = [
    ...((fields.acknowledged_by ?? null) === null ? ['acknowledged_by'] : []),
    ...((fields.completed_at ?? null) === null ? ['completed_at'] : []),
    ...(verifier === null && verifiers.length + verifiersIn(fields).length > 0 ? ['completion_verified_by'] : []),
  ];
  const without = missing.map((field) => complainOf('completion', field, `Complete without ${field}`, todo));
  const own = [from, to, fields.acknowledged_by].some((agent) => readAgentId(agent ?? '') === verifier);
  if (verifier === null || !own) return without;
  const says = `verified by @${verifier}, who sent it or did it`;
  return [...without, complainOf('completion', 'completion_verified_by', says, todo)];
}
