/** The report as markdown: fit for the summary of a job, and for people who read it as text. */
import type { ProjectReport, Report } from '../../../domain/project-report.ts';
import type { LegOutcome } from '../../../domain/project-trail.ts';
import type { OpenLeg, Workflow } from '../../../domain/workflow.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { changeText, durationText, leftOut, OUTCOME_TEXT, percentText, phaseText, ROWS_MAX } from './format-numbers.ts';
import { standsText, totalText, valueText } from './format-numbers.ts';

const MARK = { complete: '✅', failed: '❌', unfinished: '⏳' } as const satisfies Record<LegOutcome, string>;
const BAR_CELLS = 10;

export function reportMarkdown({ outcome, projects }: Report): string {
  if (outcome === null) return '# Baton\n\nThere is nothing to report on.\n';
  const parts = projects.flatMap((project) => projectParts(project, projects.length > 1));
  return `${[`# Baton: ${MARK[outcome]} ${OUTCOME_TEXT[outcome]}`, ...parts].join('\n\n')}\n`;
}

function projectParts({ workflow, metrics }: ProjectReport, several: boolean): readonly string[] {
  const { project, outcome, trouble, open, agents, phases, tasks, circles } = workflow;
  const mark = several ? `${MARK[outcome]} ` : '';
  return [
    `## ${mark}${plain(project)}`,
    factsLine(workflow),
    table(
      ['phase', 'progress', 'legs', 'summaries', 'failed', 'blocked', 'time'],
      phases
        .filter(({ told, legs }) => told > 0 || legs.all > 0)
        .map((flow) => [
          plain(phaseText(flow)),
          `${bar(flow.progress)} ${percentText(flow.progress)}`,
          `${flow.legs.done}/${flow.legs.toDo}`,
          String(flow.told),
          String(flow.statuses.failed),
          String(flow.statuses.blocked),
          durationText(flow.timeMs),
        ]),
    ),
    ...section('To look at', trouble.length, legTable(trouble)),
    ...section('Open', open.length, legTable(open)),
    ...section(
      'Agents',
      agents.length,
      table(
        ['agent', 'summaries', 'complete', 'failed', 'retry', 'legs', 'time'],
        agents
          .slice(0, ROWS_MAX)
          .map(({ agent, told, statuses, legs, timeMs }) => [
            plain(`@${agent}`),
            String(told),
            String(statuses.complete),
            String(statuses.failed),
            String(statuses.retry),
            String(legs.all),
            durationText(timeMs),
          ]),
      ),
    ),
    ...section(
      'Metrics',
      metrics.all.length,
      table(
        ['metric', 'told', 'total', 'mean', 'least', 'most', 'trend'],
        metrics.all
          .slice(0, ROWS_MAX)
          .map((total) => [
            plain(total.key),
            String(total.times),
            plain(totalText(total)),
            plain(valueText(total.mean, total)),
            plain(valueText(total.least, total)),
            plain(valueText(total.most, total)),
            plain(changeText(total)),
          ]),
      ),
    ),
    ...section('Order of tasks', tasks.filter(({ needs }) => needs.length > 0).length, orderTable(workflow)),
    ...circles.map((circle) => `⚠️ These tasks wait for each other: ${circle.map(plain).join(' → ')}`),
  ];
}

function factsLine(workflow: Workflow): string {
  const { outcome, told, legs, retries, routes, escalations, stops, beganAt, lastAt, progress } = workflow;
  const facts = [
    `**${OUTCOME_TEXT[outcome]}**`,
    percentText(progress),
    `${told} summaries`,
    `${legs.all} legs`,
    `${retries} retried`,
    `${routes} routed`,
    `${escalations} escalated`,
    `${stops} stopped`,
    durationText(lastAt - beganAt),
  ];
  return facts.join(' · ');
}

function legTable(legs: readonly OpenLeg[]): string {
  const rows = legs.slice(0, ROWS_MAX).map(({ id, from, to, task, phase, standing, why }) => {
    const who = `${from === null ? '' : `@${from} → `}@${to}`;
    return [plain(who), plain(standsText({ standing, why })), plain(task ?? '–'), plain(phase ?? '–'), plain(id)];
  });
  return table(['who', 'stands', 'task', 'phase', 'handoff'], rows);
}

function orderTable({ tasks }: Workflow): string {
  const rows = tasks
    .filter(({ needs }) => needs.length > 0)
    .slice(0, ROWS_MAX)
    .map(({ task, state, needs, waitsFor }) => [
      plain(task),
      state,
      needs.map(plain).join(', '),
      waitsFor.length === 0 ? '–' : waitsFor.map(plain).join(', '),
    ]);
  return table(['task', 'state', 'after', 'still waits for'], rows);
}

function section(title: string, count: number, body: string): readonly string[] {
  const rest = leftOut(count);
  return count === 0 ? [] : [`### ${title}`, body, ...(rest === null ? [] : [rest])];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function bar(share: number | null): string {
  const full = Math.floor((share ?? 0) * BAR_CELLS);
  return '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
}

/** Words of others: nothing in them is markup, and a cell stays a cell. */
function plain(text: string): string {
  return displayLine(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_[\]|~#!()]/g, (mark) => `\\${mark}`);
}
