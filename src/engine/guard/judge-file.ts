/** Checks one file: whether it is a handoff, and has the right place, name and fields. */
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { archiveMonth, documentId, matchesName } from '../../formats/document/names.ts';
import { errorsIn, readDocument, verifiersIn, type DocumentRead } from '../../formats/document/read.ts';
import { isSettled } from '../../formats/document/vocabulary.ts';
import { violation, fieldViolationIn, type Violation, type FieldViolation } from './violation.ts';
import { isImported } from '../documents/overrule.ts';
import type { JudgedText } from './judge-change.ts';
import { judgeConflict } from './judge-derived.ts';
import { detectForm } from './detect-form.ts';
import type { FileText, InsideFile } from './tree.ts';

export interface GuardRules {
  /** Verifiers of every document. If there are any, completion needs one. */
  readonly verifiers: readonly AgentId[];
}

export interface Judged {
  readonly violations: readonly Violation[];
  /** Null: the file is no document, or cannot be read. */
  readonly document: JudgedText | null;
}

const FORM = 'handoff-{from}-{to}-{task}-{YYYYMMDD}.md';

/** Names of copies: `…_063331.md`, `…-copy.md`, `… (2).md`, `Copy of …`. */
const COPY =
  /^copy of |(?:_\d{6,}|[-_ .]copy(?:[-_ ]?\d+)?| ?\(\d+\))(?:\.[a-z]+)?$|(?:~|\.(?:bak|orig|old|rej|swp|tmp))$/i;

/** `inside` is null for a file outside of `_handoffs/`. */
export function judgeFile(path: string, inside: InsideFile | null, file: FileText, rules: GuardRules): Judged {
  const violations =
    inside === null
      ? judgeOutside(path, file)
      : 'unfit' in file
        ? judgeUnfit(inside, file.unfit)
        : judgePlace(inside, file.text);
  if (violations !== null || inside === null || 'unfit' in file)
    return { violations: violations ?? [], document: null };
  const { text } = file;
  const document: JudgedText = { text, read: readDocument(text), violation: fieldViolationIn(path, text) };
  return { violations: judgeDocument(inside, document, rules), document };
}

function judgeOutside(path: string, file: FileText): readonly Violation[] {
  const suspect = 'unfit' in file ? null : detectForm(path, file.text);
  if (suspect === null) return [];
  const says = suspect === 'older' ? 'a handoff of an older form' : 'a handoff';
  const todo =
    suspect === 'older'
      ? 'bring it over with: baton migrate'
      : 'move it to _handoffs/active/, or to _handoffs/archived/YYYY/MM/ if it is settled';
  return [violation(path, 'outside', `${says} outside of _handoffs/`, todo)];
}

/** A name that is meant for a handoff. */
const MEANT = /^(?:copy of )?handoff[-_]/i;

function judgeUnfit({ path, name }: InsideFile, says: string): readonly Violation[] {
  return MEANT.test(name) ? [violation(path, 'unreadable', says, 'put a plain file there, or nothing')] : [];
}

/** Null: name and folder are right, and the content is checked next. */
function judgePlace({ path, name, kind, id }: InsideFile, text: string): readonly Violation[] | null {
  const isMeant = MEANT.test(name);
  const conflict = isMeant ? judgeConflict(path, text) : [];
  if (conflict.length > 0) return conflict;
  const suspect = detectForm(path, text);
  if (suspect === null && !isMeant) return [];
  if (COPY.test(name)) {
    const todo = 'keep the one that is right, take this one away; the second of a day ends in -2.md';
    return [violation(path, 'copy', 'the name of a copy', todo)];
  }
  if (kind === 'misplaced') {
    const says = 'below _handoffs/ a handoff lies in active/ or in archived/YYYY/MM/';
    return [violation(path, 'place', says, 'move it there')];
  }
  if (id === null) return [violation(path, 'name', `not the name of a handoff`, `call it ${FORM}`)];
  if (suspect !== 'older') return null;
  const says = 'a handoff of an older form, without the front matter';
  return [violation(path, 'fields', says, 'bring it over with: baton migrate')];
}

