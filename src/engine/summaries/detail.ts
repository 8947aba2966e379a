/** How a summary stands in the trail: in the detail of exactly one fact. */
import type { JsonObject } from '../../foundation/json.ts';
import { digestOf } from '../../foundation/digest.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Summary } from '../../domain/summary.ts';
import type { RequestKey } from '../../stores/store.ts';

export function detailOf(summary: Summary, did: JsonObject): JsonObject {
  return { summary: summary as unknown as JsonObject, ...did };
}

/** The summary that a fact was made of, if any. */
export function summaryIn({ detail }: Fact): Summary | null {
  if (!detail.includes('"summary":')) return null;
  return ((JSON.parse(detail) as JsonObject)['summary'] as unknown as Summary | undefined) ?? null;
}

/**
 * The text together with where it was read, and nothing else: whoever reads it again, in whatever name and after
 * whatever time, reads the same.
 */
export function requestOf({ text, source }: Pick<Summary, 'text' | 'source'>): RequestKey {
  const place = 'file' in source ? [source.file, source.index] : [source.session, source.turn, source.index];
  const key = digestOf(JSON.stringify([text, ...place]));
  return { by: 'summary', key, hash: key, forEver: true };
}
