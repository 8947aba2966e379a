/**
 * The summary in the detail of a fact, if it is complete.
 *
 * Details come from many programs and other databases, so an object that only resembles a summary is ignored.
 */
import { isJsonObject, type JsonObject } from '../foundation/json.ts';
import { detailIn } from './fact-detail-text.ts';
import type { Fact } from './facts.ts';
import { SUMMARY_STATUSES, type Summary } from './summary.ts';

/** Searches the text before parsing it, because few facts have a summary. */
export function summaryIn(fact: Fact): Summary | null {
  return fact.detail.includes('"summary":') ? summaryFrom(detailIn(fact)) : null;
}

export function summaryFrom(detail: JsonObject): Summary | null {
  const value = detail['summary'];
  if (!isJsonObject(value)) return null;
  const { project, phase, from, to, status, retryCount, metrics, dependencies, context, toldAt, text, source } = value;
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
  return isWhole ? (value as unknown as Summary) : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
