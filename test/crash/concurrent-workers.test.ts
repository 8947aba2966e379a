/**
 * The invariants of the simulation on real databases: several houses on one database, everything at once, with failing
 * and slow handlers, repeated requests, cancellations and limits. Fewer seeds, but nothing here is simulated.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { countedAttempts, type Handoff } from '../../src/domain/handoff.ts';
import { isFinal } from '../../src/domain/lifecycle.ts';
import type { Limits } from '../../src/domain/limits.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { cancel } from '../../src/domain/moves/reject-cancel-expire.ts';
import { DEFAULT_RETRY } from '../../src/domain/retry-policy.ts';
import { decideBy } from '../../src/engine/change.ts';
import { runDuty } from '../../src/engine/duty.ts';
import type { Context } from '../../src/engine/context.ts';
import { send, type SendRefusal } from '../../src/engine/handoffs/send.ts';
import { wait } from '../../src/engine/handoffs/wait.ts';
import { work } from '../../src/engine/work.ts';
import { openApp } from '../../src/app/open-app.ts';
import { agentOf, databases, makeWorkspace, type Workspace } from '../cli/workspaces.ts';
import { chanceOf, type Chance } from './seeds.ts';
import { complaintsAbout, everythingIn } from './soundness.ts';
import { campaignSize } from '../support/campaign-sizes.ts';
import { keepFilesOnDisk } from '../support/files-on-disk.ts';

keepFilesOnDisk();

const SEEDS = campaignSize('BATON_REAL_SEEDS');
const HOUSES = 3;
const SENDS = 60;
const ROOM = 12;

const FROM = agentOf('sender');
const TO = agentOf('worker');
const LIMITS: Limits = {
  agents: new Map([[TO, { incomingMax: ROOM, outgoingMax: null }]]),
  everyone: { incomingMax: null, outgoingMax: null },
};
const TERMS = { retry: { ...DEFAULT_RETRY, retriesMax: 2, delayMs: 5 }, attemptTimeoutMs: 400 };

describe.each(databases)('several houses on one $name database', (database) => {
  it.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
    'I1, I2, I4, I5, I6, I7, I12, I13, I15: hold with everything at once, seed %i',
    async (seed) => {
      const workspace = await makeWorkspace(database);
      const told: string[] = [];
      const houses = await Promise.all(Array.from({ length: HOUSES }, () => openIn(workspace, told)));
      const stop = new AbortController();
      const running = houses.flatMap((ctx, index) => [
        runDuty(ctx, stop.signal),
        work(ctx, {
          agent: TO,
          concurrency: 4,
          stop: stop.signal,
          handler: handlerWith(chanceOf(seed * 100 + index), ctx),
        }),
      ]);
      const sent = await Promise.all(houses.map((ctx, index) => sendAll(ctx, index, chanceOf(seed * 200 + index))));
      const ids = sent.flat();
      const [first] = houses as [Context];
      await Promise.all(ids.map(async (id) => wait(first, agentPrincipal(FROM), id, { timeoutMs: 60_000 })));
      stop.abort();
      await Promise.all(running);

      const { handoffs, trails } = await everythingIn(first.store);
      expect(new Set(ids).size).toBe(handoffs.size);
      expect([...handoffs.values()].filter(({ state }) => !isFinal(state))).toEqual([]);
      expect([...handoffs.values()].filter(tooOften)).toEqual([]);
      const done = [...handoffs.values()].filter(({ state }) => state === 'completed').map(({ id }) => id);
      expect(told.toSorted()).toEqual(done.toSorted());
      const completions = [...trails.values()].map((trail) => trail.filter((fact) => fact.to === 'completed').length);
      expect(Math.max(...completions)).toBe(1);
      expect(await complaintsAbout(first.store, workspace.address)).toEqual([]);
    },
  );
});

/** `told` hears of every completion that was acknowledged to a worker. */
async function openIn({ address }: Workspace, told: string[]): Promise<Context> {
  const app = await openApp({
    database: address,
    limits: LIMITS,
    report: (event) => {
      if (event.kind === 'attempt-settled' && event.state === 'completed') told.push(event.id);
    },
  });
  onTestFinished(() => app.close());
  return app.ctx;
}

/** A third fails, a tenth takes longer than it may. */
function handlerWith(chance: Chance, ctx: Context): Parameters<typeof work>[1]['handler'] {
  return async ({ handoff }, { signal }) => {
    const luck = chance.unit();
    if (luck < 0.3) throw new Error('bad luck');
    await ctx.timers.sleep(luck > 0.9 ? 1_000 : 3, signal);
    if (signal.aborted) throw new Error('too late');
    return { fence: handoff.fence };
  };
}

/** Each request is made twice at once with one key; now and then one is taken back. */
async function sendAll(ctx: Context, app: number, chance: Chance): Promise<readonly HandoffId[]> {
  const ids: HandoffId[] = [];
  const refusals: SendRefusal[] = [];
  const doubled: string[] = [];
  const principal = agentPrincipal(FROM);
  for (let number = 0; number < SENDS;) {
    const request = { from: FROM, to: TO, input: { number }, terms: TERMS, requestId: `${app}-${number}` };
    const [one, other] = await Promise.all([send(ctx, principal, request), send(ctx, principal, request)]);
    if (one.ok && other.ok) {
      if (other.value.id !== one.value.id) doubled.push(request.requestId);
      ids.push(one.value.id);
      number += 1;
      if (chance.unit() < 0.1) await ctx.store.change([one.value.id], decideBy(principal, 'cancel', takeBack));
      continue;
    }
    for (const answer of [one, other]) if (!answer.ok) refusals.push(answer.refusal);
    await ctx.timers.sleep(5);
  }
  const full = refusals.filter(({ code }) => code === 'limit-reached');
  expect(doubled).toEqual([]);
  expect(refusals).toEqual(full);
  expect(full.every((refusal) => 'max' in refusal && refusal.max === ROOM)).toBe(true);
  return ids;
}

const takeBack = (handoff: Handoff, nowMs: number): ReturnType<Parameters<typeof decideBy>[2]> => ({
  deed: 'cancel',
  moved: cancel(handoff, nowMs),
});

function tooOften(handoff: Handoff): boolean {
  return countedAttempts(handoff) > TERMS.retry.retriesMax + 1;
}
