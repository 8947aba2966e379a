/**
 * What was found in a text that somebody else wrote, in a form that nobody agreed on.
 *
 * A reading never refuses: what is not understood is kept under its own name, and the text itself is kept whole.
 */
import type { State } from '../../domain/lifecycle.ts';
import type { AgentId } from '../../domain/names.ts';

/** `certain`: it says so. `likely`: it says so in other words, or in an odd place. `guess`: we would ask. */
export type Sureness = 'certain' | 'likely' | 'guess';

export type Form =
  | 'front-matter'
  | 'bold-fields'
  | 'header-lines'
  | 'bullets'
  | 'table'
  | 'heading'
  | 'yaml-block'
  | 'yaml'
  | 'json'
  | 'comment'
  | 'file-name'
  | 'free-text';

export interface Field {
  /** As it was written. */
  readonly key: string;
  /** Where it stands among the others: `handoff.from_agent`, `to[0].name`. */
  readonly path: string;
  readonly text: string;
  /** From 1; 0 is the name of the file. */
  readonly line: number;
  readonly form: Form;
}

export interface Found extends Field {
  readonly sure: Sureness;
}

export const ROLES = ['id', 'from', 'to', 'status', 'created', 'title', 'task'] as const;
export type Role = (typeof ROLES)[number];

export interface ReadingProblem {
  readonly line: number;
  readonly says: string;
}

export interface LegacyReading extends Readonly<Record<Role, Found | null>> {
  /** The form that most of it has. */
  readonly form: Form;
  /** Whether it hands something over, and how sure that is; `no` is prose, a template or something else. */
  readonly handoff: Sureness | 'no';
  /** Why, in a few words. */
  readonly because: string;
  /** The same in the words of the house; null where they cannot be said in them. */
  readonly sender: AgentId | null;
  readonly recipient: AgentId | null;
  readonly state: State | null;
  readonly createdAt: number | null;
  /** All that was found, in order of appearance, also what has no home. */
  readonly fields: readonly Field[];
  readonly problems: readonly ReadingProblem[];
  /** As it came. */
  readonly text: string;
}
