/** Charts of the report, as SVG with the colors of the page. */
import type { PhaseFlow, Statuses } from '../../../domain/workflow.ts';
import { SUMMARY_STATUSES } from '../../../domain/summary.ts';
import { durationText, percentText, phaseText } from './format-numbers.ts';
import { shorten } from '../shorten.ts';
import { escapeHtml } from './escape-html.ts';

const ROW = { height: 28, label: 150, bar: 360, width: 700 };
const LETTERS_MAX = 20;

/** One bar per phase: done, failed or blocked, and open legs. */
export function phaseChart(phases: readonly PhaseFlow[]): string {
  const rows = phases.map((flow, row) => {
    const { legs } = flow;
    const parts = [
      ['done', legs.done],
      ['bad', legs.failed + legs.stopped + legs.blocked],
      ['open', legs.waiting + legs.draft + legs.offered + legs.working],
    ] as const;
    const y = row * ROW.height;
    const name = phaseText(flow);
    const says = `${name}: ${legs.done} of ${legs.toDo} legs done, ${durationText(flow.timeMs)}`;
    return (
      `<g><title>${escapeHtml(says)}</title>` +
      `<text x="${ROW.label - 10}" y="${y + 19}" text-anchor="end">${escapeHtml(shorten(name, LETTERS_MAX))}</text>` +
      `<rect class="rail" x="${ROW.label}" y="${y + 5}" width="${ROW.bar}" height="18" rx="3"/>${stack(parts, legs.toDo, y)}` +
      `<text x="${ROW.label + ROW.bar + 10}" y="${y + 19}">${escapeHtml(percentText(flow.progress))} · ${legs.done}/${legs.toDo} · ${durationText(flow.timeMs)}</text></g>`
    );
  });
  return svg(ROW.width, phases.length * ROW.height, 'Progress by phase', rows.join(''));
}

function stack(parts: readonly (readonly [string, number])[], all: number, y: number): string {
  let x = ROW.label;
  return parts
    .map(([kind, count]) => {
      const width = all === 0 ? 0 : (count / all) * ROW.bar;
      const drawn = `<rect class="${kind}" x="${place(x)}" y="${y + 5}" width="${place(width)}" height="18"/>`;
      x += width;
      return count === 0 ? '' : drawn;
    })
    .join('');
}

/** The share of each status. */
export function statusChart(statuses: Statuses): string {
  const all = SUMMARY_STATUSES.reduce((sum, status) => sum + statuses[status], 0);
  let x = 0;
  const parts = SUMMARY_STATUSES.filter((status) => statuses[status] > 0).map((status) => {
    const width = (statuses[status] / all) * ROW.width;
    const drawn = `<rect class="s-${status}" x="${place(x)}" y="0" width="${place(width)}" height="18"><title>${status}: ${statuses[status]}</title></rect>`;
    x += width;
    return drawn;
  });
  return svg(ROW.width, 18, 'Summaries by status', parts.join(''));
}

/** The values of one metric over time. */
export function sparkline(series: readonly number[], label: string): string {
  if (series.length < 2) return '';
  const [width, height] = [120, 24];
  const least = series.reduce((one, other) => Math.min(one, other));
  const most = series.reduce((one, other) => Math.max(one, other));
  const span = most - least || 1;
  const points = series.map((value, index) => {
    const x = 2 + (index / (series.length - 1)) * (width - 4);
    const y = height - 3 - ((value - least) / span) * (height - 6);
    return `${place(x)},${place(y)}`;
  });
  return svg(width, height, label, `<polyline points="${points.join(' ')}"/>`, 'spark');
}

function svg(width: number, height: number, label: string, inside: string, kind = 'chart'): string {
  const box = `viewBox="0 0 ${width} ${Math.max(1, height)}" width="${width}" height="${Math.max(1, height)}"`;
  return `<svg class="${kind}" ${box} role="img" aria-label="${escapeHtml(label)}">${inside}</svg>`;
}

/** Rounded, so that the text is the same on every machine. */
function place(value: number): string {
  return String(Math.round(value * 100) / 100);
}
