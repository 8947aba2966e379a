/**
 * Serves one listener: first the facts that it has missed, at its own speed, then every round of the hub. Facts that the
 * listener may not read are left out. A listener that does not read is disconnected before it costs memory, and resumes with
 * its last event id.
 */
import type { ServerResponse } from 'node:http';
import type * as z from 'zod';
import { may } from '../../../domain/rights.ts';
import type { Timers } from '../../../foundation/clock.ts';
import type { EventsQuery } from '../../shared/requests.ts';
import type { Caller } from '../caller.ts';
import { BEGINNING, type Hub, type Round, type HubEvent } from './hub.ts';

type EventFilter = Omit<z.output<typeof EventsQuery>, 'after'>;

export interface ListenerOptions {
  readonly outgoing: ServerResponse;
  readonly caller: Caller;
  readonly filter: EventFilter;
  readonly hub: Hub;
  readonly timers: Timers;
  /** The last cursor that the listener has; null: from now on. */
  readonly after: string | null;
  readonly signal: AbortSignal;
  readonly dropped: (says: string) => void;
}

/** A listener with more unsent bytes than this leaves the rounds and reads at its own pace. */
const WAITING_BYTES_MAX = 1024 * 1024;
const HEARTBEAT_MS = 15_000;
/** A listener that reads nothing for this long is disconnected. */
const READ_TIMEOUT_MS = 5_000;

/** Returns when the listener is gone. */
export async function serveListener(options: ListenerOptions): Promise<void> {
  const { outgoing, hub, caller, filter, signal } = options;
  const subscription: Subscription = {
    key: JSON.stringify([{ ...caller.principal, token: null }, filter]),
    matches: matcherOf(caller, filter),
  };
  let cursor = options.after ?? hub.position();
  try {
    while (!signal.aborted && !outgoing.destroyed) {
      const behind = new AbortController();
      const onRound = (round: Round): void => {
        if (behind.signal.aborted || outgoing.destroyed) return;
        cursor = round.cursor;
        const frame = framesFor(round, subscription);
        if (frame.length > 0) outgoing.write(frame);
        if (outgoing.writableLength > WAITING_BYTES_MAX) behind.abort('over');
      };
      const leave = await catchUp(options, cursor, subscription, onRound);
      if (leave === null) return;
      try {
        await sendHeartbeats(options, behind.signal, () => cursor);
      } finally {
        leave();
      }
    }
  } finally {
    outgoing.end();
  }
}

interface Subscription {
  /** Equal for listeners that get the same facts. */
  readonly key: string;
  readonly matches: (event: HubEvent) => boolean;
}

/** Sends heartbeats until the listener is gone or has fallen behind. */
async function sendHeartbeats(
  { outgoing, caller, timers, signal, dropped }: ListenerOptions,
  behind: AbortSignal,
  cursor: () => string,
): Promise<void> {
  const either = AbortSignal.any([signal, behind]);
  while (!either.aborted) {
    await timers.sleep(HEARTBEAT_MS, either);
    if (either.aborted) return;
    if (!(await caller.isStillValid())) {
      dropped('its token or session is over');
      outgoing.destroy();
      return;
    }
    // With the cursor, so that a listener with a narrow filter need not read old facts again.
    outgoing.write(`id: ${cursor() === '' ? BEGINNING : cursor()}\n: still here\n\n`);
  }
}

/** Sends the missed facts and joins the hub; null: the listener has left or does not read. */
async function catchUp(
  options: ListenerOptions,
  from: string,
  subscription: Subscription,
  onRound: (round: Round) => void,
): Promise<(() => void) | null> {
  const { outgoing, hub, signal, dropped } = options;
  let cursor = from;
  let lastMissing = false;
  for (;;) {
    if (!(await hasRead(options))) {
      if (signal.aborted || outgoing.destroyed) return null;
      dropped('it does not read');
      outgoing.destroy();
      return null;
    }
    const leave = hub.join(cursor, onRound);
    if (leave !== null) return leave;
    const round = await hub.read(cursor);
    if (round.cursor === cursor) {
      if (lastMissing) {
        // No fact has this cursor: it belongs to another database, or is newer than a restored backup.
        cursor = hub.position();
        outgoing.write(`id: ${cursor}\nevent: reset\ndata: {}\n\n`);
      }
      // The listener is ahead of the hub, which now reads on.
      await hub.poll();
      lastMissing = true;
      continue;
    }
    cursor = round.cursor;
    lastMissing = false;
    outgoing.write(framesFor(round, subscription));
  }
}

/** Whether the listener has read what was sent, at any speed. False: it reads nothing, or is gone. */
async function hasRead({ outgoing, timers, signal }: ListenerOptions): Promise<boolean> {
  while (outgoing.writableNeedDrain && !signal.aborted && !outgoing.destroyed) {
    const waitingBytes = outgoing.writableLength;
    const over = new AbortController();
    const end = (): void => over.abort('over');
    outgoing.once('drain', end).once('close', end);
    await timers.sleep(READ_TIMEOUT_MS, over.signal);
    outgoing.off('drain', end).off('close', end);
    if (outgoing.writableLength >= waitingBytes) return false;
  }
  return !signal.aborted && !outgoing.destroyed;
}

function framesFor({ events, frames }: Round, { key, matches }: Subscription): Buffer {
  const known = frames.get(key);
  if (known !== undefined) return known;
  const frame = Buffer.concat(events.filter(matches).map(({ bytes }) => bytes));
  frames.set(key, frame);
  return frame;
}

function matcherOf({ principal }: Caller, { agent, handoff, state }: EventFilter): (event: HubEvent) => boolean {
  return (event) =>
    (handoff === undefined || event.fact.handoff === handoff) &&
    (agent === undefined || event.handoff.from === agent || event.handoff.to === agent) &&
    (state === undefined || state.includes(event.fact.to)) &&
    may(principal, 'read', event.handoff).ok;
}
