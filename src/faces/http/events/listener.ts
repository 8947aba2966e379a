/**
 * One who listens: first what it has missed, at the speed at which it reads, then every round of the hub. What it may
 * not read is left out, and a listener that does not read is let go before it costs memory; it comes back with its last
 * id and has missed nothing.
 */
import type { ServerResponse } from 'node:http';
import type { State } from '../../../domain/lifecycle.ts';
import type { AgentId, HandoffId } from '../../../domain/names.ts';
import { principalText } from '../../../domain/principal.ts';
import { may } from '../../../domain/rights.ts';
import type { Timers } from '../../../foundation/clock.ts';
import type { Caller } from '../caller.ts';
import type { Hub, Round, Told } from './hub.ts';

export interface Wanted {
  readonly agent?: AgentId | undefined;
  readonly handoff?: HandoffId | undefined;
  readonly state?: readonly State[] | undefined;
}

export interface ListenerOptions {
  readonly outgoing: ServerResponse;
  readonly caller: Caller;
  readonly wanted: Wanted;
  readonly hub: Hub;
  readonly timers: Timers;
  /** Where it left off; null: from now on. */
  readonly after: string | null;
  readonly signal: AbortSignal;
  readonly dropped: (says: string) => void;
}

/** What may wait in memory for one listener, beside what the system's buffers hold. */
export const WAITING_BYTES_MAX = 1024 * 1024;
const BEAT_MS = 15_000;
/** Whoever takes none of a page in this time is gone. */
const PATIENCE_MS = 10_000;

/** Ends when the listener is gone, one way or the other. */
export async function serveListener(options: ListenerOptions): Promise<void> {
  const { outgoing, hub, caller, wanted, timers, signal } = options;
  const sameWish = `${principalText(caller.principal)} ${JSON.stringify([caller.principal, wanted])}`;
  const wants = wishOf(caller, wanted);
  let heardTo = options.after ?? hub.position();

  const hear = (round: Round): void => {
    heardTo = round.cursor;
    const piece = pieceOf(round, sameWish, wants);
    if (piece.length === 0 || outgoing.destroyed) return;
    outgoing.write(piece);
    if (outgoing.writableLength > WAITING_BYTES_MAX) drop('it does not read');
  };
  const drop = (says: string): void => {
    if (outgoing.destroyed) return;
    options.dropped(says);
    outgoing.destroy();
  };

  const leave = await caughtUp(options, heardTo, sameWish, wants, drop, hear);
  if (leave === null) return;
  try {
    while (!signal.aborted) {
      await timers.sleep(BEAT_MS, signal);
      if (signal.aborted) break;
      if (!(await caller.stillGood())) drop('its token or session is over');
      // With the place it has come to, so that a filter that lets little through is not read again from far away.
      else outgoing.write(`id: ${heardTo}\n: still here\n\n`);
    }
  } finally {
    leave();
    outgoing.end();
  }
}

/** Reads what was missed, and joins the others; null: it left before. */
async function caughtUp(
  { outgoing, hub, timers, signal }: ListenerOptions,
  from: string,
  sameWish: string,
  wants: (told: Told) => boolean,
  drop: (says: string) => void,
  hear: (round: Round) => void,
): Promise<(() => void) | null> {
  let cursor = from;
  let lookedInVain = false;
  for (;;) {
    if (signal.aborted) return null;
    const leave = hub.join(cursor, hear);
    if (leave !== null) return leave;
    const round = await hub.read(cursor);
    if (round.cursor === cursor) {
      if (lookedInVain) {
        // No fact has this cursor: it is one of another database, or of a time that a restored backup does not know.
        cursor = hub.position();
        outgoing.write(`id: ${cursor}\nevent: reset\ndata: {}\n\n`);
      }
      // The listener was faster than the hub, which now reads on to the same place.
      await hub.look();
      lookedInVain = true;
      continue;
    }
    cursor = round.cursor;
    lookedInVain = false;
    const piece = pieceOf(round, sameWish, wants);
    if (piece.length > 0 && !outgoing.write(piece) && !(await drained(outgoing, timers, signal))) {
      drop('it does not read');
      return null;
    }
  }
}

async function drained(
  outgoing: ServerResponse,
  timers: ListenerOptions['timers'],
  signal: AbortSignal,
): Promise<boolean> {
  const over = new AbortController();
  const end = (): void => over.abort('over');
  let isDrained = false;
  outgoing.once('drain', () => {
    isDrained = true;
    end();
  });
  signal.addEventListener('abort', end, { once: true });
  await timers.sleep(PATIENCE_MS, over.signal);
  signal.removeEventListener('abort', end);
  return isDrained;
}

function pieceOf({ told, pieces }: Round, sameWish: string, wants: (told: Told) => boolean): Buffer {
  const known = pieces.get(sameWish);
  if (known !== undefined) return known;
  const piece = Buffer.concat(told.filter(wants).map(({ bytes }) => bytes));
  pieces.set(sameWish, piece);
  return piece;
}

function wishOf({ principal }: Caller, { agent, handoff, state }: Wanted): (told: Told) => boolean {
  return (told) =>
    (handoff === undefined || told.fact.handoff === handoff) &&
    (agent === undefined || told.handoff.from === agent || told.handoff.to === agent) &&
    (state === undefined || state.includes(told.fact.to)) &&
    may(principal, 'read', told.handoff).ok;
}
