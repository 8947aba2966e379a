/** Sends, claims and settles as fast as it can for a while, and keeps what was acknowledged. */
import { writeFileSync } from 'node:fs';
import type { HandoffId } from '../../../src/domain/names.ts';
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { runDuty } from '../../../src/engine/duty.ts';
import { claimByHand } from '../../../src/engine/handoffs/claim.ts';
import { deliver } from '../../../src/engine/handoffs/deliver.ts';
import { send } from '../../../src/engine/handoffs/send.ts';
import { watchStandstill } from './standstill.ts';
import { agentNamed, barrier, openHouseFor, readOrder, say, type Order } from './orders.ts';

export interface WriterOrder extends Order {
  readonly seconds: number;
  /** A file for the list of what was acknowledged. */
  readonly keep: string;
}

export interface Kept {
  readonly sent: readonly HandoffId[];
  readonly settled: readonly HandoffId[];
}

export interface WriterReport {
  readonly rounds: number;
  readonly standstillMs: number;
  readonly faults: readonly string[];
}

const SENDER = agentNamed('sender');
const RELAY = agentNamed('relay');

const order = readOrder<WriterOrder>();
const app = await openHouseFor(order);
const { ctx } = app;
const sent: HandoffId[] = [];
const settled: HandoffId[] = [];
const faults: string[] = [];

async function round(): Promise<void> {
  const made = await send(ctx, agentPrincipal(SENDER), { from: SENDER, to: RELAY, input: { round: sent.length } });
  if (!made.ok) throw new Error(`send: ${made.refusal.code}`);
  sent.push(made.value.id);
  const claimed = await claimByHand(ctx, agentPrincipal(RELAY), RELAY);
  // The others may have been faster with all there is.
  if (claimed === null) return;
  const { handoff } = claimed;
  const done = await deliver(ctx, agentPrincipal(RELAY), { target: handoff, fence: handoff.fence, result: 'done' });
  if (!done.ok) throw new Error(`deliver: ${done.refusal.code}`);
  settled.push(handoff.id);
}

await barrier();
const standstill = watchStandstill();
const over = new AbortController();
const duty = runDuty(ctx, over.signal);
const endMs = performance.now() + order.seconds * 1000;
let rounds = 0;
while (performance.now() < endMs) {
  try {
    await round();
    rounds += 1;
  } catch (error) {
    faults.push(String(error));
  }
}
const standstillMs = standstill.stop();
over.abort();
await duty;
await app.close();
const kept: Kept = { sent, settled };
writeFileSync(order.keep, JSON.stringify(kept));
const report: WriterReport = { rounds, standstillMs, faults };
say(report);
