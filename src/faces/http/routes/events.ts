/** What happens, as it happens. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { EventsQuery } from '../../shared/requests.ts';
import { endpoint, type Endpoint, type HttpContext } from '../contract.ts';
import { BEGINNING } from '../events/hub.ts';
import { serveListener } from '../events/listener.ts';
import { hold } from '../held.ts';
import { httpProblem } from '../problem.ts';
import { SECURITY_HEADERS } from '../security-headers.ts';

/** After a break; a server that starts again is there by then. */
const RETRY_MS = 1_000;

export const EVENTS: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/events',
    scope: 'read',
    summary: 'Facts as they happen (server-sent events)',
    about:
      'Every event is a fact with the record it is about: `{ fact, handoff }`, named `fact`, and its id is the cursor to go on ' +
      'from. `reset` means that the cursor is not known here: load everything again.',
    headers: { 'Last-Event-ID': 'The id of the last event seen; exactly what came after it follows.' },
    query: EventsQuery,
    giving: 'text/event-stream',
    answers: {
      200: 'A stream that does not end.',
      429: 'As many listen as this server takes from one token or address.',
    },
    answer: async ({ premises, caller, query, c }) => {
      const { after, ...wanted } = query;
      const given = cursorIn(c) ?? after ?? null;
      const from = given === BEGINNING ? '' : given;
      // Before the stream begins: afterwards there is no status to answer with.
      if (from !== null && from !== '') await premises.around.store.facts({ after: from, max: 1 });
      const { signal, tokenEnd } = hold(premises, c, caller, 'stream');
      const { outgoing } = c.env;
      const dropped = (says: string): void => premises.log.warn({ listener: caller.name, says }, 'listener dropped');
      premises.metrics.listening(1);
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
        // Broken off, not ended: a client that takes the end for the last event would not learn why.
        outgoing.destroy();
      });
      void serveListener({
        outgoing,
        caller,
        wanted,
        hub: premises.hub,
        timers: premises.around.timers,
        after: from,
        signal,
        dropped,
      })
        .catch((error: unknown) => {
          premises.log.error({ error: String(error) }, 'events broke off');
          outgoing.destroy();
        })
        .finally(() => premises.metrics.listening(-1));
      return RESPONSE_ALREADY_SENT;
    },
  }),
];

function cursorIn(c: HttpContext): string | null {
  const given = c.req.header('last-event-id');
  if (given === undefined || given === '') return null;
  const read = EventsQuery.shape.after.safeParse(given);
  if (read.success && read.data !== undefined) return read.data;
  throw httpProblem('bad-request', 'Last-Event-ID: not an id that was given out');
}
