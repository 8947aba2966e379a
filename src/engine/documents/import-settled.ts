/**
 * The record of a document that was settled before this database knew it. It is inserted as the text says: no
 * notifications, checks or limits, because there is nothing left to do. Its facts say `imported`, so that claims of a text
 * are never mistaken for events in this database.
 */
import type { JsonObject, JsonText } from '../../foundation/json.ts';
import { ok, type Result } from '../../foundation/result.ts';
import type { Decision } from '../../domain/decision.ts';
import type { Claim } from '../../domain/evidence.ts';
import type { FactType } from '../../domain/fact-types.ts';
import { appendFact } from '../../domain/facts.ts';
import { accept } from '../../domain/moves/accept.ts';
import { create } from '../../domain/moves/create.ts';
import { deliver } from '../../domain/moves/deliver.ts';
import { cancel, expire, reject } from '../../domain/moves/reject-cancel-expire.ts';
import { failForGood } from '../../domain/moves/fail.ts';
import type { Moved } from '../../domain/moves/step.ts';
import { verify } from '../../domain/moves/verify.ts';
import { NO_LINEAGE, senderFieldsOf, type Handoff } from '../../domain/handoff.ts';
import { agentPrincipal, principalText, SYSTEM } from '../../domain/principal.ts';
import type { Refusal } from '../../domain/refusals.ts';
import type { DocumentFields } from '../../formats/document/schema.ts';
import { END_TYPE } from '../../formats/document/vocabulary.ts';
import type { NewHandoff } from '../../stores/store.ts';
import type { WorkspaceRules } from '../context.ts';
import { failureText, resultText } from '../handoffs/failure-text.ts';
import { termsOf, type SendRequest } from '../handoffs/send.ts';
import type { Writer } from './attribution.ts';
import { claimsOf, markedIn } from './plan-edit.ts';

/** `request` of the text, as for any new document. */
export function settledOpening(
  rules: WorkspaceRules,
  writer: Writer,
  request: SendRequest & Required<Pick<SendRequest, 'id'>>,
  body: JsonText,
  fields: DocumentFields,
): NewHandoff {
  const terms = termsOf(rules, 'document', request.terms, request);
  return {
    id: request.id,
    dependsOn: terms.dependsOn,
    body,
    decide: (nowMs, dependencies) => {
      const createdAt = instantIn(fields.created_at, nowMs);
      const endedAt = Math.max(createdAt, instantIn(fields.updated_at, nowMs));
      const { id, from, to } = request;
      const named = { id, kind: 'document', from, to, ...senderFieldsOf(request), lineage: NO_LINEAGE } as const;
      const begun = create({ ...named, terms, notBefore: 0, as: 'offer' }, dependencies, createdAt);
      if (!begun.ok) return begun;
      const by = principalText({ kind: 'writer', via: writer.via, who: writer.who, as: agentPrincipal(from) });
      const first = appendFact(null, begun.value, 'create', by, createdAt, IMPORTED, body);
      return ended({ handoff: first.handoff, facts: [first.fact] }, writer, fields, endedAt);
    },
  };
}

const IMPORTED: JsonObject = { imported: true };

interface ImportedMove {
  readonly deed: FactType;
  readonly move: (handoff: Handoff, nowMs: number) => Moved;
  readonly detail?: JsonObject;
}

function ended(begun: Decision, writer: Writer, fields: DocumentFields, atMs: number): Result<Decision, Refusal> {
  const by = principalText({ kind: 'writer', via: writer.via, who: writer.who, as: SYSTEM });
  let { handoff, facts } = begun;
  for (const { deed, move, detail } of movesIn(fields)) {
    const moved = move(handoff, atMs);
    if (!moved.ok) return moved;
    const appended = appendFact(handoff, moved.value, deed, by, atMs, { ...IMPORTED, ...detail });
    handoff = appended.handoff;
    facts = [...facts, appended.fact];
  }
  return ok({ handoff, facts, outcome: outcomeOf(fields) });
}

function movesIn(fields: DocumentFields): readonly ImportedMove[] {
  if (fields.status === 'Complete') {
    const says = { told_by: fields.completion_verified_by ?? null, notes: fields.completion_notes ?? null };
    return [
      { deed: 'accept', move: (h, at) => accept(h, { by: 'hand', holder: h.to, untilAt: null }, at) },
      { deed: 'deliver', move: (h, at) => deliver(h, { fence: null, claims: claimsFor(h, fields), checks: [] }, at) },
      { deed: 'verify', move: (h, at) => verify(h, { checks: [], criteria: h.terms.criteria }, at), detail: says },
    ];
  }
  if (fields.status === 'Expired') return [{ deed: 'expire', move: expire }];
  const { type, reason } = rejectionIn(fields);
  if (type === END_TYPE.cancelled) return [{ deed: 'cancel', move: cancel, detail: { reason } }];
  if (type === END_TYPE.failed)
    return [{ deed: 'fail', move: failForGood, detail: { code: 'FAILED', message: reason } }];
  return [{ deed: 'reject', move: (h, at) => reject(h, null, at), detail: { type, reason } }];
}

/** A deliverable without evidence gets a note that says so. */
function claimsFor({ terms }: Handoff, fields: DocumentFields): readonly Claim[] {
  const shown = markedIn(fields.deliverable_status ?? []);
  const claims = claimsOf(shown.filter(({ deliverable }) => terms.deliverables.includes(deliverable)));
  return terms.deliverables.map((name) => {
    const claim = claims.find(({ deliverable }) => deliverable === name);
    return claim ?? { deliverable: name, evidence: [{ kind: 'note', text: 'nothing was shown for it' }] };
  });
}

function outcomeOf(fields: DocumentFields): JsonText {
  if (fields.status === 'Complete') return resultText(null);
  if (fields.status === 'Expired') return failureText({ code: 'EXPIRED', message: 'it expired before it came here' });
  const { type, reason } = rejectionIn(fields);
  const code = { [END_TYPE.cancelled]: 'CANCELLED', [END_TYPE.failed]: 'FAILED' }[type] ?? 'REJECTED';
  return failureText({ code, message: reason });
}

function rejectionIn({ rejection_reason: value }: DocumentFields): { readonly type: string; readonly reason: string } {
  return { type: value?.type ?? 'unspecified', reason: value?.message ?? 'no reason is given' };
}

/** A time in the future counts as now. */
function instantIn(text: string | undefined, nowMs: number): number {
  const value = Date.parse(text ?? '');
  return Number.isNaN(value) ? nowMs : Math.min(Math.max(0, value), nowMs);
}
