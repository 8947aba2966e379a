/**
 * What a pure decision hands to a store: the next record, the facts that led there, and what else is written with them.
 * The store writes all of it in one transaction, or none.
 */
import type { JsonText } from '../foundation/json.ts';
import type { Result } from '../foundation/result.ts';
import type { DependencyStates } from './dependencies.ts';
import type { Fact } from './facts.ts';
import type { Handoff } from './handoff.ts';
import type { AgentId } from './names.ts';
import type { Refusal } from './refusals.ts';

export interface Decision {
  readonly handoff: Handoff;
  readonly facts: readonly Fact[];
  /** What a revised draft or an erased handoff carries from now on; title, priority and terms are written with it, and at no other time. */
  readonly body?: JsonText;
  /** The answer or the failure of this attempt; absent leaves what is there. */
  readonly outcome?: JsonText;
  readonly effects?: readonly Effect[];
  /** What others have begun elsewhere goes on whether there is room for it or not, and counts. */
  readonly overLimits?: true;
}

/** Something to be done in the world after the commit, at least once; `key` lets the target see a repetition. */
export interface Effect {
  readonly key: string;
  readonly kind: string;
  readonly payload: JsonText;
}

const INBOX = 'inbox:';

/** An entry in an agent's inbox is an effect of this kind. */
export function inboxKind(agent: AgentId): string {
  return `${INBOX}${agent}`;
}

export function isInboxKind(kind: string): boolean {
  return kind.startsWith(INBOX);
}

/** Synchronous and pure; a store may run it twice. */
export type Decide = (handoff: Handoff, nowMs: number) => Result<Decision, Refusal>;

/** The decision that makes a record: what it waits for is looked up in the same transaction. */
export type DecideFirst = (nowMs: number, dependencies: DependencyStates) => Result<Decision, Refusal>;
