/** Whoever waits for an answer may leave before it comes: then nobody goes on waiting for them. */
import type { HttpContext } from './contract.ts';
import type { Premises } from './premises.ts';

export function goneOrStopping({ stopping }: Pick<Premises, 'stopping'>, c: HttpContext): AbortSignal {
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
