/** One file: whether it is a handoff at all, lies where it may, is called as it should, and says what it has to. */
import type { AgentId } from '../../domain/names.ts';
import { readAgentId } from '../../domain/names.ts';
import { readEntries } from '../../formats/document/entries.ts';
import { placeAt } from '../../formats/document/front-matter.ts';
import { documentId, idInFileName, nameFits } from '../../formats/document/names.ts';
import { errorsIn, readDocument, verifiersIn, type DocumentRead } from '../../formats/document/read.ts';
import { isSettled } from '../../formats/document/vocabulary.ts';
import { START_OF_FILE, complain, type Complaint, type Position } from './complaint.ts';
import { isImported } from '../documents/overrule.ts';
import { complainOfConflict, conflictIn } from './judge-derived.ts';
import { suspectIn } from './suspect.ts';
import type { FileText, Lying } from './tree.ts';

export interface GuardRules {
  /** Of every document; where there are some, nothing completes without one. */
  readonly verifiers: readonly AgentId[];
}

export interface Judged {
  readonly complaints: readonly Complaint[];
  /** Null where it is none, or cannot be read. */
  readonly document: DocumentRead | null;
}

const NONE: Judged = { complaints: [], document: null };
const FORM = 'handoff-{from}-{to}-{task}-{YYYYMMDD}.md';

/** What programs and people call a second file of the same: `…_063331.md`, `…-copy.md`, `… (2).md`, `Copy of …`. */
const COPY =
  /^copy of |(?:_\d{6,}|[-_ .]copy(?:[-_ ]?\d+)?| ?\(\d+\))(?:\.[a-z]+)?$|(?:~|\.(?:bak|orig|old|rej|swp|tmp))$/i;

export function judgeFile(path: string, lying: Lying, file: FileText, rules: GuardRules): Judged {
  if (lying.kind === 'outside') return judgeOutside(path, file);
  const { name } = lying;
  const isMeant = /^(?:copy of )?handoff[-_]/i.test(name);
  if ('unfit' in file) {
    if (!isMeant) return NONE;
    return {
      complaints: [complain(path, 'unreadable', file.unfit, 'put a plain file there, or nothing')],
      document: null,
    };
  }
  const conflict = isMeant ? conflictIn(file.text) : null;
  if (conflict !== null) return { complaints: [complainOfConflict(path, conflict)], document: null };
  const suspect = suspectIn(path, file.text);
  if (suspect === null && !isMeant) return NONE;
  if (COPY.test(name)) {
    const todo = 'keep the one that is right, take this one away; the second of a day ends in -2.md';
    return { complaints: [complain(path, 'copy', 'the name of a copy', todo)], document: null };
  }
  if (lying.kind === 'astray') {
    const says = 'below _handoffs/ a handoff lies in active/ or in archived/YYYY/MM/';
    return { complaints: [complain(path, 'place', says, 'move it there')], document: null };
  }
  if (idInFileName(name) === null) {
    return { complaints: [complain(path, 'name', `not the name of a handoff`, `call it ${FORM}`)], document: null };
  }
  if (suspect === 'older') {
    const says = 'a handoff of an older form, without the front matter';
    return { complaints: [complain(path, 'fields', says, 'bring it over with: baton migrate')], document: null };
  }
  return judgeDocument(path, lying.kind, lying.rest, name, file.text, rules);
}

function judgeOutside(path: string, file: FileText): Judged {
  const suspect = 'unfit' in file ? null : suspectIn(path, file.text);
  if (suspect === null) return NONE;
  const says = suspect === 'older' ? 'a handoff of an older form' : 'a handoff';
  const todo =
    suspect === 'older'
      ? 'bring it over with: baton migrate'
      : 'move it to _handoffs/active/, or to _handoffs/archived/YYYY/MM/ if it is settled';
  return { complaints: [complain(path, 'outside', `${says} outside of _handoffs/`, todo)], document: null };
}

function judgeDocument(
  path: string,
  place: 'active' | 'archived',
  rest: string,
  name: string,
  text: string,
  rules: GuardRules,
): Judged {
  const document = readDocument(text);
  const wrong = errorsIn(document).map(({ field, says, line, column }) =>
    complain(path, 'fields', field === '' ? says : `${field}: ${says}`, 'put it right', { line, column }),
  );
  const at = (field: string): Position => placeOfField(text, field);
  const complaints = [
    ...wrong,
    ...judgeName(path, name, document, at),
    ...judgeStatus(path, place, document, at),
    ...(wrong.length > 0 ? [] : judgeMonth(path, rest, document, at)),
    ...judgeCompletion(path, document, rules, at),
  ];
  return { complaints, document };
}

