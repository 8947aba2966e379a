/**
 * Sends or works on SQLite until its standard input ends, and writes a little all the time. It says what it has sent and
 * completed, why it waits for the database, and each write that took longer than 2 s without a reason.
 */
import { newUuid } from '../../../src/foundation/ids.ts';
import { systemRandom } from '../../../src/foundation/random.ts';
import { NO_LIMITS } from '../../../src/domain/limits.ts';
import type { SessionId } from '../../../src/domain/names.ts';
import { agentPrincipal } from '../../../src/domain/principal.ts';
import { DEFAULT_RETRY } from '../../../src/domain/retry-policy.ts';
import { runDuty } from '../../../src/engine/duty.ts';
import { send } from '../../../src/engine/handoffs/send.ts';
import { work } from '../../../src/engine/work.ts';
import { openApp } from '../../../src/app/open-app.ts';
import { agentNamed, readOrder, say, type Order } from './orders.ts';

const UNEXPLAINED_MS = 2_000;
const TICK_MS = 10;
const CONCURRENCY = 4;

interface StormOrder {
  readonly roles: readonly ('send' | 'work')[];
  readonly pauseMs: number;
}

const { database, leaseMs = 2_000, roles, pauseMs } = readOrder<Order & StormOrder>();
const from = agentNamed('sender');
const to = agentNamed('relay');
/** Losing its worker counts as an attempt, and in this storm many workers are lost. */
const terms = { retry: { ...DEFAULT_RETRY, retriesMax: 100 } };

/** Time in which this process could run: on a busy machine the clock goes on and we do not. */
let ranMs = 0;
setInterval(() => (ranMs += TICK_MS), TICK_MS).unref();
let toldAtMs = Number.NEGATIVE_INFINITY;
const over = new AbortController();
process.stdin.on('end', () => over.abort()).resume();

const app = await openApp({
  database,
  limits: NO_LIMITS,
  leaseMs,
  report: (event) => {
    if (event.kind === 'store-waiting') {
      toldAtMs = ranMs;
      say({ waiting: event.says });
    }
    if (event.kind === 'attempt-settled' && event.state === 'completed') say({ completed: event.id });
    if (event.kind === 'session-lost') say({ lost: event.session });
    if (event.kind === 'fault') say({ fault: `${event.doing}: ${String(event.error)}` });
  },
});
const { ctx } = app;

async function timed<Answer>(write: () => Promise<Answer>): Promise<Answer> {
  const beganMs = ranMs;
  const answer = await write();
  const tookMs = ranMs - beganMs;
  const isExplained = toldAtMs >= beganMs && toldAtMs - beganMs <= UNEXPLAINED_MS;
  if (tookMs > 500) say({ tookMs });
  if (tookMs > UNEXPLAINED_MS && !isExplained) say({ unexplained: tookMs });
  return answer;
}

/** A session that nobody works in: only its beats are of interest. */
async function pulse(): Promise<void> {
  const id = newUuid(Date.now(), systemRandom) as SessionId;
  await timed(() =>
    ctx.store.sessions.open({
      id,
      agent: agentNamed('pulse'),
      process: ctx.liveness.self,
      leaseMs: ctx.leaseMs,
    }),
  );
  while (!over.signal.aborted) {
    await timed(() => ctx.store.sessions.beat(id));
    await ctx.timers.sleep(pauseMs, over.signal);
  }
  if (await ctx.store.sessions.end(id, 0)) await ctx.store.sessions.forget(id);
}

async function sendAll(): Promise<void> {
  while (!over.signal.aborted) {
    const sent = await timed(() => send(ctx, agentPrincipal(from), { from, to, input: {}, terms }));
    if (!sent.ok) throw new Error(`refused: ${sent.refusal.code}`);
    say({ sent: sent.value.id });
    await ctx.timers.sleep(pauseMs, over.signal);
  }
}

async function workAll(): Promise<void> {
  const handler = async (): Promise<null> => {
    await ctx.timers.sleep(TICK_MS);
    return null;
  };
  await work(ctx, { agent: to, concurrency: CONCURRENCY, handler, stop: over.signal });
}

const duty = runDuty(ctx, over.signal);
say({ ready: true });
await Promise.all([pulse(), ...roles.map((role) => (role === 'send' ? sendAll() : workAll()))]);
await duty;
await app.close();
