/** Whoever waits for an answer may leave before it comes: then nobody goes on waiting for them. */
import type { HttpContext } from './contract.ts';
import type { ServerContext } from './server-context.ts';

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
