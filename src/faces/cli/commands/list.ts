import { OPEN_STATES, STATES, type State } from '../../../domain/lifecycle.ts';
import type { Handoff } from '../../../domain/handoff.ts';
import { list as listHandoffs } from '../../../engine/verbs/look.ts';
import type { Query } from '../../../stores/store.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { handoffView } from '../../shared/views.ts';
import { agentArgument, countArgument, LONG_TEXT_MAX, textArgument } from '../arguments.ts';
import { inHouse, type CommonOptions } from '../invocation.ts';
import type { Output } from '../output.ts';
import { faceProblem } from '../problem.ts';
import { ageOf, tableOf } from '../table.ts';

interface ListOptions extends CommonOptions {
  readonly agent?: string;
  readonly from?: string;
  readonly to?: string;
  readonly state?: readonly string[];
  readonly task?: string;
  readonly text?: string;
  readonly limit?: string;
  readonly after?: string;
}

const LIMIT_MAX = 1_000;

export async function list(_args: readonly string[], options: ListOptions, output: Output): Promise<number> {
  const query = queryOf(options);
  return inHouse(options, { scope: 'read', onlyReads: true }, async (around, principal) => {
    const { items, next } = await listHandoffs(around, principal, query);
    if (output.json) output.answer({ items: items.map(handoffView), next });
    else if (items.length > 0)
      output.line(
        tableOf(
          HEAD,
          items.map((handoff) => rowOf(handoff, around.store.nowMs())),
        ),
      );
    if (items.length === 0) output.note('nothing found');
    if (next !== null) output.note(`there are more: --after ${next}`);
    return 0;
  });
}

function queryOf(options: ListOptions): Extract<Query, { by: 'filter' }> {
  const { agent, from, to, state, task, text, limit, after } = options;
  if (after !== undefined && !/^[A-Za-z0-9:_.-]{1,100}$/.test(after)) {
    throw faceProblem('bad-request', `--after ${JSON.stringify(after)}: not a cursor that list has printed`);
  }
  return {
    by: 'filter',
    max: countArgument(limit ?? '50', '--limit', 1, LIMIT_MAX),
    ...(agent === undefined ? {} : { agent: agentArgument(agent, '--agent') }),
    ...(from === undefined ? {} : { from: agentArgument(from, '--from') }),
    ...(to === undefined ? {} : { to: agentArgument(to, '--to') }),
    ...(state === undefined ? {} : { states: [...new Set(state.flatMap(statesNamed))] }),
    ...(task === undefined ? {} : { task: textArgument(task, '--task') }),
    ...(text === undefined ? {} : { text: textArgument(text, '--text', LONG_TEXT_MAX) }),
    ...(after === undefined ? {} : { after }),
  };
}

function statesNamed(text: string): readonly State[] {
  if (text === 'open') return OPEN_STATES;
  const state = STATES.find((each) => each === text.toLowerCase());
  if (state !== undefined) return [state];
  throw faceProblem('bad-request', `--state ${JSON.stringify(text)}: one of ${[...STATES, 'open'].join(', ')}`);
}

const HEAD = ['id', 'state', 'from', 'to', 'age', 'title'];

function rowOf(handoff: Handoff, nowMs: number): readonly string[] {
  const { id, state, from, to, createdAt, title, task } = handoff;
  const name = [task, title].filter((each) => each !== null).join(' · ');
  return [id, state, `@${from}`, `@${to}`, ageOf(nowMs - createdAt), displayLine(name)];
}
