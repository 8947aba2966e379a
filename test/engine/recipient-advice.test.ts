import { expect, it } from 'vitest';
import type { Handoff } from '../../src/domain/handoff.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { adviceAbout } from '../../src/engine/handoffs/recipient-advice.ts';
import { agentOf, processOf, sessionOf } from '../contract/builders.ts';
import { acceptBy } from './engine-steps.ts';
import { engineWorld, made, ME, STORES } from './engine-world.ts';

it.each(STORES)(
  'a recipient for whom nobody works is told to the sender, with the name that was meant (%s)',
  async (kind) => {
    const world = engineWorld(kind);
    const [reviewer, slip] = ['reviewer', 'reveiwer'] as unknown as readonly (typeof ME)[];
    if (reviewer === undefined || slip === undefined) throw new Error('two names');
    expect(await adviceAbout(world.ctx, slip, [])).toMatchObject({ isSlip: false });
    expect(await adviceAbout(world.ctx, slip, [reviewer])).toEqual({
      says: 'no worker runs for @reveiwer, and no agent of that name is known here; did you mean @reviewer?',
      isSlip: true,
    });
    expect(await adviceAbout(world.ctx, reviewer, [reviewer])).toMatchObject({ isSlip: false });
    await world.ctx.store.sessions.open({ id: sessionOf('s'), agent: reviewer, process: processOf(), leaseMs: 10_000 });
    expect(await adviceAbout(world.ctx, reviewer, [])).toBeNull();
  },
);

it.each(STORES)(
  'a recipient who has sent or worked long ago is not taken for another with a similar name (%s)',
  async (kind) => {
    const { ctx } = engineWorld(kind);
    const [sender, worker, another] = [agentOf('dev1'), agentOf('dev2'), agentOf('dev3')];
    const from = async (agent: typeof ME, to: typeof ME): Promise<Handoff> =>
      made(await send(ctx, agentPrincipal(agent), { from: agent, to, input: {} }));
    await from(sender, ME);
    await acceptBy(ctx, worker).completes((await from(ME, worker)).id);
    // So many that nobody looks further back for the names of those who take part.
    for (let count = 0; count < 120; count += 1) await from(another, ME);
    for (const agent of [sender, worker]) expect(await adviceAbout(ctx, agent, [])).toMatchObject({ isSlip: false });
    expect(await adviceAbout(ctx, agentOf('dev4'), [])).toMatchObject({ isSlip: true });
  },
);
