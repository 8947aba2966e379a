/**
 * What a pure decision returns to the store: the next record, its new facts, and what else is written with them. The store
 * writes all of it in one transaction, or nothing.
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
  /** The new body of a revised draft or an erased handoff. Title, priority and terms are written only together with it. */
  readonly body?: JsonText;
  /** The result or the failure of this attempt; absent: the stored outcome stays. */
  readonly outcome?: JsonText;
  readonly effects?: readonly Effect[];
  /** Ignores limits, for work that was begun elsewhere. It still counts against them. */
  readonly overLimits?: true;
}

/** A side effect after the commit, carried out at least once. The target recognizes a repetition by `key`. */
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

/** The decision that creates a record. The states of its dependencies are read in the same transaction. */
export type DecideFirst = (nowMs: number, dependencies: DependencyStates) => Result<Decision, Refusal>;
