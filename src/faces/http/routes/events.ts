/** What happens, as it happens. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { EventsQuery } from '../../shared/requests.ts';
import { endpoint, type Endpoint, type HttpContext } from '../contract.ts';
import { BEGINNING } from '../events/hub.ts';
import { serveListener } from '../events/listener.ts';
import { goneOrStopping } from '../gone.ts';
import type { Premises } from '../premises.ts';
import { httpProblem } from '../problem.ts';
import { SECURITY_HEADERS } from '../security-headers.ts';

/** A browser opens a few; a program that opens more has a leak. */
const LISTENERS_EACH_MAX = 64;
const LISTENERS_MAX = 256;
/** After a break; a server that starts again is there by then. */
const RETRY_MS = 1_000;

/** How many listen, by token or session. */
const listening = new WeakMap<Premises, Map<string, number>>();

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
    answers: { 200: 'A stream that does not end.', 429: 'As many listen as this server takes.' },
    answer: async ({ premises, caller, query, c }) => {
      const { after, ...wanted } = query;
      const given = cursorIn(c) ?? after ?? null;
      const from = given === BEGINNING ? '' : given;
      // Before the stream begins: afterwards there is no status to answer with.
      if (from !== null && from !== '') await premises.around.store.facts({ after: from, max: 1 });
      const leave = takePlace(premises, caller.name);
      const { outgoing } = c.env;
      premises.metrics.listening(1);
      const signal = goneOrStopping(premises, c);
      outgoing.writeHead(200, {
        ...SECURITY_HEADERS,
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
      outgoing.write(`retry: ${RETRY_MS}\n\n`);
      void serveListener({
        outgoing,
        caller,
        wanted,
        hub: premises.hub,
        timers: premises.around.timers,
        after: from,
        signal,
        dropped: (says) => premises.log.warn({ listener: caller.name, says }, 'listener dropped'),
      })
        .catch((error: unknown) => {
          premises.log.error({ error: String(error) }, 'events broke off');
          outgoing.destroy();
        })
        .finally(() => {
          leave();
          premises.metrics.listening(-1);
        });
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

function takePlace(premises: Premises, name: string): () => void {
  const places = listening.get(premises) ?? new Map<string, number>();
  listening.set(premises, places);
  const total = [...places.values()].reduce((sum, count) => sum + count, 0);
  const own = places.get(name) ?? 0;
  if (own >= LISTENERS_EACH_MAX || total >= LISTENERS_MAX) {
    throw httpProblem('too-many-clients', `${own} listen with this token, ${total} in all; close one first`);
  }
  places.set(name, own + 1);
  return () => {
    const left = (places.get(name) ?? 1) - 1;
    if (left === 0) places.delete(name);
    else places.set(name, left);
  };
}
