/** What is wrong with a file, where, and what to do about it. */

export type Rule =
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

export interface Complaint {
  readonly file: string;
  /** From one. */
  readonly line: number;
  readonly column: number;
  readonly rule: Rule;
  readonly says: string;
  readonly todo: string;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

export const START_OF_FILE: Position = { line: 1, column: 1 };

export function complain(
  file: string,
  rule: Rule,
  says: string,
  todo: string,
  at: Position = START_OF_FILE,
): Complaint {
  return { file, line: at.line, column: at.column, rule, says, todo };
}
