/** Who is paused, and what could not be delivered. */
import { displayLine } from '../../../foundation/display-text.ts';
import type { Results } from '../../../operations/operation.ts';
import { pauseView } from '../../shared/pause-view.ts';
import { undeliveredView } from '../../shared/undelivered-view.ts';
import { ageOf, tableOf } from '../table.ts';
import type { Telling } from './operate.ts';

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

export function tellUndelivered(all: Results['undelivered'], { output, nowMs }: Telling): void {
  if (output.json) return output.answer({ items: all.map(undeliveredView) });
  if (all.length === 0) return output.note('nothing was given up');
  const rows = all.map((effect) => {
    const { key, target, kind, event, says } = undeliveredView(effect);
    return [`${ageOf(nowMs - effect.droppedAt)} ago`, target ?? kind, event ?? '', displayLine(says), key];
  });
  output.line(tableOf(['given up', 'target', 'event', 'why', 'key'], rows));
}
