/**
 * The summary in the detail of a fact, if there is a whole one.
 *
 * Details come from many programs, and some from other databases: an object that only resembles a summary is none.
 */
import { isJsonObject, type JsonObject } from '../foundation/json.ts';
import { detailIn } from './fact-detail-text.ts';
import type { Fact } from './facts.ts';
import { SUMMARY_STATUSES, type Summary } from './summary.ts';

/** The text is searched before it is parsed: nearly no fact has a summary. */
export function summaryIn(fact: Fact): Summary | null {
  return fact.detail.includes('"summary":') ? summaryFrom(detailIn(fact)) : null;
}

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
