/** Notifications that nobody tries to deliver any more, and what becomes of them when somebody asks for it. */
import { err, ok, type Result } from '../foundation/result.ts';
import type { DroppedEffect } from '../stores/store.ts';
import type { Context } from './context.ts';

export interface UndeliveredRefusal {
  readonly code: 'not-undelivered';
  readonly key: string;
}

/** Newest first. */
export async function undelivered({ store }: Context, max: number): Promise<readonly DroppedEffect[]> {
  return store.outbox.dropped(max);
}

/** Whoever has the duty tries it with its next look, as if it had never been tried. */
export async function resend({ store }: Context, key: string): Promise<Result<string, UndeliveredRefusal>> {
  return (await store.outbox.again(key)) ? ok(key) : err({ code: 'not-undelivered', key });
}
