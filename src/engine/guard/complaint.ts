/** What is wrong with a file, where, and what to do about it. */
import { readEntries } from '../../formats/document/entries.ts';
import { placeAt } from '../../formats/document/front-matter.ts';

type Rule =
  | 'outside'
  | 'place'
  | 'name'
  | 'copy'
  | 'unreadable'
  | 'conflict'
  | 'index'
  | 'fields'
  | 'transition'
  | 'agreement'
  | 'unproven'
  | 'completion'
  | 'removed'
  | 'limit'
  | 'overdue'
  | 'duplicate';

/** Counted from one. */
interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Complaint extends Position {
  readonly file: string;
  readonly rule: Rule;
  readonly says: string;
  readonly todo: string;
}

const START_OF_FILE: Position = { line: 1, column: 1 };

export function complain(
  file: string,
  rule: Rule,
  says: string,
  todo: string,
  { line, column }: Position = START_OF_FILE,
): Complaint {
  return { file, line, column, rule, says, todo };
}

/** Makes complaints about fields of one document, each where the field stands. */
export function complainerOf(path: string, text: string): FieldComplainer {
  return (rule, field, says, todo) => {
    const entry = readEntries(text).entries.find(({ key }) => key === field);
    return complain(path, rule, says, todo, entry === undefined ? START_OF_FILE : placeAt(text, entry.keyAt));
  };
}

export type FieldComplainer = (rule: Rule, field: string, says: string, todo: string) => Complaint;
