/** A worker that stops when its token expires or is revoked. */
import { agentPrincipal } from '../domain/principal.ts';
import type { Context } from './context.ts';
import { TokenEnd, watchOwn } from './token-watch.ts';
import { work, type WorkDone, type WorkOptions } from './work.ts';

export interface TokenWorkDone extends WorkDone {
  /** Why the token is no longer valid. Null: the worker ended for another reason. */
  readonly tokenEnd: string | null;
}

/**
 * When the token ends, nothing new is claimed. Running handoffs are released if the token was revoked, and may finish if
 * it expired or was revoked with its leases kept.
 */
export async function workWithToken(ctx: Context, options: WorkOptions): Promise<TokenWorkDone> {
  const { agent, principal = agentPrincipal(agent), stop, abort } = options;
  const watch = watchOwn(ctx, principal);
  const giveBack = new AbortController();
  let tokenEnd: string | null = null;
  watch.signal.addEventListener('abort', () => {
    const end: unknown = watch.signal.reason;
    if (!(end instanceof TokenEnd)) return;
    tokenEnd = end.message;
    if (!end.keepsLeases) giveBack.abort();
  });
  const either = {
    stop: AbortSignal.any([watch.signal, ...(stop === undefined ? [] : [stop])]),
    abort: AbortSignal.any([giveBack.signal, ...(abort === undefined ? [] : [abort])]),
  };
  const done = await work(ctx, { ...options, principal, ...either }).finally(watch.leave);
  return { ...done, tokenEnd };
}
