/** One document against what it was at the commit it is compared with. */
import { AGREED, type FieldName } from '../../dialects/document/schema.ts';
import { readDocument, type DocumentRead } from '../../dialects/document/read.ts';
import type { Status } from '../../dialects/document/words.ts';
import { complain, type Complaint } from './complaint.ts';
import { placeOfField } from './judge-file.ts';
import { isLegalPath, nextWords } from './transition.ts';

/** What tells that somebody has moved a handoff. */
const MOVE_FIELDS = [
  'status',
  'acknowledged_by',
  'delivered_at',
  'deliverable_status',
  'completion_verified_by',
  'verification_record',
  'rejection_reason',
] as const satisfies readonly FieldName[];

/**
 * Where identity is strict, a commit proves nothing: what it tells has to be what the database says. `recorded` is the
 * status there; null where there is no database at hand, or it does not know the document.
 */
export function judgeProof(
  path: string,
  text: string,
  now: DocumentRead,
  before: string | null,
  recorded: Status | null,
): readonly Complaint[] {
  const was = before === null ? null : readDocument(before);
  const hasMoved =
    was === null || MOVE_FIELDS.some((name) => JSON.stringify(was.all[name]) !== JSON.stringify(now.all[name]));
  if (!hasMoved || (recorded !== null && recorded === now.fields.status)) return [];
  const known = recorded === null ? 'no database at hand has it' : `the database has it as ${recorded}`;
  const says = `identity is strict, and nothing proves that it is ${now.fields.status ?? 'what it says'}: ${known}`;
  const todo = 'use the command with a token, and check where the database is (BATON_DATABASE names another one)';
  return [complain(path, 'unproven', says, todo, placeOfField(text, 'status'))];
}

export function judgeChange(path: string, text: string, now: DocumentRead, before: string): readonly Complaint[] {
  const was = readDocument(before);
  const oldStatus = was.fields.status as Status | undefined;
  const newStatus = now.fields.status as Status | undefined;
  if (oldStatus === undefined) return [];
  if (newStatus !== undefined && !isLegalPath(oldStatus, newStatus)) {
    const ways = nextWords(oldStatus);
    const todo =
      ways.length === 0
        ? 'final is final: make a new one with baton retry'
        : `from there it can become ${ways.join(', ')}`;
    const says = `it was ${oldStatus} and cannot become ${newStatus}`;
    return [complain(path, 'transition', says, todo, placeOfField(text, 'status'))];
  }
  // A draft is still being written.
  if (oldStatus === 'Created') return [];
  return AGREED.filter(
    (name) => name in was.all && JSON.stringify(was.all[name]) !== JSON.stringify(now.all[name]),
  ).map((name) =>
    complain(
      path,
      'agreement',
      `${name} was agreed when the handoff was made and has changed`,
      'put back what stood there; other work is another handoff',
      placeOfField(text, name),
    ),
  );
}
