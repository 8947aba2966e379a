import { addSchedule } from '../../../operations/schedule.ts';
import type { Results } from '../../../operations/operation.ts';
import { scheduleView } from '../../shared/schedule-view.ts';
import { ageOf, tableOf } from '../table.ts';
import type { Run } from '../catalogue/entry.ts';
import { withSender } from '../sender.ts';
import { commandFor, type Telling } from './run-operation.ts';
import { withPrompt } from './send.ts';

export const add: Run = async (args, options, output) =>
  commandFor(addSchedule)(args, withPrompt(await withSender(options)), output);

export function tellSchedule(schedule: Results['schedule'], { output, nowMs }: Telling): void {
  const view = scheduleView(schedule);
  if (output.json) return output.answer(view);
  output.line(view.name);
  const next = schedule.nextAt === null ? 'never' : `${view.next} (in ${ageOf(schedule.nextAt - nowMs)})`;
  output.note(`${view.when}, ${view.from} → ${view.to}; next: ${next}`);
}

export function tellSchedules(all: Results['schedules'], { output, nowMs }: Telling): void {
  if (output.json) return output.answer({ items: all.map(scheduleView) });
  if (all.length === 0) return output.note('there is no schedule; make one with: baton schedule add NAME --every 1h …');
  const rows = all.map((schedule) => {
    const { name, when, from, to } = scheduleView(schedule);
    const { nextAt, last } = schedule;
    const next = nextAt === null ? '–' : nextAt <= nowMs ? 'now' : `in ${ageOf(nextAt - nowMs)}`;
    const came = last === null ? '–' : (last.handoff ?? `refused: ${last.refused ?? ''}`);
    return [name, when, `${from} → ${to}`, next, came];
  });
  output.line(tableOf(['name', 'when', 'who', 'next', 'last'], rows));
}
