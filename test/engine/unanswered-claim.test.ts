import { expect, it } from 'vitest';
import { StoreFault } from '../../src/foundation/store-fault.ts';
import { agentPrincipal } from '../../src/domain/principal.ts';
import type { Context } from '../../src/engine/context.ts';
import { sendMany } from '../../src/engine/handoffs/send.ts';
import { work } from '../../src/engine/work.ts';
import { CLAIM_MAX } from '../../src/stores/store.ts';
import { agentOf, summaryWorld } from './summaries/summary-world.ts';

const [from, to] = [agentOf('me'), agentOf('react')];
/** More than one claim takes, so the worker holds more than it sees of one claim. */
const BUSY = CLAIM_MAX + 50;

it('what a claim without an answer took is handled too, by a worker that holds more than one claim takes', async () => {
  const world = summaryWorld();
  const { store } = world.ctx;
  let losesAnswer = false;
  const ctx: Context = {
    ...world.ctx,
    store: {
      ...store,
      claim: async (...asked) => {
        const claimed = await store.claim(...asked);
        if (!losesAnswer || claimed.length === 0) return claimed;
        losesAnswer = false;
        throw new StoreFault('the connection broke', 'unknown');
      },
    },
  };
  const send = async (count: number): Promise<void> => {
    const sent = await sendMany(
      ctx,
      agentPrincipal(from),
      Array.from({ length: count }, () => ({ from, to, input: {} })),
    );
    if (!sent.ok) throw new Error(sent.refusal.code);
  };
  let begun = 0;
  let end = (_: null): void => undefined;
  const handled = new Promise<null>((resolve) => {
    end = resolve;
  });
  await send(BUSY);
  const working = work(ctx, {
    agent: to,
    concurrency: BUSY + 1,
    attemptsMax: BUSY + 1,
    handler: async () => {
      begun += 1;
      if (begun === BUSY) {
        losesAnswer = true;
        await send(1);
      }
      if (begun === BUSY + 1) end(null);
      return handled;
    },
  });
  await working;
  expect(begun).toBe(BUSY + 1);
});
