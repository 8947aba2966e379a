/** One document against what it was at the commit it is compared with. */
import { AGREED } from '../../dialects/document/schema.ts';
import { readDocument, type DocumentRead } from '../../dialects/document/read.ts';
import type { Status } from '../../dialects/document/words.ts';
import { complain, type Complaint } from './complaint.ts';
import { placeOfField } from './judge-file.ts';
import { isLegalPath, nextWords } from './transition.ts';

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
