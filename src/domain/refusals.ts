/** All refusals: a closed union with data. The interfaces turn them into messages. */
import type { Exhausted } from './chain-budget.ts';
import type { Check } from './evidence.ts';
import type { Direction } from './limits.ts';
import type { Move, State } from './lifecycle.ts';
import type { AgentId, HandoffId } from './names.ts';
import type { Op } from './rights.ts';

export type Refusal =
  | { readonly code: 'no-such-handoff'; readonly id: HandoffId }
  /** The handoff was finished, and `baton prune` has moved it to an archive. */
  | { readonly code: 'handoff-removed'; readonly id: HandoffId; readonly archive: string; readonly at: number }
  | { readonly code: 'known-id'; readonly id: HandoffId }
  | { readonly code: 'request-reused'; readonly key: string }
  | {
      readonly code: 'move-not-allowed';
      readonly id: HandoffId;
      readonly state: State;
      readonly move: Move;
      /** The present holder. */
      readonly holder?: AgentId;
    }
  | {
      readonly code: 'not-entitled';
      readonly id: HandoffId;
      readonly op: Op;
      readonly principal: string;
      readonly state: State;
      /** Who may do it instead, in words. Empty: impossible in this state. */
      readonly who: readonly string[];
    }
  | {
      readonly code: 'own-work';
      readonly id: HandoffId;
      readonly principal: string;
      /** `child`, `sibling`: the principal did another part of the same work. */
      readonly part: 'sender' | 'doer' | 'child' | 'sibling';
    }
  | { readonly code: 'too-early'; readonly id: HandoffId; readonly notBefore: number }
  | { readonly code: 'not-overdue'; readonly id: HandoffId }
  /** The deadline has passed, whether or not the handoff is marked as expired. */
  | { readonly code: 'overdue'; readonly id: HandoffId; readonly state: State; readonly dueAt: number }
  /** The handoff is held with a lease, and the request shows no fence. */
  | { readonly code: 'fence-needed'; readonly id: HandoffId }
  | {
      readonly code: 'lease-lost';
      readonly id: HandoffId;
      readonly fence: number | null;
      readonly state: State;
      readonly newest: number;
    }
  | {
      readonly code: 'limit-reached';
      readonly agent: AgentId;
      readonly direction: Direction;
      readonly count: number;
      readonly max: number;
    }
  /** The agent gets no new handoffs until it is resumed. */
  | { readonly code: 'agent-paused'; readonly agent: AgentId }
  | { readonly code: 'dependency-unknown'; readonly id: HandoffId }
  /** The dependency ended without being completed, and was not retried. */
  | { readonly code: 'dependency-failed'; readonly id: HandoffId; readonly state: State }
  | { readonly code: 'dependency-cycle'; readonly ring: readonly HandoffId[] }
  | { readonly code: 'too-many-hops'; readonly id: HandoffId; readonly hops: number; readonly max: number }
  /** The budget of the chain is used up. `chain`: its newest legs that the caller may see. */
  | ({ readonly code: 'chain-exhausted'; readonly root: HandoffId; readonly chain: readonly HandoffId[] } & Exhausted)
  | { readonly code: 'evidence-missing'; readonly id: HandoffId; readonly deliverables: readonly string[] }
  | { readonly code: 'evidence-unknown'; readonly id: HandoffId; readonly deliverables: readonly string[] }
  | { readonly code: 'evidence-false'; readonly id: HandoffId; readonly checks: readonly Check[] }
  | { readonly code: 'criteria-open'; readonly id: HandoffId; readonly criteria: readonly string[] }
  | { readonly code: 'bad-value'; readonly field: string; readonly given: string; readonly allowed: string }
  | { readonly code: 'secret-found'; readonly id: string; readonly rule: string; readonly field: string }
  | { readonly code: 'no-such-task'; readonly task: string | null }
  | { readonly code: 'contended'; readonly id: HandoffId };

export type RefusalCode = Refusal['code'];
