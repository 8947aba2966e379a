/** Who is paused, and who was. */
import { displayLine } from '../../../foundation/display-text.ts';
import type { Results } from '../../../operations/operation.ts';
import { pauseView } from '../../shared/pause-view.ts';
import { ageOf, tableOf } from '../table.ts';
import type { Telling } from './run-operation.ts';

export function tellPause(pause: Results['pause'], { output }: Telling): void {
  const view = pauseView(pause);
  if (output.json) return output.answer(view);
  output.line(`${view.agent} ${view.endedAt === null ? 'paused' : 'resumed'}`);
  if (view.endedAt === null) output.note(`it gets nothing new until: baton resume ${view.agent}`);
}

export function tellPauses(all: Results['pauses'], { output, nowMs }: Telling): void {
  if (output.json) return output.answer({ items: all.map(pauseView) });
  if (all.length === 0) return output.note('nobody is paused');
  const rows = all.map((pause) => {
    const { agent, at, by, reason, endedAt, endedBy } = pause;
    const until = endedAt === null ? 'lasts' : `${ageOf(nowMs - endedAt)} ago by ${displayLine(endedBy ?? '')}`;
    return [`@${agent}`, `${ageOf(nowMs - at)} ago`, displayLine(by), until, displayLine(reason ?? '')];
  });
  output.line(tableOf(['agent', 'paused', 'by', 'resumed', 'why'], rows));
}
