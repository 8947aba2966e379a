/**
 * Events beside the answers, for logs and not for decisions. New kinds may be added. The compiler compares this list with the
 * engine's own.
 */
export type BatonEvent =
  | { readonly kind: 'attempt-started'; readonly id: string; readonly attempt: number }
  | {
      readonly kind: 'attempt-settled';
      readonly id: string;
      readonly state: string;
      /** `againInMs` is null if there is no further attempt. */
      readonly failed?: {
        readonly attempt: number;
        readonly code: string;
        readonly message: string;
        readonly againInMs: number | null;
      };
      /** Given back without counting the attempt, and offered again later. */
      readonly postponed?: { readonly reason: string; readonly inMs: number };
    }
  /** A result came too late: another worker holds the handoff. */
  | { readonly kind: 'result-refused'; readonly id: string; readonly refusal: { readonly code: string } }
  | { readonly kind: 'session-lost'; readonly session: string }
  /** Its worker died; it is offered again. */
  | { readonly kind: 'handoff-recovered'; readonly id: string; readonly says: string }
  /** A worker has ended without being stopped. */
  | { readonly kind: 'worker-ended'; readonly agent: string; readonly says: string }
  /** Senders in other programs are not checked by the schema of this agent. */
  | { readonly kind: 'schema-not-registered'; readonly agent: string; readonly says: string }
  | { readonly kind: 'clock-jumped'; readonly byMs: number }
  /** An open transaction keeps new facts out of all feeds. */
  | { readonly kind: 'feed-held'; readonly says: string; readonly todo: string }
  | { readonly kind: 'feed-free' }
  /** An effect of a fact, such as a webhook, was postponed or given up. */
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
  /** This process follows another version of the stored policy from now on. */
  | { readonly kind: 'policy-changed'; readonly version: number }
  /** Never with the secret itself. */
  | {
      readonly kind: 'secret-found';
      readonly id: string;
      readonly rule: string;
      readonly field: string;
      readonly did: 'warned' | 'redacted' | 'refused';
    }
  /** A fault outside of an answer. Baton continues. */
  | { readonly kind: 'fault'; readonly doing: string; readonly error: unknown };
