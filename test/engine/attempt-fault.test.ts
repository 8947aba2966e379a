import { expect, it } from 'vitest';
import { StoreFault } from '../../src/foundation/store-fault.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import type { EngineEvent, Context } from '../../src/engine/context.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import { work } from '../../src/engine/work.ts';
import { agentOf, summaryWorld } from './summaries/summary-world.ts';

const [from, to] = [agentOf('me'), agentOf('react')];

it('a store that could not record the command of an attempt is not held against the attempt', async () => {
  const world = summaryWorld();
  const { store } = world.ctx;
  const reports: EngineEvent[] = [];
  let refusals = 1;
  const ctx: Context = {
    ...world.ctx,
    report: (event) => reports.push(event),
    store: {
      ...store,
      sessions: {
        ...store.sessions,
        running: async (...asked) => {
          refusals -= 1;
          if (refusals >= 0) throw new StoreFault('locked by others for 30 s', 'unchanged');
          return store.sessions.running(...asked);
        },
      },
    },
  };
  const sent = await send(ctx, agentPrincipal(from), { from, to, input: {} });
  if (!sent.ok) throw new Error(sent.refusal.code);
  let begun = 0;
  await work(ctx, {
    agent: to,
    attemptsMax: 2,
    handler: async (_, { running }) => {
      await running({ group: 1, startedAt: '' });
      begun += 1;
      return null;
    },
  });
  expect(begun).toBe(1);
  expect((await world.trail(sent.value.id)).map(({ deed }) => deed)).toEqual([
    'create',
    'accept',
    'release',
    'accept',
    'deliver',
    'complete',
  ]);
  expect(reports).toContainEqual(expect.objectContaining({ kind: 'fault', doing: `beginning ${sent.value.id}` }));
});
