/**
 * What happens, as it happens. Every fact comes with the record it is about, so what a page shows is brought up to date
 * without asking again; lists and counts are asked again at most once in a while.
 *
 * A browser allows six connections to a server, so the tabs of one browser share one stream: the tab that holds a lock
 * listens and tells the others. When it is closed, another one goes on where it was.
 */
import { signal } from '@preact/signals';
import { noteIn } from '../../src/interfaces/shared/work-note.ts';
import { asError, ask, Problem, query, signedOut, type FactView, type ListPage, type Row } from './api.ts';

export interface Heard {
  readonly fact: FactView;
  readonly handoff: Row;
}

export type Line = 'connecting' | 'live' | 'lost';

/** As many as a person can look at; what was heard of longest ago is forgotten first. */
const KEPT = 3_000;
const PULSE_MS = 100;
const CHANNEL = 'baton-facts';

const records = new Map<string, Row>();
const hearers = new Set<(heard: Heard) => void>();
/** Grows whenever something was heard; whoever draws from records reads it. */
export const version = signal(0);
export const line = signal<Line>('connecting');
/** Requests that fail now: as long as there are any, nothing is called live. */
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

/** The newest that is known of a handoff. */
export function newest(row: Row): Row {
  const known = records.get(row.id);
  return known === undefined || known.revision < row.revision ? row : known;
}

export function knownRow(id: string): Row | undefined {
  return records.get(id);
}

export function onHeard(hear: (heard: Heard) => void): () => void {
  hearers.add(hear);
  return () => void hearers.delete(hear);
}

/** What a list said. */
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
function rowAfter({ fact, handoff }: Heard): Row {
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

function hear(heard: Heard): void {
  const row = rowAfter(heard);
  learn(row);
  for (const each of hearers) each({ ...heard, handoff: row });
  changed();
}

type Message =
  | { readonly kind: 'fact'; readonly cursor: string; readonly heard: Heard }
  | { readonly kind: 'line'; readonly line: Line }
  | { readonly kind: 'reset' }
  /** A tab that has just come wants to know how the line is. */
  | { readonly kind: 'hello' };

/** Listens until it is told to end. */
export function keepUp(): () => void {
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
      hear(data.heard);
    } else if (data.kind === 'line') line.value = data.line;
    else changed();
  });
  others?.postMessage({ kind: 'hello' } satisfies Message);

  const lead = async (): Promise<void> => {
    isLeading = true;
    for (let pauseMs = 500; !over.signal.aborted; pauseMs = Math.min(pauseMs * 2, 5_000)) {
      try {
        cursor ??= (await ask<ListPage>('/api/handoffs?limit=1', over.signal)).cursor;
        pauseMs = 500;
        await listen(cursor, over.signal, setLine, (at, heard) => {
          cursor = at;
          others?.postMessage({ kind: 'fact', cursor: at, heard } satisfies Message);
          hear(heard);
        });
      } catch (error) {
        if (over.signal.aborted) return;
        // A cursor of another time is of no use; whoever is not let in is told so by the answer itself.
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
  told: (cursor: string, heard: Heard) => void,
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
      // What lists missed while the line was lost is asked for now.
      changed();
    });
    source.addEventListener('reset', () => end(new Reset()));
    source.addEventListener('error', () => {
      setLine('lost');
      if (source.readyState !== EventSource.CLOSED) return;
      // A stream does not say why it was refused; a request does.
      ask('/api/session').then(
        () => end(new Reset()),
        (error: unknown) => end(asError(error)),
      );
    });
    source.addEventListener('fact', ({ data, lastEventId }: MessageEvent<string>) => {
      line.value = 'live';
      told(lastEventId, JSON.parse(data) as Heard);
    });
  });
}

/** Whether what is on the screen is as it is now. */
export function isLive(): boolean {
  return line.value === 'live' && failing.value.size === 0 && signedOut.value === null;
}
