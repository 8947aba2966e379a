/**
 * What happens beside the answers, for logs: never for decisions. `kind` tells which; new kinds may be added. The compiler
 * holds this list against the engine's own.
 */
export type BatonEvent =
  | { readonly kind: 'attempt-started'; readonly id: string; readonly attempt: number }
  | {
      readonly kind: 'attempt-settled';
      readonly id: string;
      readonly state: string;
      /** `againInMs` is null where nobody tries again. */
      readonly failed?: {
        readonly attempt: number;
        readonly code: string;
        readonly message: string;
        readonly againInMs: number | null;
      };
      /** Given back uncounted, to be taken again after a while. */
      readonly postponed?: { readonly reason: string; readonly inMs: number };
    }
  /** A result came too late: the handoff was somebody else's by then. */
  | { readonly kind: 'result-refused'; readonly id: string; readonly refusal: { readonly code: string } }
  | { readonly kind: 'session-lost'; readonly session: string }
  /** Its worker died; it is offered again. */
  | { readonly kind: 'handoff-recovered'; readonly id: string; readonly says: string }
  /** A worker has ended although nobody has stopped it. */
  | { readonly kind: 'worker-ended'; readonly agent: string; readonly says: string }
  /** Senders that use another program are not checked by the schema of this agent. */
  | { readonly kind: 'schema-not-registered'; readonly agent: string; readonly says: string }
  | { readonly kind: 'clock-jumped'; readonly byMs: number }
  /** An open transaction keeps new facts from everybody who follows the feed. */
  | { readonly kind: 'feed-held'; readonly says: string; readonly todo: string }
  | { readonly kind: 'feed-free' }
  /** Something that follows from a fact, such as a webhook, has to wait or was given up. */
  | {
      readonly kind: 'effect-postponed' | 'effect-dropped';
      readonly key: string;
      readonly effect: string;
      readonly says: string;
    }
  /** Finished handoffs were moved to archives, as `retention.days` says. */
  | { readonly kind: 'pruned'; readonly handoffs: number; readonly archives: readonly string[] }
  | { readonly kind: 'file-adopted'; readonly id: string; readonly place: string }
  | { readonly kind: 'file-warning'; readonly id: string; readonly place: string; readonly says: string }
  | { readonly kind: 'file-quarantined'; readonly name: string; readonly place: string; readonly says: string }
  | { readonly kind: 'task-left'; readonly task: string; readonly says: string }
  | { readonly kind: 'document-adopted'; readonly id: string; readonly by: string; readonly says: string }
  | {
      readonly kind: 'document-refused' | 'document-over-limit' | 'document-late';
      readonly id: string;
      readonly says: string;
    }
  | { readonly kind: 'document-left'; readonly name: string; readonly says: string }
  | { readonly kind: 'documents-paused' | 'store-read-only' | 'store-waiting'; readonly says: string }
  /** From now on this process follows that version of the stored policy. */
  | { readonly kind: 'policy-changed'; readonly version: number }
  /** Never with the secret itself. */
  | {
      readonly kind: 'secret-found';
      readonly id: string;
      readonly rule: string;
      readonly field: string;
      readonly did: 'warned' | 'redacted' | 'refused';
    }
  /** Something beside the answers went wrong; Baton goes on. */
  | { readonly kind: 'fault'; readonly doing: string; readonly error: unknown };