function judgeDocument(inside: InsideFile, document: JudgedText, rules: GuardRules): readonly Violation[] {
  const { read, violation: violationOf } = document;
  const wrong = errorsIn(read).map(({ field, says, line, column }) =>
    violation(inside.path, 'fields', field === '' ? says : `${field}: ${says}`, 'put it right', { line, column }),
  );
  return [
    ...wrong,
    ...judgeName(inside.name, read, violationOf),
    ...judgeStatus(inside.kind, read, violationOf),
    ...(wrong.length > 0 ? [] : judgeMonth(inside.rest, read, violationOf)),
    ...judgeCompletion(read, rules, violationOf),
  ];
}

function judgeName(name: string, { fields }: DocumentRead, violationOf: FieldViolation): readonly Violation[] {
  const stem = name.slice(0, -'.md'.length);
  const { handoff_id: id, from_agent: from, to_agent: to, related_task: task, created_at: created } = fields;
  if (id !== undefined && id !== stem) {
    const says = `the file is called ${stem}, its handoff_id is ${id}`;
    return [violationOf('name', 'handoff_id', says, 'make both the same; a second handoff needs an id of its own')];
  }
  const sender = readAgentId(from ?? '');
  const recipient = readAgentId(to ?? '');
  if (sender === null || recipient === null || task === undefined || created === undefined) return [];
  const parts = { from: sender, to: recipient, task, createdAt: Date.parse(created) };
  // A document without a task has the task `none`, and `no-task` in its name.
  if (matchesName(stem, parts) || (task === 'none' && matchesName(stem, { ...parts, task: null }))) return [];
  const says = `its fields make the name ${documentId(parts)}.md`;
  return [violationOf('name', 'handoff_id', says, 'call it so, or put the fields right')];
}

function judgeStatus(
  place: InsideFile['kind'],
  { fields: { status } }: DocumentRead,
  violationOf: FieldViolation,
): readonly Violation[] {
  if (status === undefined) return [];
  const settled = isSettled(status as never);
  if (settled === (place === 'archived')) return [];
  const todo = settled ? 'move it to _handoffs/archived/YYYY/MM/, or run: baton sync' : 'move it to _handoffs/active/';
  return [violationOf('place', 'status', `${status} does not belong in ${place}/`, todo)];
}

/** Every clone archives a document in the month in which it was settled, as its text tells. */
function judgeMonth(rest: string, { fields, all }: DocumentRead, violationOf: FieldViolation): readonly Violation[] {
  const [, month] = /^archived\/(\d{4}\/\d{2})\//.exec(rest) ?? [];
  const settledAt = Date.parse(fields.updated_at ?? '');
  if (month === undefined || Number.isNaN(settledAt) || isImported(all)) return [];
  const right = archiveMonth(settledAt);
  if (month === right || fields.status === undefined || !isSettled(fields.status as never)) return [];
  return [violationOf('place', 'updated_at', `it was settled in ${right}`, `move it to _handoffs/archived/${right}/`)];
}

/** Completed work must be accepted, and verified by another agent. A rejection must have a reason. */
function judgeCompletion(
  { fields, all }: DocumentRead,
  { verifiers }: GuardRules,
  violationOf: FieldViolation,
): readonly Violation[] {
  // Settled before it was migrated, so who acknowledged or verified it is unknown.
  if (isImported(all)) return [];
  const { status, from_agent: from, to_agent: to, rejection_reason: reason } = fields;
  if (status === 'Rejected' && (reason ?? null) === null) {
    const todo = 'write rejection_reason with a type and a message';
    return [violationOf('completion', 'status', 'Rejected without a reason', todo)];
  }
  if (status !== 'Complete') return [];
  const verifier = readAgentId(fields.completion_verified_by ?? '');
  const todo = 'let it be verified with: baton verify';
  const missing = [
    ...((fields.acknowledged_by ?? null) === null ? ['acknowledged_by'] : []),
    ...((fields.completed_at ?? null) === null ? ['completed_at'] : []),
    ...(verifier === null && verifiers.length + verifiersIn(fields).length > 0 ? ['completion_verified_by'] : []),
  ];
  const without = missing.map((field) => violationOf('completion', field, `Complete without ${field}`, todo));
  const own = [from, to, fields.acknowledged_by].some((agent) => readAgentId(agent ?? '') === verifier);
  if (verifier === null || !own) return without;
  const says = `verified by @${verifier}, who sent it or did it`;
  return [...without, violationOf('completion', 'completion_verified_by', says, todo)];
}
