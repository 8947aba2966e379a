/** What a fact changes in a document. Pure: the same facts always tell the same. */
import type { Json, JsonObject } from '../../foundation/json.ts';
import type { Claim } from '../../domain/evidence.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';
import { speakerIn } from '../../domain/principal.ts';
import { escalatedTo } from '../../domain/rejection.ts';
import type { DocumentChanges } from '../../dialects/document/edit.ts';
import { writeEvidence } from '../../dialects/document/evidence-text.ts';
import { END_TYPE, STATUS_FOR } from '../../dialects/document/words.ts';
import type { Said } from '../../dialects/document/yaml-text.ts';
import { instant } from './documents.ts';

/** `handoff` is the newest record: only the last of several facts of one kind is told in full. */
export function tell(fact: Fact, handoff: Handoff): DocumentChanges {
  if (fact.deed === 'progress' || fact.deed === 'renew') return {};
  const detail = fact.detail === '' ? {} : (JSON.parse(fact.detail) as JsonObject);
  return {
    status: STATUS_FOR[fact.to],
    updated_at: instant(fact.at),
    ...CHANGES[fact.to]({ fact, handoff, detail, at: instant(fact.at) }),
  };
}

interface Told {
  readonly fact: Fact;
  readonly handoff: Handoff;
  readonly detail: JsonObject;
  readonly at: string;
}

const CHANGES: Record<State, (told: Told) => DocumentChanges> = {
  draft: ({ fact, handoff }) => ({ expires_at: later(fact.at, handoff.terms.draftMs) }),
  offered: ({ fact, handoff }) => ({
    expires_at: later(Math.max(fact.at, handoff.notBefore), handoff.terms.offeredMs),
    acknowledged_at: null,
    acknowledged_by: null,
    acknowledgment_notes: null,
    open_question: null,
    delivered_at: null,
  }),
  blocked: ({ detail }) => ({ open_question: text(detail['question']) }),
  accepted: ({ fact, handoff, detail, at }) =>
    fact.deed === 'rework'
      ? { delivered_at: null, rework_reason: text(detail['reason']) }
      : {
          acknowledged_at: at,
          acknowledged_by: handoff.to,
          acknowledgment_notes: text(detail['notes']),
        },
  delivered: ({ handoff, at }) => ({
    delivered_at: at,
    deliverable_status: marks(handoff.claims, 'claimed'),
    rework_reason: null,
  }),
  completed: ({ fact, handoff, detail, at }) => {
    const speaker = speakerIn(fact.by);
    return {
      completed_at: at,
      completion_verified_by: speaker === 'system' ? null : speaker,
      completion_notes: text(detail['notes']),
      criteria_checks: criteriaOf(handoff, detail),
      verification_record: { verified_at: at, deliverable_checks: marks(handoff.claims, 'verified') },
    };
  },
  failed: ({ detail }) => rejection(END_TYPE.failed, words(detail['code'], detail['message'])),
  rejected: ({ fact, detail }) => ({
    ...rejection(text(detail['type']) ?? 'unspecified', text(detail['reason'])),
    escalated_to: escalatedTo(fact)?.[0] ?? null,
  }),
  cancelled: ({ detail }) => rejection(END_TYPE.cancelled, text(detail['reason'])),
  expired: () => ({}),
};

function marks(claims: readonly Claim[], status: 'claimed' | 'verified'): Said {
  return claims.map(({ deliverable, evidence }) => ({ deliverable, status, evidence: evidence.map(writeEvidence) }));
}

function criteriaOf({ terms }: Handoff, detail: JsonObject): Said {
  const told = Array.isArray(detail['criteria']) ? (detail['criteria'] as readonly JsonObject[]) : [];
  return terms.criteria.map((criterion) => {
    const says = text(told.find((each) => each['criterion'] === criterion)?.['says']);
    return { criterion, status: 'met', says };
  });
}

function rejection(type: string, message: string | null): DocumentChanges {
  return { rejection_reason: { type, message } };
}

function words(...parts: readonly (Json | undefined)[]): string | null {
  return parts.map(text).filter(Boolean).join(': ') || null;
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function later(from: number, ms: number | null): string | null {
  return ms === null ? null : instant(from + ms);
}
