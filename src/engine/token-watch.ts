/**
 * Signals that a token in use has expired or was revoked, by this process or another. One read of the store serves all
 * watched tokens.
 */
import { tokenIn, type Principal } from '../domain/principal.ts';
import type { TokenRecord } from '../stores/store.ts';
import type { Context } from './context.ts';

export type TokenWatch = ReturnType<typeof openTokenWatch>;

export class TokenEnd extends Error {
  override readonly name = 'TokenEnd';
  /** Handoffs that were claimed with the token stay claimed. */
  readonly keepsLeases: boolean;

  constructor(says: string, keepsLeases: boolean) {
    super(says);
    this.keepsLeases = keepsLeases;
  }
}

/** How long a revocation by another process may go unnoticed. */
const CHECK_MS = 500;

/** Why a token is not valid. Null: it is valid. */
export function whyNotGood(token: TokenRecord | null, nowMs: number): string | null {
  if (token === null) return 'the token is not known here';
  if (token.revokedAt !== null) return `the token ${token.id} was revoked`;
  if (token.expiresAt === null || token.expiresAt > nowMs) return null;
  return `the token ${token.id} expired at ${new Date(token.expiresAt).toISOString()}`;
}

export function openTokenWatch({ store, timers, report }: Pick<Context, 'store' | 'timers' | 'report'>) {
  const watched = new Map<string, { readonly end: AbortController; count: number }>();
  let rest: AbortController | null = null;

  const check = async (): Promise<void> => {
    const ids = [...watched.keys()];
    if (ids.length === 0) return;
    const records = new Map((await store.tokens.byIds(ids)).map((record) => [record.id, record]));
    for (const id of ids) {
      const record = records.get(id) ?? null;
      const says = whyNotGood(record, store.nowMs());
      if (says === null) continue;
      // An expired token was valid when the work was claimed, so running work may finish.
      const keepsLeases = record !== null && (record.revokedAt === null || record.keepsLeases);
      watched.get(id)?.end.abort(new TokenEnd(says, keepsLeases));
      watched.delete(id);
    }
  };
  const run = async (stopping: AbortController): Promise<void> => {
    while (!stopping.signal.aborted) {
      await timers.sleep(CHECK_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      await check().catch((error: unknown) => report({ kind: 'fault', doing: 'checking tokens', error }));
    }
  };

  return {
    /** Checks now, after a revocation in this process. */
    check,
    /** The signal is aborted with a `TokenEnd` as its reason. Call `leave` when the wait is over. */
    watch: (token: string) => {
      const found = watched.get(token) ?? { end: new AbortController(), count: 0 };
      found.count += 1;
      watched.set(token, found);
      if (rest === null) {
        rest = new AbortController();
        void run(rest);
      }
      return {
        signal: found.end.signal,
        leave: () => {
          found.count -= 1;
          if (found.count === 0 && watched.get(token) === found) watched.delete(token);
          if (watched.size > 0) return;
          rest?.abort('over');
          rest = null;
        },
      };
    },
  };
}

/** Watches the token of one principal, such as a worker. A principal without a token is always valid. */
export function watchOwn(
  ctx: Pick<Context, 'store' | 'timers' | 'report'>,
  principal: Principal,
): { readonly signal: AbortSignal; leave(): void; isGood(): Promise<boolean> } {
  const token = tokenIn(principal);
  if (token === null) {
    return { signal: new AbortController().signal, leave: () => undefined, isGood: async () => true };
  }
  const { signal, leave } = openTokenWatch(ctx).watch(token);
  const isGood = async (): Promise<boolean> => {
    const [record] = await ctx.store.tokens.byIds([token]);
    return whyNotGood(record ?? null, ctx.store.nowMs()) === null;
  };
  return { signal, leave, isGood };
}
