import type { JsonObject } from '../foundation/json.ts';
import { err, ok } from '../foundation/result.ts';
import { OPEN_STATES } from '../domain/lifecycle.ts';
import { list } from '../engine/handoffs/read.ts';
import { agent, flag, integer, required, withDefault } from './field.ts';
import { defineOperation } from './operation.ts';

const INBOX_MAX = 10_000;

/** Only the agent itself and the operator may read an inbox. */
export const inbox = defineOperation({
  name: 'inbox',
  summary: 'List the notifications of an agent and the work that waits for it, oldest first',
  example: 'inbox @react --clear',
  permission: 'read',
  writes: ({ clear }) => clear === true,
  subject: 'agent',
  route: { method: 'get', path: '/api/inbox/{agent}', without: ['clear'] },
  input: {
    agent: required(agent('Whose')),
    clear: flag('Mark what is shown as read'),
    limit: withDefault(integer(1, INBOX_MAX, 'How many', { formerly: { field: 'max' } }), 100),
  },
  result: 'inbox',
  defaultCaller: ({ agent: name }) => name,
  run: async (ctx, principal, { agent: name, clear, limit }) => {
    const isOwn = principal.kind === 'operator' || (principal.kind === 'agent' && principal.agent === name);
    if (!isOwn) return err({ code: 'not-yours', says: `this is the inbox of @${name}` });
    const { outbox } = ctx.store;
    const entries = await outbox.inbox(name, limit);
    if (clear === true) await outbox.done(entries.map(({ key }) => key));
    const open = await list(ctx, principal, { by: 'filter', to: name, states: OPEN_STATES, max: limit });
    return ok({
      entries: entries.map(({ key, payload }) => ({ key, ...(JSON.parse(payload) as JsonObject) })),
      waiting: open.items.filter(({ state }) => state !== 'draft' && state !== 'delivered').toReversed(),
    });
  },
});
