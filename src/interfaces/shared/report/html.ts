/** The report as one HTML page without scripts and external files, for light and dark. */
import type { Total } from '../../../domain/metrics.ts';
import type { MetricsOf, ProjectReport, Report } from '../../../domain/project-report.ts';
import type { OpenLeg, Workflow } from '../../../domain/workflow.ts';
import type { ReportedSummary } from '../../../domain/project-trail.ts';
import { durationText, leftOut, OUTCOME_TEXT, percentText, ROWS_MAX } from './format-numbers.ts';
import { AGENT_HEAD, agentRow, legRow, METRIC_HEAD, metricRow, ORDER_HEAD, orderRows } from './rows.ts';
import { phaseChart, sparkline, statusChart } from './charts.ts';
import { STYLE } from './style.ts';
import { escapeHtml } from './escape-html.ts';

/** The JSON report has all summaries. */
const SUMMARIES_MAX = 2_000;

export function reportHtml({ outcome, projects }: Report): string {
  const title = outcome === null ? 'nothing to report on' : OUTCOME_TEXT[outcome];
  const body = projects.length === 0 ? '<p>There is nothing to report on.</p>' : projects.map(section).join('\n');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>Baton: ${escapeHtml(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    `<header><h1>Baton</h1><p class="outcome ${outcome ?? 'nothing'}">${escapeHtml(title)}</p></header>`,
    `<main>\n${body}\n</main>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function section({ workflow, metrics, summaries }: ProjectReport): string {
  const { project, outcome, phases, trouble, open } = workflow;
  const used = phases.filter(({ told, legs }) => told > 0 || legs.all > 0);
  return [
    '<section>',
    `<h2>${escapeHtml(project)} <span class="outcome ${outcome}">${OUTCOME_TEXT[outcome]}</span></h2>`,
    tiles(workflow),
    part('Phases', phaseChart(used)),
    part('Summaries by status', statusChart(workflow.statuses) + legend(workflow)),
    trouble.length === 0 ? '' : part('To look at', legs(trouble)),
    open.length === 0 ? '' : part('Open', legs(open)),
    part('Agents', table(AGENT_HEAD, workflow.agents.map(agentRow))),
    metrics.all.length === 0 ? '' : part('Metrics', totals(metrics.all)),
    ...metrics.byAgent.map((own) => folded(`Metrics of @${own.name}`, own)),
    ...metrics.byPhase.map((own) => folded(`Metrics in ${own.name === '' ? 'no phase' : own.name}`, own)),
    order(workflow),
    part('Who handed what to whom', history(summaries)),
    '</section>',
  ].join('\n');
}

function tiles(flow: Workflow): string {
  const facts = {
    progress: percentText(flow.progress),
    summaries: flow.told,
    legs: flow.legs.all,
    retried: flow.retries,
    routed: flow.routes,
    escalated: flow.escalations,
    stopped: flow.stops,
    time: durationText(flow.lastAt - flow.beganAt),
  };
  const tile = ([name, value]: readonly [string, string | number]): string =>
    `<div><dt>${name}</dt><dd>${escapeHtml(String(value))}</dd></div>`;
  return `<dl class="tiles">${Object.entries(facts).map(tile).join('')}</dl>`;
}

function legend({ statuses }: Workflow): string {
  const items = Object.entries(statuses).map(([status, count]) => `<li class="s-${status}">${status} ${count}</li>`);
  return `<ul class="legend">${items.join('')}</ul>`;
}

function legs(all: readonly OpenLeg[]): string {
  const rows = all.slice(0, ROWS_MAX).map((leg) => [...legRow(leg), String(leg.attempt), leg.id]);
  return table(['who', 'stands', 'task', 'phase', 'attempt', 'handoff'], rows) + rest(all.length);
}

function totals(all: readonly Total[]): string {
  const rows = all.map((total) => [
    ...metricRow(total).map(escapeHtml),
    sparkline(total.series, `${total.key} over time`),
  ]);
  return rawTable([...METRIC_HEAD, ''], rows);
}

function folded(title: string, { totals: all }: MetricsOf): string {
  return `<details><summary>${escapeHtml(title)}</summary>${totals(all)}</details>`;
}

function order(workflow: Workflow): string {
  const rows = orderRows(workflow);
  if (rows.length === 0 && workflow.circles.length === 0) return '';
  const rings = workflow.circles.map(
    (circle) => `<p class="warning">These wait for each other: ${escapeHtml(circle.join(' → '))}</p>`,
  );
  return part('Order of tasks', table(ORDER_HEAD, rows) + rings.join(''));
}

function history(summaries: readonly ReportedSummary[]): string {
  const rows = summaries.slice(0, SUMMARIES_MAX).map(({ number, fact, summary, escalated, retried, routedTo }) => {
    const more = [retried ? 'retried' : '', routedTo === null ? '' : `routed to @${routedTo}`, escalated ?? ''];
    const { from, to, phase, status } = summary;
    const at = new Date(fact.at).toISOString();
    const next = to === null ? 'None' : `@${to}`;
    return [String(number), at, `@${from}`, next, phase ?? '–', status, more.filter((word) => word !== '').join(', ')];
  });
  const left = summaries.length - rows.length;
  const end = left > 0 ? `<p>… and ${left} more</p>` : '';
  return table(['', 'at', 'from', 'to', 'phase', 'status', ''], rows) + end;
}

function part(title: string, body: string): string {
  return `<h3>${escapeHtml(title)}</h3>\n<div class="wide">${body}</div>`;
}

function rest(count: number): string {
  const text = leftOut(count);
  return text === null ? '' : `<p>${escapeHtml(text)}</p>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rawTable(
    head,
    rows.map((row) => row.map(escapeHtml)),
  );
}

/** The cells are HTML. */
function rawTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${line(head.map(escapeHtml), 'th')}</thead><tbody>${rows.map((row) => line(row, 'td')).join('\n')}</tbody></table>`;
}
