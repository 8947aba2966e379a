/**
 * One who listens: first what it has missed, at the speed at which it reads, then every round of the hub. What it may
 * not read is left out, and a listener that does not read is let go before it costs memory; it comes back with its last
 * id and has missed nothing.
 */
import type { ServerResponse } from 'node:http';
import type { State } from '../../../domain/lifecycle.ts';
import type { AgentId, HandoffId } from '../../../domain/names.ts';
import { may } from '../../../domain/rights.ts';
import type { Timers } from '../../../foundation/clock.ts';
import type { Caller } from '../caller.ts';
import { BEGINNING, type Hub, type Round, type Told } from './hub.ts';

interface Wanted {
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

/** What may wait in memory for one listener before it reads at its own pace, beside what the system's buffers hold. */
const WAITING_BYTES_MAX = 1024 * 1024;
const BEAT_MS = 15_000;
/** Whoever takes nothing in this time is gone. */
const PATIENCE_MS = 5_000;

/** Ends when the listener is gone, one way or the other. */
export async function serveListener(options: ListenerOptions): Promise<void> {
  const { outgoing, hub, caller, wanted, signal } = options;
  const wish: Wish = {
    sameAs: JSON.stringify([{ ...caller.principal, token: null }, wanted]),
    wants: wishOf(caller, wanted),
  };
  let cursor = options.after ?? hub.position();
  try {
    while (!signal.aborted && !outgoing.destroyed) {
      const behind = new AbortController();
      const hear = (round: Round): void => {
        if (behind.signal.aborted || outgoing.destroyed) return;
        cursor = round.cursor;
        const piece = pieceOf(round, wish);
        if (piece.length > 0) outgoing.write(piece);
        if (outgoing.writableLength > WAITING_BYTES_MAX) behind.abort('over');
      };
      const leave = await caughtUp(options, cursor, wish, hear);
      if (leave === null) return;
      try {
        await beat(options, behind.signal, () => cursor);
      } finally {
        leave();
      }
    }
  } finally {
    outgoing.end();
  }
}

interface Wish {
  /** The same for all who are to hear the same. */
  readonly sameAs: string;
  readonly wants: (told: Told) => boolean;
}

/** Until it is over, or the listener has fallen behind. */
async function beat(
  { outgoing, caller, timers, signal, dropped }: ListenerOptions,
  behind: AbortSignal,
  cursor: () => string,
): Promise<void> {
  const either = AbortSignal.any([signal, behind]);
  while (!either.aborted) {
    await timers.sleep(BEAT_MS, either);
    if (either.aborted) return;
    if (!(await caller.stillGood())) {
      dropped('its token or session is over');
      outgoing.destroy();
      return;
    }
    // With the place it has come to, so that a filter that lets little through is not read again from far away.
    outgoing.write(`id: ${cursor() === '' ? BEGINNING : cursor()}\n: still here\n\n`);
  }
}

/** Reads what was missed, and joins the others; null: it left before, or takes nothing. */
async function caughtUp(
  options: ListenerOptions,
  from: string,
  wish: Wish,
  hear: (round: Round) => void,
): Promise<(() => void) | null> {
  const { outgoing, hub, signal, dropped } = options;
  let cursor = from;
  let lookedInVain = false;
  for (;;) {
    if (!(await hasRead(options))) {
      if (signal.aborted || outgoing.destroyed) return null;
      dropped('it does not read');
      outgoing.destroy();
      return null;
    }
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
    outgoing.write(pieceOf(round, wish));
  }
}

/** Whether it has taken what was written, at whatever speed; false: nothing of it for too long, or it is gone. */
async function hasRead({ outgoing, timers, signal }: ListenerOptions): Promise<boolean> {
  while (outgoing.writableNeedDrain && !signal.aborted && !outgoing.destroyed) {
    const waitingBytes = outgoing.writableLength;
    const over = new AbortController();
    const end = (): void => over.abort('over');
    outgoing.once('drain', end).once('close', end);
    await timers.sleep(PATIENCE_MS, over.signal);
    outgoing.off('drain', end).off('close', end);
    if (outgoing.writableLength >= waitingBytes) return false;
  }
  return !signal.aborted && !outgoing.destroyed;
}

function pieceOf({ told, pieces }: Round, { sameAs, wants }: Wish): Buffer {
  const known = pieces.get(sameAs);
  if (known !== undefined) return known;
  const piece = Buffer.concat(told.filter(wants).map(({ bytes }) => bytes));
  pieces.set(sameAs, piece);
  return piece;
}

function wishOf({ principal }: Caller, { agent, handoff, state }: Wanted): (told: Told) => boolean {
  return (told) =>
    (handoff === undefined || told.fact.handoff === handoff) &&
    (agent === undefined || told.handoff.from === agent || told.handoff.to === agent) &&
    (state === undefined || state.includes(told.fact.to)) &&
    may(principal, 'read', told.handoff).ok;
}
