/** Runs the workers of a test until they have nothing left to do. */
import { isFinal } from '../domain/lifecycle.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { AgentId } from '../domain/names.ts';
import type { Context } from '../engine/context.ts';
import { wholeView, type WholeView } from '../interfaces/shared/views.ts';
import { POLL_MS } from '../stores/store.ts';
import type { EngineTime } from './test-clock.ts';

/** A retry takes one or two steps. More than this means that handlers send new work endlessly. */
const STEPS_MAX = 10_000;
const PAGE = 1_000;
/** The duty has swept by then. */
const SWEEP_MS = 500;
/** In real time: a handler may wait for a network. */
const TICK_MS = 1;

export interface WorkersAtWork {
  /** Whose workers run. */
  readonly agents: () => ReadonlySet<AgentId>;
  /** The handlers that run now. */
  readonly running: () => readonly Promise<unknown>[];
  /** How many are waiting for a handoff to be settled. */
  readonly waiting: () => number;
}

/** Resolves when the workers have nothing left to do. */
export async function drain(ctx: Context, time: EngineTime, at: WorkersAtWork): Promise<void> {
  let before = '';
  for (let steps = 0; ;) {
    await time.jump(0);
    const running = at.running();
    if (running.length > at.waiting()) {
      await Promise.race([...running, new Promise((resolve) => setTimeout(resolve, TICK_MS))]);
      continue;
    }
    const open = await openFor(ctx, at.agents());
    const waitMs = nextIn(open, running.length > 0, time.nowMs());
    const now = open.map(({ id, revision }) => `${id} ${revision}`).join();
    // The rest waits for something else, and a sweep has not changed it.
    if (waitMs === null && (open.length === 0 || now === before)) return;
    steps += 1;
    if (steps > STEPS_MAX)
      throw new Error(`drain: the workers never become idle; still open: ${open.map(nameOf).join(', ')}`);
    before = now;
    await time.jump(waitMs ?? SWEEP_MS);
  }
}

/** Handoffs that a worker holds, can claim, or can claim later. */
async function openFor({ store }: Context, agents: ReadonlySet<AgentId>): Promise<readonly Handoff[]> {
  const pages = [...agents].map((to) =>
    store.find({ by: 'filter', states: ['offered', 'accepted', 'blocked'], to, max: PAGE }),
  );
  const found = (await Promise.all(pages)).flatMap(({ items }) => items);
  return found.filter(({ custody, blockedOn }) => custody?.by !== 'hand' && blockedOn?.reason !== 'question');
}

/** How long until something can happen; null: nothing will by itself. Who is accepted and waits for others is not asked. */
function nextIn(open: readonly Handoff[], isWaiting: boolean, nowMs: number): number | null {
  const wanted = open.filter(({ state }) => state === 'offered' || (state === 'accepted' && !isWaiting));
  const times = wanted.map(({ notBefore }) => Math.max(notBefore - nowMs, 0) || POLL_MS);
  return times.length === 0 ? null : Math.min(...times);
}

function nameOf({ id, state, to }: Handoff): string {
  return `${id} (${state}, @${to})`;
}

/** What was settled after a cursor, in that order, and the cursor to go on from. */
export async function settledSince(
  { store }: Context,
  after: string,
): Promise<{ readonly settled: readonly WholeView[]; readonly cursor: string }> {
  const settled: WholeView[] = [];
  let cursor = after;
  for (;;) {
    const page = await store.facts({ max: PAGE, ...(cursor === '' ? {} : { after: cursor }) });
    for (const { fact } of page) {
      if (!isFinal(fact.to) || fact.from === fact.to) continue;
      const whole = await store.load(fact.handoff);
      if (whole !== null) settled.push(wholeView(whole));
    }
    cursor = page.at(-1)?.cursor ?? cursor;
    if (page.length < PAGE) return { settled, cursor };
  }
}
