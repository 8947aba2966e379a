import { defined } from '../foundation/defined.ts';
import { ok } from '../foundation/result.ts';
import { KINDS } from '../domain/handoff.ts';
import { OPEN_STATES, STATES, type State } from '../domain/lifecycle.ts';
import { PRIORITIES } from '../domain/priority.ts';
import { list as listHandoffs } from '../engine/handoffs/read.ts';
import type { HandoffFilter } from '../stores/store.ts';
import { agent, choice, cursor, instant, integer, list as listOf, longText, text, withDefault } from './field.ts';
import type { InputOf } from './field.ts';
import { defineOperation } from './operation.ts';

const PAGE = 50;
export const PAGE_MAX = 1_000;

const wanted = {
  agent: agent('Sent by or to this agent'),
  from: agent('Sent by this agent'),
  to: agent('Sent to this agent'),
  state: listOf(
    choice([...STATES, 'open'], 'A state'),
    'In this state; "open" stands for all states that are not final',
    {
      formerly: { field: 'states' },
    },
  ),
  task: text('Part of this task'),
  kind: choice(KINDS, 'Only messages of the queue, or only documents'),
  priority: listOf(choice(PRIORITIES, 'A priority'), 'With this priority'),
  createdSince: instant('Created at this time or later'),
  createdBefore: instant('Created before this time'),
  text: longText('Words that all occur in the title, task or input, in any order; or an id; or @NAME for an agent'),
} as const;

export const list = defineOperation({
  name: 'list',
  summary: 'List handoffs, newest first',
  about:
    'Pass `next` of a page as `after` to get the following page. An event stream that starts at `cursor` misses nothing of the list.',
  example: 'list --state open --agent @react',
  permission: 'read',
  route: { method: 'get', path: '/api/handoffs' },
  input: {
    ...wanted,
    sort: choice(['newest', 'oldest'], 'The order (default: newest)'),
    limit: withDefault(integer(1, PAGE_MAX, 'How many', { formerly: { field: 'max' } }), PAGE),
    after: cursor('Continue after the last page: its `next`'),
  },
  result: 'page',
  run: async (ctx, principal, { limit, sort, after, ...filter }) => {
    // Read before the list: a fact written in between is then seen twice rather than never.
    const [newest] = await ctx.store.facts({ newest: true, max: 1 });
    const page = await listHandoffs(ctx, principal, {
      by: 'filter',
      max: limit,
      ...storeFilter(filter),
      ...defined({ after }),
      ...(sort === 'oldest' ? { oldestFirst: true } : {}),
    });
    return ok({ ...page, cursor: newest?.cursor ?? '' });
  },
});

/** The filter in the terms of the store. */
export function storeFilter({ state, priority, ...filter }: InputOf<typeof wanted>): HandoffFilter {
  const states = state?.flatMap((word): readonly State[] => (word === 'open' ? OPEN_STATES : [word]));
  return { ...filter, ...defined({ states: states && [...new Set(states)], priorities: priority }) };
}
