/** Agents that keep handing work to each other come to an end, and see why. */
import { describe, expect, it } from 'vitest';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { deliver } from '../../src/engine/handoffs/deliver.ts';
import { accept } from '../../src/engine/handoffs/accept.ts';
import { retry } from '../../src/engine/handoffs/retry.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { refusalText } from '../../src/interfaces/shared/refusal-text.ts';
import { DEV, engineWorld, made, ME, STORES } from './engine-world.ts';

const me = agentPrincipal(ME);
const dev = agentPrincipal(DEV);
const MINUTE = 60_000;

describe.each(STORES)('the budget of a chain, on %s', (kind) => {
  it('is used by its handoffs, retries among them; what is no part of it is sent', async () => {
    const world = engineWorld(kind, { chainBudget: { handoffs: 3 } });
    const first = await world.send();
    const second = await world.send({ parent: first.id });
    await world.fails(second.id);
    const third = made(await retry(world.ctx, me, { id: second.id }));
    const refused = await send(world.ctx, me, { from: ME, to: DEV, input: {}, parent: third.id });
    if (refused.ok) throw new Error('refused');
    expect(refused.refusal).toEqual({
      code: 'chain-exhausted',
      root: first.id,
      what: 'handoffs',
      used: 3,
      max: 3,
      chain: [first.id, second.id, third.id],
    });
    expect(refusalText(refused.refusal)).toContain(`${first.id} → ${second.id} → ${third.id}`);
    expect((await world.send()).state).toBe('offered');
  });

  it('is used by attempts, by the time in which agents hold them and by what these report to cost', async () => {
    const refusedBy = async (chainBudget: object): Promise<unknown> => {
      const world = engineWorld(kind, { chainBudget });
      const first = await world.send();
      made(await accept(world.ctx, dev, first.id, {}));
      world.clock.advance(5 * MINUTE - 1);
      const detail = { agent: { vendor: 'claude', costUsd: 0.75 } };
      made(await deliver(world.ctx, dev, { target: first.id, fence: 1, result: null, evidence: [], detail }));
      const answer = await send(world.ctx, me, { from: ME, to: DEV, input: {}, parent: first.id });
      return answer.ok ? 'sent' : { ...answer.refusal, root: '', chain: [] };
    };
    const refusal = { code: 'chain-exhausted', root: '', chain: [] };
    expect(await refusedBy({ attempts: 2, minutes: 5, cost: 1, handoffs: 2, hops: 1 })).toBe('sent');
    expect(await refusedBy({ attempts: 1 })).toEqual({ ...refusal, what: 'attempts', used: 1, max: 1 });
    expect(await refusedBy({ minutes: 4 })).toMatchObject({ ...refusal, what: 'minutes', max: 4 });
    expect(await refusedBy({ cost: 0.5 })).toEqual({ ...refusal, what: 'cost', used: 0.75, max: 0.5 });
    expect(await refusedBy({ hops: 0 })).toEqual({ ...refusal, what: 'hops', used: 1, max: 0 });
  });
});
