/** Facts as server-sent events. */
import * as z from 'zod';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { wholeIdOf } from '../../../engine/handoffs/short-id.ts';
import { EventsQuery } from '../../shared/requests.ts';
import { endpoint, type Endpoint, type HttpContext } from '../contract.ts';
import { BEGINNING } from '../events/hub.ts';
import { serveListener } from '../events/listener.ts';
import { openLongRequest } from '../long-request.ts';
import { httpProblem, problemOf } from '../problem.ts';
import { SECURITY_HEADERS } from '../security-headers.ts';

/** Long enough for a server that restarts. */
const RETRY_MS = 1_000;

export const EVENT_ROUTES: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/events',
    scope: 'read',
    summary: 'Stream facts as they happen (server-sent events)',
    about:
      'Every event is a fact with its handoff: `{ fact, handoff }`, named `fact`. Its id is the cursor to continue ' +
      'from. A failure in the handover of an agent is also sent as `handoff_error`: `{ agent_id, handoff, code, message, step, at }`. `reset` means that the server does not know the cursor: load everything again.',
    headers: { 'Last-Event-ID': 'The id of the last event that the client has; the stream continues after it.' },
    query: EventsQuery,
    responseShape: z.string(),
    responseType: 'text/event-stream',
    answers: {
      200: 'A stream that does not end.',
      429: 'The limit of streams for one token or address is reached.',
    },
    answer: async ({ serverContext, caller, query, c }) => {
      const { after, ...given } = query;
      const whole =
        given.handoff === undefined ? null : await wholeIdOf(serverContext.ctx, caller.principal, given.handoff);
      if (whole?.ok === false) throw problemOf(whole.refusal);
      const filter = whole === null ? given : { ...given, handoff: whole.value };
      const cursor = cursorIn(c) ?? after ?? null;
      const from = cursor === BEGINNING ? '' : cursor;
      // Before the stream starts, because a bad cursor can be answered only with a status.
      if (from !== null && from !== '') await serverContext.ctx.store.facts({ after: from, max: 1 });
      const { signal, tokenEnd } = openLongRequest(serverContext, c, caller, 'stream');
      const { outgoing } = c.env;
      const dropped = (says: string): void =>
        serverContext.log.warn({ listener: caller.name, says }, 'listener dropped');
      serverContext.metrics.listening(1);
      outgoing.writeHead(200, {
        ...SECURITY_HEADERS,
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      outgoing.write(`retry: ${RETRY_MS}\n\n`);
      signal.addEventListener('abort', () => {
        if (tokenEnd() === null) return;
        dropped('its token or session is over');
        // Destroyed, not ended: the client must not take this for a normal end.
        outgoing.destroy();
      });
      void serveListener({
        outgoing,
        caller,
        filter,
        hub: serverContext.hub,
        timers: serverContext.ctx.timers,
        after: from,
        signal,
        dropped,
      })
        .catch((error: unknown) => {
          serverContext.log.error({ error: String(error) }, 'an event stream failed');
          outgoing.destroy();
        })
        .finally(() => serverContext.metrics.listening(-1));
      return RESPONSE_ALREADY_SENT;
    },
  }),
];

function cursorIn(c: HttpContext): string | null {
  const given = c.req.header('last-event-id');
  if (given === undefined || given === '') return null;
  const read = EventsQuery.shape.after.safeParse(given);
  if (read.success && read.data !== undefined) return read.data;
  throw httpProblem('bad-request', 'Last-Event-ID: not an id that this server gave out');
}
