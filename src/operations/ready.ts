import { ok } from '../foundation/result.ts';
import { rankOf } from '../domain/priority.ts';
import { list } from '../engine/handoffs/read.ts';
import { agent, integer, required, withDefault } from './field.ts';
import { PAGE_MAX } from './list.ts';
import { defineOperation } from './operation.ts';

export const ready = defineOperation({
  name: 'ready',
  summary: 'List what an agent can claim now, in claim order',
  example: 'ready @react',
  permission: 'read',
  subject: 'agent',
  route: { method: 'get', path: '/api/ready/{agent}' },
  input: {
    agent: required(agent('Whose work')),
    limit: withDefault(integer(1, PAGE_MAX, 'How many to read'), 100),
  },
  result: 'page',
  defaultCaller: ({ agent: name }) => name,
  run: async (ctx, principal, { agent: to, limit }) => {
    const [newest] = await ctx.store.facts({ newest: true, max: 1 });
    const page = await list(ctx, principal, { by: 'filter', to, states: ['offered'], max: limit });
    const nowMs = ctx.store.nowMs();
    const items = page.items
      .filter(({ notBefore }) => notBefore <= nowMs)
      .toSorted((a, b) => rankOf(a.offeredAt, a.priority) - rankOf(b.offeredAt, b.priority));
    return ok({ ...page, items, cursor: newest?.cursor ?? '' });
  },
});
