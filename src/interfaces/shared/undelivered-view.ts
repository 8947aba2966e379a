import type { DroppedEffect } from '../../stores/store.ts';

/** A notification that was given up, as others see it. */
export interface UndeliveredView {
  readonly key: string;
  /** `webhook` or `desktop`. */
  readonly kind: string;
  /** The webhook, by its name; null: it goes elsewhere. */
  readonly target: string | null;
  readonly event: string | null;
  /** What it tells of. */
  readonly handoff: string | null;
  /** Why nobody tries it any more. */
  readonly says: string;
  readonly at: string;
}

export function undeliveredView({ key, kind, payload, says, droppedAt }: DroppedEffect): UndeliveredView {
  const { target, event, body, id } = (JSON.parse(payload) ?? {}) as Readonly<Record<string, unknown>>;
  const told = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    key,
    kind,
    target: text(target),
    event: text(event),
    handoff: text(told['handoff']) ?? text(id),
    says,
    at: new Date(droppedAt).toISOString(),
  };
}
