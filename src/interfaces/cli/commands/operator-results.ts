/** What commands print about pauses, schedules, undelivered notifications, prunes and projects. */
import { counted } from '../../../foundation/count-text.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { instantText } from '../../../foundation/instant-text.ts';
import type { Results } from '../../../operations/operation.ts';
import { pauseView, prunedView, scheduleView, undeliveredView } from '../../shared/record-views.ts';
import { workflowView } from '../../shared/report/view.ts';
import { ageOf, printTable } from '../table.ts';
import { drawWorkflow } from '../workflow-drawing.ts';
import type { PrintContext } from './run-operation.ts';

export function printPause(pause: Results['pause'], { output }: PrintContext): void {
  const view = pauseView(pause);
  if (output.json) return output.answer(view);
  output.line(`${view.agent} ${view.endedAt === null ? 'paused' : 'resumed'}`);
  if (view.endedAt === null) output.note(`it gets no new work until you run: baton resume ${view.agent}`);
}

export function printPauses(all: Results['pauses'], { output, nowMs }: PrintContext): void {
  const rows = all.map((pause) => {
    const { agent, at, by, reason, endedAt, endedBy } = pause;
    const until = endedAt === null ? 'lasts' : `${ageOf(nowMs - endedAt)} ago by ${displayLine(endedBy ?? '')}`;
    return [`@${agent}`, `${ageOf(nowMs - at)} ago`, displayLine(by), until, displayLine(reason ?? '')];
  });
  const head = ['agent', 'paused', 'by', 'resumed', 'why'];
  printTable(output, { items: all.map(pauseView) }, [head, ...rows], 'no agent is paused');
}

export function printSchedule(schedule: Results['schedule'], { output, nowMs }: PrintContext): void {
  const view = scheduleView(schedule);
  if (output.json) return output.answer(view);
  output.line(view.name);
  const next = schedule.nextAt === null ? 'never' : `${view.next} (in ${ageOf(schedule.nextAt - nowMs)})`;
  output.note(`${view.when}, ${view.from} → ${view.to}; next: ${next}`);
}

export function printSchedules(all: Results['schedules'], { output, nowMs }: PrintContext): void {
  const rows = all.map((schedule) => {
    const { name, when, from, to } = scheduleView(schedule);
    const { nextAt, last } = schedule;
    const next = nextAt === null ? '–' : nextAt <= nowMs ? 'now' : `in ${ageOf(nextAt - nowMs)}`;
    const came = last === null ? '–' : (last.handoff ?? `refused: ${last.refused ?? ''}`);
    return [name, when, `${from} → ${to}`, next, came];
  });
  const empty = 'there is no schedule; make one with: baton schedule add NAME --every 1h …';
  printTable(output, { items: all.map(scheduleView) }, [['name', 'when', 'who', 'next', 'last'], ...rows], empty);
}

export function printUndelivered(all: Results['undelivered'], { output, nowMs }: PrintContext): void {
  const rows = all.map((effect) => {
    const { key, target, kind, event, says } = undeliveredView(effect);
    return [`${ageOf(nowMs - effect.droppedAt)} ago`, target ?? kind, event ?? '', displayLine(says), key];
  });
  const head = ['given up', 'target', 'event', 'why', 'key'];
  printTable(output, { items: all.map(undeliveredView) }, [head, ...rows], 'no notification is undelivered');
}

export function printPruned(pruned: Results['pruned'], { output }: PrintContext): void {
  const { dryRun, handoffs, kept, archives, settledBefore, stopped, damaged } = pruned;
  if (output.json) return output.answer(prunedView(pruned));
  const since = instantText(settledBefore);
  output.line(
    dryRun
      ? `${counted(handoffs, 'handoff')} that ended before ${since} would be moved to an archive; nothing was changed`
      : `removed ${counted(handoffs, 'handoff')} that ended before ${since}`,
  );
  for (const name of archives) output.line(`  ${name}`);
  if (kept > 0) output.note(`${counted(kept, 'handoff')} stayed: other handoffs depend on them now`);
  for (const { id, says } of damaged) output.note(`${id} stayed: ${says} (baton doctor says more)`);
  if (stopped) output.note('stopped; run the same command again to continue');
}

export function printWorkflows(flows: Results['workflows'], { output, nowMs }: PrintContext): void {
  if (output.json) output.answer({ projects: flows.map(workflowView) });
  else if (flows.length === 0) output.note('no summary has been read yet');
  else output.line(flows.map((flow) => drawWorkflow(flow, nowMs)).join('\n\n'));
}
