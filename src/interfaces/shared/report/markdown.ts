/** The report as markdown, for job summaries and for reading as text. */
import type { ProjectReport, Report } from '../../../domain/project-report.ts';
import type { LegOutcome } from '../../../domain/project-trail.ts';
import type { OpenLeg, Workflow } from '../../../domain/workflow.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import { durationText, leftOut, OUTCOME_TEXT, percentText, phaseText, ROWS_MAX } from './format-numbers.ts';
import { AGENT_HEAD, agentRow, legRow, METRIC_HEAD, metricRow, ORDER_HEAD, orderRows } from './rows.ts';

const MARK = { complete: '✅', failed: '❌', unfinished: '⏳' } as const satisfies Record<LegOutcome, string>;
const BAR_CELLS = 10;

export function reportMarkdown({ outcome, projects }: Report): string {
  if (outcome === null) return '# Baton\n\nThere is nothing to report on.\n';
  const parts = projects.flatMap((project) => projectParts(project, projects.length > 1));
  return `${[`# Baton: ${MARK[outcome]} ${OUTCOME_TEXT[outcome]}`, ...parts].join('\n\n')}\n`;
}

function projectParts({ workflow, metrics }: ProjectReport, several: boolean): readonly string[] {
  const { project, outcome, trouble, open, agents, phases, circles } = workflow;
  const mark = several ? `${MARK[outcome]} ` : '';
  return [
    `## ${mark}${plain(project)}`,
    factsLine(workflow),
    table(
      ['phase', 'progress', 'legs', 'summaries', 'failed', 'blocked', 'time'],
      phases
        .filter(({ told, legs }) => told > 0 || legs.all > 0)
        .map((flow) => [
          phaseText(flow),
          `${bar(flow.progress)} ${percentText(flow.progress)}`,
          `${flow.legs.done}/${flow.legs.toDo}`,
          ...[flow.told, flow.statuses.failed, flow.statuses.blocked].map(String),
          durationText(flow.timeMs),
        ]),
    ),
    ...section('To look at', LEG_HEAD, trouble.map(legCells)),
    ...section('Open', LEG_HEAD, open.map(legCells)),
    ...section('Agents', AGENT_HEAD, agents.map(agentRow)),
    ...section('Metrics', METRIC_HEAD, metrics.all.map(metricRow)),
    ...section('Order of tasks', ORDER_HEAD, orderRows(workflow)),
    ...circles.map((circle) => `⚠️ These tasks wait for each other: ${circle.map(plain).join(' → ')}`),
  ];
}

const LEG_HEAD = ['who', 'stands', 'task', 'phase', 'handoff'];

function legCells(leg: OpenLeg): readonly string[] {
  return [...legRow(leg), leg.id];
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

/** Empty if there are no rows. */
function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const rest = leftOut(rows.length);
  return rows.length === 0
    ? []
    : [`### ${title}`, table(head, rows.slice(0, ROWS_MAX)), ...(rest === null ? [] : [rest])];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(row.map(plain)))].join('\n');
}

function bar(share: number | null): string {
  const full = Math.floor((share ?? 0) * BAR_CELLS);
  return '█'.repeat(full) + '░'.repeat(BAR_CELLS - full);
}

/** Escapes text that others wrote: nothing in it is markup, and a cell stays one cell. */
function plain(text: string): string {
  return displayLine(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_[\]|~#!()]/g, (mark) => `\\${mark}`);
}
