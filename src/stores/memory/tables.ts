/**
 * All data of the store, and the one way to change handoffs: a draft that is committed whole or dropped.
 *
 * Maps keep the order of insertion, so `rows` does too.
 */
import type { JsonText } from '../../foundation/json.ts';
import { isInboxKind, type Decision, type Effect } from '../../domain/decision.ts';
import type { AgentSession } from '../../domain/agent-session.ts';
import { erasedFact, isErasure } from '../../domain/erasure.ts';
import type { Fact } from '../../domain/facts.ts';
import type { HandoffId, SessionId } from '../../domain/names.ts';
import type {
  DueEffect,
  PauseRecord,
  PolicyRecord,
  RemovedHandoff,
  RequestKey,
  ScheduleRecord,
  SessionRecord,
  TokenRecord,
  StoredHandoff,
} from '../store.ts';
import type { TokenLogLine } from '../token-store.ts';

export type Row = StoredHandoff;

/** Kept after it is done, because its key must never be used again. */
interface KeptEffect {
  readonly effect: DueEffect;
  /** Null: done. */
  readonly dueAtMs: number | null;
  /** When and why it was given up. */
  readonly dropped?: { readonly at: number; readonly says: string };
}

/** The due time of inbox entries. */
export const NEVER = Infinity;

interface KeptRequest {
  readonly hash: string;
  readonly ids: readonly HandoffId[];
  /** Infinity: kept for ever. */
  readonly at: number;
}

/** `silentForMs` is computed from the last heartbeat. */
export type KeptSession = Omit<SessionRecord, 'silentForMs'> & { readonly beatAtMs: number };

export interface Tables {
  readonly rows: Map<HandoffId, Row>;
  /** In commit order; the index of a fact is its cursor. Null: removed with its handoff. */
  readonly facts: (Fact | null)[];
  readonly effects: Map<string, KeptEffect>;
  readonly requests: Map<string, KeptRequest>;
  readonly sessions: Map<SessionId, KeptSession>;
  readonly tokens: Map<string, TokenRecord>;
  /** When each was last used. */
  readonly tokenUses: Map<string, number>;
  /** Oldest first. */
  readonly tokenLog: (TokenLogLine & { readonly seq: number })[];
  readonly bootstrap: { isOpen: boolean };
  /** Version 1 is at index 0. */
  readonly policies: PolicyRecord[];
  /** By id, from 1. */
  readonly agents: Map<number, AgentSession>;
  readonly schedules: Map<string, ScheduleRecord>;
  readonly removed: Map<HandoffId, RemovedHandoff>;
  /** From 1; a number is never used again. */
  readonly numbers: Map<HandoffId, number>;
  readonly newest: { number: number };
  /** Oldest first, including ended pauses. */
  readonly pauses: PauseRecord[];
}

export function requestName({ by, key }: Pick<RequestKey, 'by' | 'key'>): string {
  return JSON.stringify([by, key]);
}

export function emptyTables(): Tables {
  return {
    rows: new Map(),
    facts: [],
    effects: new Map(),
    requests: new Map(),
    sessions: new Map(),
    tokens: new Map(),
    tokenUses: new Map(),
    tokenLog: [],
    bootstrap: { isOpen: true },
    policies: [],
    agents: new Map(),
    schedules: new Map(),
    removed: new Map(),
    numbers: new Map(),
    newest: { number: 0 },
    pauses: [],
  };
}

export type Draft = ReturnType<typeof draftOver>;

export function draftOver(tables: Tables) {
  const written = new Map<HandoffId, Row>();
  const decisions: Decision[] = [];
  return {
    row: (id: HandoffId) => written.get(id) ?? tables.rows.get(id),
    removed: (id: HandoffId) => tables.removed.get(id),
    /** In order of insertion, with the changes of this draft. */
    *rows() {
      for (const [id, kept] of tables.rows) yield written.get(id) ?? kept;
      for (const [id, added] of written) if (!tables.rows.has(id)) yield added;
    },
    write(next: Row, decision: Decision) {
      decisions.push(decision);
      written.set(next.handoff.id, next);
    },
    /** Writes everything and returns the written records, in order. */
    commit() {
      for (const [id, next] of written) {
        tables.rows.set(id, next);
        if (!tables.numbers.has(id)) tables.numbers.set(id, (tables.newest.number += 1));
        tables.removed.delete(id);
      }
      for (const { handoff, facts, effects = [] } of decisions) {
        if (facts.some(isErasure)) eraseContent(tables, handoff.id);
        tables.facts.push(...facts);
        for (const effect of effects) keepEffect(tables, effect);
      }
      return decisions.map((decision) => decision.handoff);
    },
  };
}

function eraseContent(tables: Tables, id: HandoffId): void {
  for (const [index, fact] of tables.facts.entries()) if (fact?.handoff === id) tables.facts[index] = erasedFact(fact);
  for (const [key, { effect }] of tables.effects) {
    if (key.startsWith(`${id}:`))
      tables.effects.set(key, { effect: { ...effect, payload: '{}' as JsonText }, dueAtMs: null });
  }
}

function keepEffect(tables: Tables, effect: Effect): void {
  if (tables.effects.has(effect.key)) return;
  tables.effects.set(effect.key, { effect, dueAtMs: isInboxKind(effect.kind) ? NEVER : -Infinity });
}
