import { assuranceOf } from '../../../domain/assurance.ts';
import { countedAttempts, type Handoff } from '../../../domain/handoff.ts';
import { isFinal } from '../../../domain/lifecycle.ts';
import { shortIdOf } from '../../../domain/names.ts';
import type { Results } from '../../../operations/operation.ts';
import { waitingText } from '../../shared/waiting-text.ts';
import type { WorkNote } from '../../shared/work-note.ts';
import { rowView } from '../../shared/work-progress.ts';
import { terminalWidth } from '../output.ts';
import { ageOf, tableOf } from '../table.ts';
import type { PrintContext } from './run-operation.ts';

export async function printPage({ items, next, cursor }: Results['page'], telling: PrintContext): Promise<void> {
  const { output, nowMs } = telling;
  const rows: { readonly handoff: Handoff; readonly note: WorkNote }[] = [];
  for (const handoff of items) rows.push({ handoff, note: await telling.noteOf(handoff) });
  if (output.json) {
    output.answer({ items: rows.map(({ handoff, note }) => rowView(handoff, note)), next, cursor });
  } else if (items.length > 0) {
    const cells = rows.map(({ handoff }) => cellsOf(handoff, nowMs));
    const below = rows.map(({ handoff, note }) => belowOf(handoff, note, nowMs));
    output.line(tableOf(HEAD, cells, { below, width: terminalWidth(), omitsEmpty: true }));
  }
  if (items.length === 0) output.note('no handoffs found');
  if (next !== null) output.note(`there are more: --after ${next}`);
}

const HEAD = ['id', 'state', 'assurance', 'from', 'to', 'try', 'age', 'title'];

function cellsOf(handoff: Handoff, nowMs: number): readonly string[] {
  const { id, state, from, to, createdAt, title, task, attempt } = handoff;
  return [
    shortIdOf(id),
    state,
    assuranceOf(handoff) ?? '',
    `@${from}`,
    `@${to}`,
    attempt === 0 ? '' : String(countedAttempts(handoff)),
    ageOf(nowMs - createdAt),
    [task, title].filter((each) => each !== null).join(' · '),
  ];
}

/** Why the handoff is not done: what it waits for, the next attempt, the last failure. Null: no reason. */
function belowOf(handoff: Handoff, { failure }: WorkNote, nowMs: number): string | null {
  const { state, notBefore } = handoff;
  const waits = isFinal(state) ? null : waitingText(handoff, shortIdOf);
  const again = !isFinal(state) && notBefore > nowMs ? `next attempt in ${ageOf(notBefore - nowMs)}` : null;
  const [says = ''] = failure?.message.split('\n', 1) ?? [];
  const failed =
    failure === undefined || state === 'completed'
      ? null
      : [failure.code, says].filter((text) => text !== '').join(': ');
  const parts = [waits, again, failed].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join('; ');
}
