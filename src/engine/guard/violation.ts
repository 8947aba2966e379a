/** A violation of the guard's rules: the file, the place, what is wrong and what to do. */
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

export interface Violation extends Position {
  readonly file: string;
  readonly rule: Rule;
  readonly says: string;
  readonly todo: string;
}

const START_OF_FILE: Position = { line: 1, column: 1 };

export function violation(
  file: string,
  rule: Rule,
  says: string,
  todo: string,
  { line, column }: Position = START_OF_FILE,
): Violation {
  return { file, line, column, rule, says, todo };
}

/** Makes violations for fields of one document, with the position of the field. */
export function fieldViolationIn(path: string, text: string): FieldViolation {
  return (rule, field, says, todo) => {
    const entry = readEntries(text).entries.find(({ key }) => key === field);
    return violation(path, rule, says, todo, entry === undefined ? START_OF_FILE : placeAt(text, entry.keyAt));
  };
}

export type FieldViolation = (rule: Rule, field: string, says: string, todo: string) => Violation;
