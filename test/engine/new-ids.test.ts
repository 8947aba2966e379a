/** What a store is told of an id: for a fresh random one it asks no database whether the id is taken. */
import { expect, it } from 'vitest';
import { agentPrincipal } from '../../src/domain/principal.ts';
import type { HandoffId } from '../../src/domain/names.ts';
import { send } from '../../src/engine/handoffs/send.ts';
import type { NewHandoff } from '../../src/stores/store.ts';
import { DEV, engineWorld, made, ME } from './engine-world.ts';

it('an id that Baton makes is marked as new, and one from elsewhere is not', async () => {
  const { ctx } = engineWorld('memory');
  const inserted: NewHandoff[] = [];
  const store: typeof ctx.store = {
    ...ctx.store,
    insert: async (newHandoffs, guard) => {
      inserted.push(...newHandoffs);
      return ctx.store.insert(newHandoffs, guard);
    },
  };
  for (const id of [undefined, 'hoff-of-another-program' as HandoffId]) {
    const asked = { from: ME, to: DEV, input: {}, ...(id === undefined ? {} : { id }) };
    made(await send({ ...ctx, store }, agentPrincipal(ME), asked));
  }
  expect(inserted.map(({ isNewId }) => isNewId)).toEqual([true, undefined]);
});
