/** How a summary stands in the trail: in the detail of exactly one fact. */
import type { JsonObject } from '../../foundation/json.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Summary } from '../../domain/summary.ts';

export function detailOf(summary: Summary, did: JsonObject): JsonObject {
  return { summary: summary as unknown as JsonObject, ...did };
}

/** The summary that a fact was made of, if any. */
export function summaryIn({ detail }: Fact): Summary | null {
  if (!detail.includes('"summary":')) return null;
  return ((JSON.parse(detail) as JsonObject)['summary'] as unknown as Summary | undefined) ?? null;
}
