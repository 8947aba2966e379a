import { defined } from '../foundation/defined.ts';
import { ok } from '../foundation/result.ts';
import { KINDS } from '../domain/handoff.ts';
import { OPEN_STATES, STATES, type State } from '../domain/lifecycle.ts';
import { PRIORITIES } from '../domain/priority.ts';
import { list as listHandoffs } from '../engine/handoffs/read.ts';
import type { Wanted } from '../stores/store.ts';
import { agent, choice, cursor, instant, integer, list as listOf, longText, text, withDefault } from './field.ts';
import type { InputOf } from './field.ts';
import { defineOperation } from './operation.ts';

const PAGE = 50;
export const PAGE_MAX = 1_000;

const wanted = {
  agent: agent('Sent by or to this one'),
  from: agent('Sent by this one'),
  to: agent('Sent to this one'),
  state: listOf(choice([...STATES, 'open'], 'A state'), 'In this state; "open" is every one that is not final', {
    formerly: { field: 'states' },
  }),
  task: text('Of this task'),
  kind: choice(KINDS, 'Only messages of the queue, or only documents'),
  priority: listOf(choice(PRIORITIES, 'A priority'), 'Of this priority'),
  createdSince: instant('Made at this instant or later'),
  createdBefore: instant('Made before this instant'),
  text: longText('With all these words, in any order, in title, task or input; or an id; @NAME stands for an agent'),
} as const;

export const list = defineOperation({
  name: 'list',
  summary: 'List handoffs, newest first',
  about:
    '`next` of an answer goes on as `after`; `cursor` is where to begin with the events to miss nothing of the list.',
  example: 'list --state open --agent @react',
  permission: 'read',
  route: { method: 'get', path: '/api/handoffs' },
  input: {
    ...wanted,
    sort: choice(['newest', 'oldest'], 'Which come first (default: newest)'),
    limit: withDefault(integer(1, PAGE_MAX, 'How many', { formerly: { field: 'max' } }), PAGE),
    after: cursor('Go on where the last page ended'),
  },
  result: 'page',
  run: async (ctx, principal, { limit, sort, after, ...filter }) => {
    // Read before the list: a fact in between is then seen twice rather than never.
    const [newest] = await ctx.store.facts({ newest: true, max: 1 });
    const page = await listHandoffs(ctx, principal, {
      by: 'filter',
      max: limit,
      ...wantedBy(filter),
      ...defined({ after }),
      ...(sort === 'oldest' ? { oldestFirst: true } : {}),
    });
    return ok({ ...page, cursor: newest?.cursor ?? '' });
  },
});

/** In the words of the store. */
export function wantedBy({ state, priority, ...filter }: InputOf<typeof wanted>): Wanted {
  const states = state?.flatMap((word): readonly State[] => (word === 'open' ? OPEN_STATES : [word]));
  return { ...filter, ...defined({ states: states && [...new Set(states)], priorities: priority }) };
}
