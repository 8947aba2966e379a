/**
 * What was found in a text in a form that nobody agreed on. A reading never fails: a field that is not understood is kept
 * under its own name, and the text is kept whole.
 */
import type { State } from '../../domain/lifecycle.ts';
import type { AgentId } from '../../domain/names.ts';

/** `certain`: the text says so. `likely`: in other words, or in an unusual place. `guess`: a person should confirm it. */
export type Confidence = 'certain' | 'likely' | 'guess';

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

/** Forms in which every line is a field or part of one. */
export function isStructured(form: Form): boolean {
  return form === 'front-matter' || form === 'yaml' || form === 'json';
}

export interface Field {
  /** As it was written. */
  readonly key: string;
  /** Like `handoff.from_agent` or `to[0].name`. */
  readonly path: string;
  readonly text: string;
  /** From 1; 0 is the name of the file. */
  readonly line: number;
  readonly form: Form;
}

export interface Found extends Field {
  readonly sure: Confidence;
}

export const ROLES = ['id', 'from', 'to', 'status', 'created', 'title', 'task'] as const;
export type Role = (typeof ROLES)[number];

export interface ReadingProblem {
  readonly line: number;
  readonly says: string;
}

export interface LegacyReading extends Readonly<Record<Role, Found | null>> {
  /** The form of most fields. */
  readonly form: Form;
  /** How sure it is that the text is a handoff; `no`: prose, a template or something else. */
  readonly handoff: Confidence | 'no';
  /** The reason for `handoff`. */
  readonly because: string;
  /** The same in our own terms; null: no value of ours fits. */
  readonly sender: AgentId | null;
  readonly recipient: AgentId | null;
  readonly state: State | null;
  readonly createdAt: number | null;
  /** All fields in order of appearance, also those without a role. */
  readonly fields: readonly Field[];
  readonly problems: readonly ReadingProblem[];
  readonly text: string;
}
