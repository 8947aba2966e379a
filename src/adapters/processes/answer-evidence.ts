/** Evidence that a program shows as part of its answer. */
import type { Json } from '../../foundation/json.ts';
import { HandlerFailure } from '../../engine/attempt.ts';
import type { EvidenceRequest } from '../../engine/evidence-checker.ts';
import type { Attempt } from '../../engine/work.ts';
import { evidenceField } from '../../operations/deliver.ts';
import { required } from '../../operations/field.ts';
import { AS_OPTIONS, readInput, issuesText } from '../../operations/reading.ts';

/**
 * Where deliverables were asked for, an answer may hold `"evidence": { "login page": "file:src/login.tsx" }`, or a list
 * of such texts: it is shown for them, and is not part of the result.
 */
export function withoutEvidence(result: Json, show: Attempt['evidence']): Json {
  if (typeof result !== 'object' || result === null || !('evidence' in result)) return result;
  const { evidence, ...rest } = result as { readonly evidence: Json; readonly [name: string]: Json };
  if (typeof evidence !== 'object' || evidence === null || Array.isArray(evidence)) {
    throw new HandlerFailure(
      'PROCESSING_ERROR',
      '"evidence" is an object: deliverable to "kind:value", or a list of them',
    );
  }
  for (const [deliverable, shown] of Object.entries(evidence)) {
    for (const text of Array.isArray(shown) ? shown : [shown]) {
      const { kind, value } = readEvidence(`${deliverable}=${String(text)}`);
      show(deliverable, kind, value);
    }
  }
  return rest;
}

function readEvidence(text: string): EvidenceRequest {
  const read = readInput({ evidence: required(evidenceField) }, { evidence: text }, AS_OPTIONS);
  if (read.ok) return read.value.evidence;
  throw new HandlerFailure('PROCESSING_ERROR', issuesText(read.refusal));
}