export function placeOfField(text: string, field: string): Position {
  const entry = readEntries(text).entries.find(({ key }) => key === field);
  return entry === undefined ? START_OF_FILE : placeAt(text, entry.keyAt);
}

type At = (field: string) => Position;

function judgeName(path: string, name: string, { fields }: DocumentRead, at: At): readonly Complaint[] {
  const stem = name.slice(0, -'.md'.length);
  const { handoff_id: id, from_agent: from, to_agent: to, related_task: task, created_at: created } = fields;
  if (id !== undefined && id !== stem) {
    const says = `the file is called ${stem}, its handoff_id is ${id}`;
    return [
      complain(path, 'name', says, 'make both the same; a second handoff needs an id of its own', at('handoff_id')),
    ];
  }
  const sender = readAgentId(from ?? '');
  const recipient = readAgentId(to ?? '');
  if (sender === null || recipient === null || task === undefined || created === undefined) return [];
  const parts = { from: sender, to: recipient, task, createdAt: Date.parse(created) };
  // A document without a task says so by this word, and its name says it in another way.
  if (nameFits(stem, parts) || (task === 'none' && nameFits(stem, { ...parts, task: null }))) return [];
  const says = `its fields make the name ${documentId(parts)}.md`;
  return [complain(path, 'name', says, 'call it so, or put the fields right', at('handoff_id'))];
}

function judgeStatus(
  path: string,
  place: 'active' | 'archived',
  { fields: { status } }: DocumentRead,
  at: At,
): readonly Complaint[] {
  if (status === undefined) return [];
  const settled = isSettled(status as never);
  if (settled === (place === 'archived')) return [];
  const todo = settled ? 'move it to _handoffs/archived/YYYY/MM/, or run: baton sync' : 'move it to _handoffs/active/';
  return [complain(path, 'place', `${status} does not belong in ${place}/`, todo, at('status'))];
}

/** Every clone archives it in the same place: the month in which it was settled, as its text tells it. */
function judgeMonth(path: string, rest: string, { fields, all }: DocumentRead, at: At): readonly Complaint[] {
  const [, month] = /^archived\/(\d{4}\/\d{2})\//.exec(rest) ?? [];
  const settledAt = Date.parse(fields.updated_at ?? '');
  if (month === undefined || Number.isNaN(settledAt) || isImported(all)) return [];
  const right = new Date(settledAt).toISOString().slice(0, 7).replace('-', '/');
  if (month === right || fields.status === undefined || !isSettled(fields.status as never)) return [];
  return [
    complain(path, 'place', `it was settled in ${right}`, `move it to _handoffs/archived/${right}/`, at('updated_at')),
  ];
}

/** The ends that have conditions: completed work was taken and verified by somebody else, a rejection has a reason. */
function judgeCompletion(
  path: string,
  { fields, all }: DocumentRead,
  { verifiers }: GuardRules,
  at: At,
): readonly Complaint[] {
  // Over before it was migrated: nobody knows who acknowledged or verified it.
  if (isImported(all)) return [];
  const { status, from_agent: from, to_agent: to, rejection_reason: reason } = fields;
  if (status === 'Rejected' && (reason ?? null) === null) {
    const todo = 'write rejection_reason with a type and a message';
    return [complain(path, 'completion', 'Rejected without a reason', todo, at('status'))];
  }
  if (status !== 'Complete') return [];
  const verifier = readAgentId(fields.completion_verified_by ?? '');
  const todo = 'let it be verified with: baton verify';
  const missing = [
    ...((fields.acknowledged_by ?? null) === null ? ['acknowledged_by'] : []),
    ...((fields.completed_at ?? null) === null ? ['completed_at'] : []),
    ...(verifier === null && verifiers.length + verifiersIn(fields).length > 0 ? ['completion_verified_by'] : []),
  ];
  const without = missing.map((field) => complain(path, 'completion', `Complete without ${field}`, todo, at(field)));
  const own = [from, to, fields.acknowledged_by].some((agent) => readAgentId(agent ?? '') === verifier);
  if (verifier === null || !own) return without;
  const says = `verified by @${verifier}, who sent it or did it`;
  return [...without, complain(path, 'completion', says, todo, at('completion_verified_by'))];
}
