/** A request that stays open: it has a place, and ends when its client has gone, the server stops or its token has ended. */
import { TokenEnd } from '../../engine/token-watch.ts';
import type { HeldKind } from './capacity.ts';
import type { Caller } from './caller.ts';
import { addressOf } from './connections.ts';
import type { HttpContext } from './contract.ts';
import { requestSignal } from './request-signal.ts';
import type { ServerContext } from './server-context.ts';
import { httpProblem } from './problem.ts';

export interface LongRequest {
  readonly signal: AbortSignal;
  /** The token has ended meanwhile; null as long as it is good. */
  tokenEnd(): TokenEnd | null;
  /** After the wait: throws where it was the token's end that ended it. */
  mustStillBeGood(): void;
}

/** Its place is free again when the answer is complete or the connection is closed. */
export function openLongRequest(
  serverContext: ServerContext,
  c: HttpContext,
  caller: Caller,
  kind: HeldKind,
): LongRequest {
  const { outgoing, incoming } = c.env;
  const leave = serverContext.capacity.enter(kind, caller, addressOf(incoming.socket));
  const watched = caller.token === null ? null : serverContext.tokens.attend(caller.token);
  const over = (): void => {
    leave();
    watched?.leave();
  };
  if (outgoing.destroyed) over();
  else outgoing.once('close', over);
  const gone = requestSignal(serverContext, c);
  const tokenEnd = (): TokenEnd | null => {
    const end: unknown = watched?.signal.reason;
    return end instanceof TokenEnd ? end : null;
  };
  return {
    tokenEnd,
    signal: watched === null ? gone : AbortSignal.any([gone, watched.signal]),
    mustStillBeGood: () => {
      const end = tokenEnd();
      if (end !== null) throw httpProblem('token-refused', end.message);
    },
  };
}
