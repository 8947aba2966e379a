/**
 * The summary in the detail of a fact, if there is a whole one.
 *
 * Details are JSON of many makers, and some come from other databases: what only looks like a summary is none.
 */
import { isJsonObject, type JsonObject } from '../foundation/json.ts';
import { SUMMARY_STATUSES, type Summary } from './summary.ts';

export function summaryFrom(detail: JsonObject): Summary | null {
  const told = detail['summary'];
  if (!isJsonObject(told)) return null;
  const { project, phase, from, to, status, retryCount, metrics, dependencies, context, toldAt, text, source } = told;
  const isWhole =
    isText(project) &&
    isText(from) &&
    isText(text) &&
    (phase === null || isText(phase)) &&
    (to === null || isText(to)) &&
    SUMMARY_STATUSES.some((known) => known === status) &&
    typeof retryCount === 'number' &&
    (toldAt === null || typeof toldAt === 'number') &&
    isJsonObject(metrics) &&
    isJsonObject(context) &&
    isJsonObject(source) &&
    Array.isArray(dependencies) &&
    dependencies.every(isText);
  return isWhole ? (told as unknown as Summary) : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
