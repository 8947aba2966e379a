/** Rows that the formats of a report share. Cells are plain text. */
import type { Total } from '../../../domain/metrics.ts';
import type { OpenLeg, Workflow } from '../../../domain/workflow.ts';
import { changeText, durationText, standingSummary, totalText, valueText } from './format-numbers.ts';

export const AGENT_HEAD = ['agent', 'summaries', 'complete', 'failed', 'retry', 'legs', 'time'];

export function agentRow({ agent, told, statuses, legs, timeMs }: Workflow['agents'][number]): readonly string[] {
  const counts = [told, statuses.complete, statuses.failed, statuses.retry, legs.all].map(String);
  return [`@${agent}`, ...counts, durationText(timeMs)];
}

export const METRIC_HEAD = ['metric', 'told', 'total', 'mean', 'least', 'most', 'trend'];

export function metricRow(total: Total): readonly string[] {
  const values = [total.mean, total.least, total.most].map((value) => valueText(value, total));
  return [total.key, String(total.times), totalText(total), ...values, changeText(total)];
}

export function legRow({ from, to, task, phase, standing, why }: OpenLeg): readonly string[] {
  const who = `${from === null ? '' : `@${from} → `}@${to}`;
  return [who, standingSummary({ standing, why }), task ?? '–', phase ?? '–'];
}

export const ORDER_HEAD = ['task', 'state', 'after', 'still waits for'];

/** Tasks that need nothing have no place in an order. */
export function orderRows({ tasks }: Workflow): readonly (readonly string[])[] {
  return tasks
    .filter(({ needs }) => needs.length > 0)
    .map(({ task, state, needs, waitsFor }) => [task, state, needs.join(', '), waitsFor.join(', ') || '–']);
}
