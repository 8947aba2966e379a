import { ok } from '../foundation/result.ts';
import { OPEN_STATES, STATES, type State } from '../domain/lifecycle.ts';
import { list as listHandoffs } from '../engine/handoffs/read.ts';
import { agent, choice, cursor, integer, list as listOf, longText, text, withDefault } from './field.ts';
import { defineOperation } from './operation.ts';

const PAGE = 50;
export const PAGE_MAX = 1_000;

export const list = defineOperation({
  name: 'list',
  summary: 'List handoffs, newest first',
  about:
    '`next` of an answer goes on as `after`; `cursor` is where to begin with the events to miss nothing of the list.',
  example: 'list --state open --agent @react',
  permission: 'read',
  scope: 'read',
  route: { method: 'get', path: '/api/handoffs' },
  input: {
    agent: agent('Sent by or to this one'),
    from: agent('Sent by this one'),
    to: agent('Sent to this one'),
    state: listOf(choice([...STATES, 'open'], 'A state'), 'In this state; "open" is every one that is not final', {
      formerly: { field: 'states' },
    }),
    task: text('Of this task'),
    text: longText('With all these words, in any order, in title, task or input'),
    limit: withDefault(integer(1, PAGE_MAX, 'How many', { formerly: { field: 'max' } }), PAGE),
    after: cursor('Go on where the last page ended'),
  },
  result: 'page',
  run: async (ctx, principal, { state, limit, ...filter }) => {
    // Before the list: what happens meanwhile is told twice rather than not at all.
    const [newest] = await ctx.store.facts({ newest: true, max: 1 });
    const states = state === undefined ? {} : { states: [...new Set(state.flatMap(statesIn))] };
    const page = await listHandoffs(ctx, principal, { by: 'filter', max: limit, ...states, ...filter });
    return ok({ ...page, cursor: newest?.cursor ?? '' });
  },
});

function statesIn(word: State | 'open'): readonly State[] {
  return word === 'open' ? OPEN_STATES : [word];
}
