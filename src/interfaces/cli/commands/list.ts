import { assuranceOf } from '../../../domain/assurance.ts';
import type { Handoff } from '../../../domain/handoff.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import type { Results } from '../../../operations/operation.ts';
import { handoffView } from '../../shared/views.ts';
import { ageOf, tableOf } from '../table.ts';
import type { Telling } from './operate.ts';

export function tellPage({ items, next, cursor }: Results['page'], { output, nowMs }: Telling): void {
  if (output.json) output.answer({ items: items.map(handoffView), next, cursor });
  else if (items.length > 0) {
    const rows = items.map((handoff) => rowOf(handoff, nowMs));
    output.line(tableOf(HEAD, rows));
  }
  if (items.length === 0) output.note('nothing found');
  if (next !== null) output.note(`there are more: --after ${next}`);
}

const HEAD = ['id', 'state', 'assurance', 'from', 'to', 'age', 'title'];

function rowOf(handoff: Handoff, nowMs: number): readonly string[] {
  const { id, state, from, to, createdAt, title, task } = handoff;
  const name = [task, title].filter((each) => each !== null).join(' · ');
  return [id, state, assuranceOf(handoff) ?? '–', `@${from}`, `@${to}`, ageOf(nowMs - createdAt), displayLine(name)];
}
