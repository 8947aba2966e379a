/** What could not be delivered and was given up. */
import { displayLine } from '../../../foundation/display-text.ts';
import type { Results } from '../../../operations/operation.ts';
import { undeliveredView } from '../../shared/undelivered-view.ts';
import { ageOf, tableOf } from '../table.ts';
import type { Telling } from './run-operation.ts';

export function tellUndelivered(all: Results['undelivered'], { output, nowMs }: Telling): void {
  if (output.json) return output.answer({ items: all.map(undeliveredView) });
  if (all.length === 0) return output.note('nothing was given up');
  const rows = all.map((effect) => {
    const { key, target, kind, event, says } = undeliveredView(effect);
    return [`${ageOf(nowMs - effect.droppedAt)} ago`, target ?? kind, event ?? '', displayLine(says), key];
  });
  output.line(tableOf(['given up', 'target', 'event', 'why', 'key'], rows));
}
