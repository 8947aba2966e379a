import type { Effect } from '../domain/decision.ts';

export interface Carrier {
  readonly kind: string;
  carry(
    effect: Effect,
    signal: AbortSignal,
  ): Promise<'done' | { readonly retryInMs?: number; readonly says: string } | { readonly never: string }>;
}
