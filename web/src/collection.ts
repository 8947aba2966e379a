/**
 * All handoffs that the page knows, and how it keeps up: a list first, then every fact after it. A fact comes with the
 * record it is about, so nothing is asked for again.
 *
 * Records change many times a second; the screen is told at most once per frame.
 */
import { signal } from '@preact/signals';
import { ask, query, type FactView, type HandoffView, type ListPage } from './api.ts';

export interface Heard {
  readonly fact: FactView;
  readonly handoff: HandoffView;
}

export type Line = 'connecting' | 'live' | 'lost';

/** Of what is over, only the newest are of interest here; the search finds the others. */
const SETTLED_KEPT = 500;
const PAGE = 500;
const OPEN_STATES = 'open';
const SETTLED_STATES = 'completed,failed,rejected,expired,cancelled';

const records = new Map<string, HandoffView>();
const hearers = new Set<(heard: Heard) => void>();
/** Grows whenever `records` has changed; whoever draws from them reads it. */
export const version = signal(0);
export const line = signal<Line>('connecting');
export const loading = signal(true);
/** How many facts come in a second. */
export const pulse = signal(0);

let heardCount = 0;
let drawAsked = false;
/** A thousand records are sorted in a few milliseconds; a page with many of them is drawn less often. */
const MS_PER_RECORD = 0.02;

function changed(): void {
  if (drawAsked) return;
  drawAsked = true;
  const draw = (): void => {
    drawAsked = false;
    version.value += 1;
  };
  // A page in the background draws nothing, and must not save it all up either.
  const pauseMs = document.hidden ? 1_000 : records.size * MS_PER_RECORD;
  if (pauseMs < 16) requestAnimationFrame(draw);
  else setTimeout(draw, pauseMs);
}

export function all(): ReadonlyMap<string, HandoffView> {
  return records;
}

export function onHeard(hear: (heard: Heard) => void): () => void {
  hearers.add(hear);
  return () => void hearers.delete(hear);
}

function learn(handoff: HandoffView): void {
  const known = records.get(handoff.id);
  if (known !== undefined && known.revision >= handoff.revision) return;
  // The newest comes last, so that what is forgotten is the oldest.
  records.delete(handoff.id);
  records.set(handoff.id, handoff);
}

const SETTLED = new Set(SETTLED_STATES.split(','));

function isSettled(handoff: HandoffView): boolean {
  return SETTLED.has(handoff.state);
}

/** Called now and then: what is over goes, oldest first. */
function forget(): void {
  let settled = 0;
  for (const each of records.values()) if (isSettled(each)) settled += 1;
  if (settled <= SETTLED_KEPT * 1.2) return;
  for (const each of records.values()) {
    if (settled <= SETTLED_KEPT) return;
    if (!isSettled(each)) continue;
    records.delete(each.id);
    settled -= 1;
  }
}

/** Loads, listens, and begins again whenever the line is lost for good. */
export function keepUp(): () => void {
  const over = new AbortController();
  void follow(over.signal);
  const forgetting = setInterval(() => {
    forget();
    pulse.value = heardCount / 2;
    heardCount = 0;
  }, 2_000);
  return () => {
    over.abort();
    clearInterval(forgetting);
  };
}

async function follow(over: AbortSignal): Promise<void> {
  for (let pauseMs = 500; !over.aborted; pauseMs = Math.min(pauseMs * 2, 10_000)) {
    try {
      line.value = 'connecting';
      const cursor = await load(over);
      pauseMs = 500;
      await listen(cursor, over);
    } catch {
      // Told by the dot in the header; the next round tries again.
    }
    if (over.aborted) return;
    line.value = 'lost';
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function load(over: AbortSignal): Promise<string> {
  loading.value = true;
  records.clear();
  const settled = await ask<ListPage>(`/api/handoffs${query({ state: SETTLED_STATES, limit: PAGE / 2 })}`, over);
  const { cursor } = settled;
  for (const each of settled.items.toReversed()) learn(each);
  changed();
  for (let after: string | undefined; ;) {
    const page: ListPage = await ask<ListPage>(
      `/api/handoffs${query({ state: OPEN_STATES, limit: PAGE, after })}`,
      over,
    );
    for (const each of page.items) learn(each);
    loading.value = false;
    changed();
    if (page.next === null) return cursor;
    after = page.next;
  }
}

async function listen(cursor: string, over: AbortSignal): Promise<void> {
  const source = new EventSource(`/api/events${query({ after: cursor })}`);
  await new Promise<void>((resolve) => {
    const end = (): void => {
      source.close();
      resolve();
    };
    over.addEventListener('abort', end, { once: true });
    source.addEventListener('open', () => (line.value = 'live'));
    source.addEventListener('reset', end);
    source.addEventListener('error', () => {
      // The browser tries again by itself, with the last id it has seen, unless the server refused.
      line.value = 'lost';
      if (source.readyState === EventSource.CLOSED) end();
    });
    source.addEventListener('fact', ({ data }: MessageEvent<string>) => hear(JSON.parse(data) as Heard));
  });
}

function hear(heard: Heard): void {
  line.value = 'live';
  learn(heard.handoff);
  heardCount += 1;
  for (const each of hearers) each(heard);
  changed();
}
