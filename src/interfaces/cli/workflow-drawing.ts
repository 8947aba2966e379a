/** A project in the terminal. */
import type { LegOutcome } from '../../domain/project-trail.ts';
import type { OpenLeg, PhaseFlow, TaskFlow, Workflow } from '../../domain/workflow.ts';
import { durationText, leftOut, OUTCOME_TEXT, percentText } from '../shared/report/format-numbers.ts';
import { phaseText, ROWS_MAX, standingSummary } from '../shared/report/format-numbers.ts';
import { shorten } from '../shared/shorten.ts';
import { displayLine } from '../../foundation/display-text.ts';
import { answerColours as colours } from './output.ts';
import { ageOf, tableOf } from './table.ts';

const CELLS = 24;
/** A bar grows by an eighth of a cell. */
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;
const NAME_MAX = 24;

const PAINT = { complete: colours.green, failed: colours.red, unfinished: colours.yellow } as const satisfies Record<
  LegOutcome,
  (text: string) => string
>;

export function drawWorkflow(flow: Workflow, nowMs: number): string {
  const { project, outcome, told, legs, progress, retries, routes, escalations, stops, beganAt, lastAt } = flow;
  const facts = [
    `${percentText(progress)} of ${legs.all} legs`,
    `${told} summaries`,
    `${retries} retried`,
    `${routes} routed`,
    `${escalations} escalated`,
    `${stops} stopped`,
    durationText(lastAt - beganAt),
  ];
  const title = `${colours.bold(displayLine(project))}  ${PAINT[outcome](OUTCOME_TEXT[outcome])}`;
  const used = flow.phases.filter((phase) => phase.told > 0 || phase.legs.all > 0);
  const width = Math.max(...used.map((phase) => nameOf(phase).length), 0);
  return [
    title,
    colours.dim(`  ${facts.join(' · ')}`),
    ...used.map((phase) => phaseLine(phase, width)),
    ...legLines('to look at', flow.trouble, nowMs),
    ...legLines('open', flow.open, nowMs),
    ...taskLines(flow.tasks),
    ...(flow.criticalPath.length === 0 ? [] : [`  longest wait: ${displayLine(flow.criticalPath.join(' → '))}`]),
    ...flow.circles.map((circle) => colours.red(`  these wait for each other: ${displayLine(circle.join(' → '))}`)),
  ].join('\n');
}

function phaseLine(phase: PhaseFlow, width: number): string {
  const { progress, legs, timeMs } = phase;
  const paint =
    legs.failed + legs.stopped + legs.blocked > 0 ? PAINT.failed : progress === 1 ? PAINT.complete : PAINT.unfinished;
  const counts = `${legs.done}/${legs.toDo}`;
  const numbers = `${percentText(progress).padStart(5)}  ${counts.padStart(9)}  ${durationText(timeMs)}`;
  return `  ${nameOf(phase).padEnd(width)}  ${paint(barOf(progress ?? 0))}  ${numbers}`;
}

function barOf(share: number): string {
  const eighths = Math.floor(share * CELLS * 8);
  const full = '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
  return full.padEnd(CELLS, '░');
}

function nameOf(phase: PhaseFlow): string {
  return shorten(displayLine(phaseText(phase)), NAME_MAX);
}

function legLines(title: string, legs: readonly OpenLeg[], nowMs: number): readonly string[] {
  if (legs.length === 0) return [];
  const rows = legs.slice(0, ROWS_MAX).map(({ id, from, to, task, phase, standing, why, since }) => {
    const who = `${from === null || from === to ? '' : `@${from} → `}@${to}`;
    return [who, standingSummary({ standing, why }), task ?? '–', phase ?? '–', ageOf(nowMs - since), id].map(
      displayLine,
    );
  });
  const [head = '', ...lines] = tableOf(['who', 'stands', 'task', 'phase', 'for', 'handoff'], rows).split('\n');
  const rest = leftOut(legs.length);
  return [
    '',
    `  ${colours.bold(title)}`,
    colours.dim(`  ${head}`),
    ...lines.map((line) => `  ${line}`),
    ...(rest === null ? [] : [`  ${rest}`]),
  ];
}

function taskLines(tasks: readonly TaskFlow[]): readonly string[] {
  const named = tasks.filter(({ needs }) => needs.length > 0);
  if (named.length === 0) return [];
  const lines = named.slice(0, ROWS_MAX).map(({ task, state, needs, waitsFor }) => {
    const waits = waitsFor.length === 0 ? '' : `, still waits for ${waitsFor.join(', ')}`;
    const paint = state === 'unknown' ? colours.dim : PAINT[state];
    return `  ${displayLine(task)} ${paint(state)} after ${displayLine(needs.join(', ') + waits)}`;
  });
  return ['', `  ${colours.bold('order of tasks')}`, ...lines];
}
