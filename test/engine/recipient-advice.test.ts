import { expect, it } from 'vitest';
import { adviceAbout } from '../../src/engine/handoffs/recipient-advice.ts';
import { processOf, sessionOf } from '../contract/builders.ts';
import { engineWorld, STORES, type ME } from './engine-world.ts';

it.each(STORES)(
  'a recipient for whom nobody works is told to the sender, with the name that was meant (%s)',
  async (kind) => {
    const world = engineWorld(kind);
    const [reviewer, slip] = ['reviewer', 'reveiwer'] as unknown as readonly (typeof ME)[];
    if (reviewer === undefined || slip === undefined) throw new Error('two names');
    expect(await adviceAbout(world.ctx, slip, [])).toMatchObject({ isSlip: false });
    expect(await adviceAbout(world.ctx, slip, [reviewer])).toEqual({
      says: 'nobody works as @reveiwer, and no agent of that name is known here; did you mean @reviewer?',
      isSlip: true,
    });
    expect(await adviceAbout(world.ctx, reviewer, [reviewer])).toMatchObject({ isSlip: false });
    await world.ctx.store.sessions.open({ id: sessionOf('s'), agent: reviewer, process: processOf(), leaseMs: 10_000 });
    expect(await adviceAbout(world.ctx, reviewer, [])).toBeNull();
  },
);
