/**
 * Events of the server. Each event carries a fact and its record, so a page updates what it shows without a request.
 * Lists and counts are read again at most once in a while.
 *
 * A browser allows six connections to a server, so the tabs of one browser share one stream. The tab that holds a lock
 * reads the stream and passes the events on. When that tab is closed, another one continues from its cursor.
 */
import { signal } from '@preact/signals';
import { noteIn } from '../../src/interfaces/shared/work-note.ts';
import { errorOf } from '../../src/foundation/error-message.ts';
import { getJson, Problem, query, signedOut, type FactView, type ListPage, type Row } from './api.ts';

export interface LiveEvent {
  readonly fact: FactView;
  readonly handoff: Row;
}

export type Line = 'connecting' | 'live' | 'lost';

/** The record with the oldest event is forgotten first. */
const KEPT = 3_000;
const PULSE_MS = 100;
const CHANNEL = 'baton-facts';

const records = new Map<string, Row>();
const listeners = new Set<(heard: LiveEvent) => void>();
/** Grows with every event. A component that draws from `records` reads it. */
export const version = signal(0);
export const line = signal<Line>('connecting');
/** Paths of requests that fail now. While there are any, the page is not called live. */
export const failing = signal<ReadonlySet<string>>(new Set());

let drawAsked = false;

function changed(): void {
  if (drawAsked) return;
  drawAsked = true;
  const draw = (): void => {
    drawAsked = false;
    version.value += 1;
  };
  setTimeout(draw, document.hidden ? 1_000 : PULSE_MS);
}

/** The newest known record of the handoff. */
export function newest(row: Row): Row {
  const known = records.get(row.id);
  return known === undefined || known.revision < row.revision ? row : known;
}

export function knownRow(id: string): Row | undefined {
  return records.get(id);
}

export function onLiveEvent(applyEvent: (heard: LiveEvent) => void): () => void {
  listeners.add(applyEvent);
  return () => void listeners.delete(applyEvent);
}

/** Keeps a record of a list or an event, unless a newer one is known. */
export function learn(row: Row): void {
  const known = records.get(row.id);
  if (known !== undefined && known.revision > row.revision) return;
  records.delete(row.id);
  records.set(row.id, row);
  const [oldest] = records.keys();
  if (records.size > KEPT && oldest !== undefined) records.delete(oldest);
}

export function noteFailing(path: string, isFailing: boolean): void {
  if (failing.value.has(path) === isFailing) return;
  const paths = new Set(failing.value);
  if (isFailing) paths.add(path);
  else paths.delete(path);
  failing.value = paths;
}

/** The record of the event with what its fact says about the work. */
function rowAfter({ fact, handoff }: LiveEvent): Row {
  const known = records.get(handoff.id);
  const note = noteIn(fact, (fact.detail ?? {}) as Readonly<Record<string, unknown>>) ?? {};
  const { failure = known?.lastFailure, progress = known?.progress } = note;
  return {
    ...handoff,
    ...(known?.attemptsMax === undefined ? {} : { attemptsMax: known.attemptsMax }),
    ...(failure === undefined ? {} : { lastFailure: failure }),
    ...(progress === undefined || handoff.state !== 'accepted' ? {} : { progress }),
  };
}

function applyEvents(heard: LiveEvent): void {
  const row = rowAfter(heard);
  learn(row);
  for (const each of listeners) each({ ...heard, handoff: row });
  changed();
}

type Message =
  | { readonly kind: 'fact'; readonly cursor: string; readonly heard: LiveEvent }
  | { readonly kind: 'line'; readonly line: Line }
  /** A new tab asks for the state of the connection. */
  | { readonly kind: 'hello' };

/** Follows the events until the answer is called. */
export function followEvents(): () => void {
  const over = new AbortController();
  const others = 'BroadcastChannel' in globalThis ? new BroadcastChannel(CHANNEL) : null;
  let cursor: string | null = null;
  let isLeading = false;
  const setLine = (now: Line): void => {
    line.value = now;
    others?.postMessage({ kind: 'line', line: now } satisfies Message);
  };
  others?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello') {
      if (isLeading) others.postMessage({ kind: 'line', line: line.value } satisfies Message);
    } else if (isLeading) {
      return;
    } else if (data.kind === 'fact') {
      ({ cursor } = data);
      line.value = 'live';
      applyEvents(data.heard);
    } else line.value = data.line;
  });
  others?.postMessage({ kind: 'hello' } satisfies Message);

  const lead = async (): Promise<void> => {
    isLeading = true;
    for (let pauseMs = 500; !over.signal.aborted; pauseMs = Math.min(pauseMs * 2, 5_000)) {
      try {
        cursor ??= (await getJson<ListPage>('/api/handoffs?limit=1', over.signal)).cursor;
        pauseMs = 500;
        await listen(cursor, over.signal, setLine, (at, heard) => {
          cursor = at;
          others?.postMessage({ kind: 'fact', cursor: at, heard } satisfies Message);
          applyEvents(heard);
        });
      } catch (error) {
        if (over.signal.aborted) return;
        // The server does not know the cursor: follow from now on.
        if (error instanceof Problem || error instanceof Reset) cursor = null;
      }
      if (over.signal.aborted) return;
      setLine('lost');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      changed();
    }
  };
  const { locks } = navigator as { readonly locks?: LockManager };
  if (locks === undefined || others === null) void lead();
  else locks.request(CHANNEL, { signal: over.signal }, lead).catch(() => undefined);
  return () => {
    over.abort();
    others?.close();
  };
}

class Reset extends Error {}

async function listen(
  cursor: string,
  over: AbortSignal,
  setLine: (line: Line) => void,
  told: (cursor: string, heard: LiveEvent) => void,
): Promise<void> {
  const source = new EventSource(`/api/events${query({ after: cursor })}`);
  await new Promise<void>((resolve, reject) => {
    const end = (error?: Error): void => {
      source.close();
      if (error === undefined) resolve();
      else reject(error);
    };
    over.addEventListener('abort', () => end(), { once: true });
    source.addEventListener('open', () => {
      setLine('live');
      // Lists may have missed events while the connection was lost: read them again.
      changed();
    });
    source.addEventListener('reset', () => end(new Reset()));
    source.addEventListener('error', () => {
      setLine('lost');
      if (source.readyState !== EventSource.CLOSED) return;
      // An EventSource does not tell why it was refused; a request does.
      getJson('/api/session').then(
        () => end(new Reset()),
        (error: unknown) => end(errorOf(error)),
      );
    });
    source.addEventListener('fact', ({ data, lastEventId }: MessageEvent<string>) => {
      line.value = 'live';
      told(lastEventId, JSON.parse(data) as LiveEvent);
    });
  });
}

/** Whether the page shows the present state. */
export function isLive(): boolean {
  return line.value === 'live' && failing.value.size === 0 && signedOut.value === null;
}
