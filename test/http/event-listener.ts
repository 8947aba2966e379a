/** Listens as a browser would, and keeps what it heard. */
import { createParser } from 'eventsource-parser';
import { onTestFinished } from 'vitest';
import type { FactView, HandoffView } from '../../src/interfaces/shared/views.ts';
import type { Served } from './served.ts';

export interface Heard {
  readonly id: string;
  readonly event: string;
  readonly fact: FactView;
  readonly handoff: HandoffView;
}

export interface Listening {
  readonly status: number;
  readonly heard: Heard[];
  /** What a browser would show as Last-Event-ID. */
  lastId(): string | null;
  close(): Promise<void>;
  readonly ended: Promise<void>;
}

export async function listen(
  { url }: Pick<Served, 'url'>,
  token: string,
  { query = '', lastId = null }: { readonly query?: string; readonly lastId?: string | null } = {},
): Promise<Listening> {
  const over = new AbortController();
  const answer = await fetch(`${url}/api/events${query}`, {
    headers: { authorization: `Bearer ${token}`, ...(lastId === null ? {} : { 'last-event-id': lastId }) },
    signal: over.signal,
  });
  const heard: Heard[] = [];
  let last: string | null = lastId;
  const parser = createParser({
    onEvent: ({ id = '', event = '', data }) => {
      last = id;
      heard.push({ id, event, ...(JSON.parse(data) as { fact: FactView; handoff: HandoffView }) });
    },
  });
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
        parser.feed(decoder.decode(chunk, { stream: true }));
      }
    } catch {
      // Hung up, by either side.
    }
  };
  const ended = answer.ok ? read() : Promise.resolve();
  const close = async (): Promise<void> => {
    over.abort();
    await ended;
  };
  onTestFinished(close);
  return { status: answer.status, heard, lastId: () => last, close, ended };
}
