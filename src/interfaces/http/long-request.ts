/** A request that stays open takes a place. It ends with its client, with the server, or with its token. */
import { TokenEnd } from '../../engine/token-watch.ts';
import type { HeldKind } from './capacity.ts';
import type { Caller } from './caller.ts';
import { addressOf } from './connections.ts';
import type { HttpContext } from './contract.ts';
import type { ServerContext } from './server-context.ts';
import { httpProblem } from './problem.ts';

/** The place is free again when the answer is complete or the connection is closed. */
export function openLongRequest(serverContext: ServerContext, c: HttpContext, caller: Caller, kind: HeldKind) {
  const { outgoing, incoming } = c.env;
  const leave = serverContext.capacity.enter(kind, caller, addressOf(incoming.socket));
  const watched = caller.token === null ? null : serverContext.tokens.watch(caller.token);
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
    /** Why the token has ended; null as long as it is good. */
    tokenEnd,
    signal: watched === null ? gone : AbortSignal.any([gone, watched.signal]),
    /** Throws if the end of the token has ended the wait. */
    requireValidToken: (): void => {
      const end = tokenEnd();
      if (end !== null) throw httpProblem('token-refused', end.message);
    },
  };
}

/** Aborted when the client has gone or the server stops: nobody goes on waiting for an answer that is not read. */
export function requestSignal({ stopping }: Pick<ServerContext, 'stopping'>, c: HttpContext): AbortSignal {
  const gone = new AbortController();
  const { outgoing } = c.env;
  if (outgoing.destroyed) gone.abort('over');
  const end = (): void => gone.abort('over');
  outgoing.once('close', () => {
    stopping.removeEventListener('abort', end);
    end();
  });
  if (stopping.aborted) end();
  else stopping.addEventListener('abort', end, { once: true });
  return gone.signal;
}
