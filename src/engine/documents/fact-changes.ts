/** The changes of a document that follow from a fact. Pure: the same facts always give the same changes. */
import { textIn, type Json, type JsonObject } from '../../foundation/json.ts';
import { assuranceOf, type Assurance } from '../../domain/assurance.ts';
import type { Claim } from '../../domain/evidence.ts';
import { changesNothing } from '../../domain/fact-types.ts';
import type { Fact } from '../../domain/facts.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { State } from '../../domain/lifecycle.ts';
import { speakerIn } from '../../domain/principal.ts';
import { escalatedTo } from '../../domain/rejection.ts';
import type { DocumentChanges } from '../../formats/document/edit.ts';
import { writeEvidence } from '../../formats/document/evidence-text.ts';
import type { FieldName } from '../../formats/document/schema.ts';
import { END_TYPE, STATUS_FOR } from '../../formats/document/vocabulary.ts';
import type { YamlValue } from '../../formats/document/yaml-text.ts';
import { SIGNATURE_FIELDS, writtenSignature } from '../signatures.ts';
import { instant } from './documents.ts';

/**
 * `handoff` is the newest record, so only the last of several facts of one kind is described exactly. `asked` returns the
 * fields of what the sender asks for now.
 */
export function changesFor(fact: Fact, handoff: Handoff, asked: () => DocumentChanges): DocumentChanges {
  if (changesNothing(fact.deed)) return {};
  const detail = fact.detail === '' ? {} : (JSON.parse(fact.detail) as JsonObject);
  if (fact.deed === 'revise') {
    return { updated_at: instant(fact.at), ...revisedFields(detail, asked()), ...signatureOf(fact) };
  }
  return {
    status: STATUS_FOR[fact.to],
    updated_at: instant(fact.at),
    ...(fact.deed === 'supersede' ? NO_END : {}),
    ...CHANGES[fact.to]({ fact, handoff, detail, at: instant(fact.at) }),
    ...signatureOf(fact),
  };
}

/** The document field for each field of the input. */
const INPUT_FIELD = {
  purpose: 'purpose',
  context: 'context',
  meeting: 'source_meeting',
  skill: 'skill_web_node',
  target_completion: 'target_completion',
} as const;
export const INPUT_FIELDS: readonly string[] = Object.keys(INPUT_FIELD);

/** The document field for each part that a revision can change. */
const REVISED_FIELD: Readonly<Record<string, FieldName>> = {
  title: 'title',
  deliverables: 'deliverables',
  criteria: 'verification_criteria',
  verifiers: 'verifiers',
  ...INPUT_FIELD,
};

/** Only the fields that the revision changed: the others may have been edited in the file since. */
function revisedFields({ was }: JsonObject, asked: DocumentChanges): DocumentChanges {
  const { input, ...rest } = (was ?? {}) as JsonObject;
  // If the input is no object, or was too long for the fact, any field may have changed.
  const isWhole = input === null || typeof input !== 'object' || Array.isArray(input) || 'sha256' in input;
  const inInput = input === undefined ? [] : isWhole ? INPUT_FIELDS : Object.keys(input);
  // An input without the fields of a document is shown as its context.
  const names = [...Object.keys(rest), ...inInput, ...(inInput.length > 0 ? ['context'] : [])];
  const fields = names.flatMap((name) => REVISED_FIELD[name] ?? []);
  return Object.fromEntries(fields.map((field) => [field, asked[field] ?? null]));
}

/** Removes the fields of an overruled end. */
const NO_END: DocumentChanges = {
  open_question: null,
  delivered_at: null,
  completed_at: null,
  completion_verified_by: null,
  completion_notes: null,
  verification_record: null,
  rejection_reason: null,
  escalated_to: null,
};

interface FactContext {
  readonly fact: Fact;
  readonly handoff: Handoff;
  readonly detail: JsonObject;
  readonly at: string;
}

const CHANGES: Record<State, (told: FactContext) => DocumentChanges> = {
  draft: ({ fact, handoff }) => ({ expires_at: later(fact.at, handoff.terms.draftMs) }),
  offered: ({ fact, handoff, detail, at }) => ({
    expires_at: later(Math.max(fact.at, handoff.notBefore), handoff.terms.offeredMs),
    ...(fact.from === 'accepted' || fact.from === 'blocked' ? { reoffered_at: at } : {}),
    acknowledged_at: null,
    acknowledged_by: null,
    acknowledgment_notes: null,
    delivered_at: null,
    ...(fact.deed === 'unblock' ? answered(fact, detail) : {}),
    open_question: null,
  }),
  blocked: ({ detail }) => ({ open_question: textIn(detail['question']) }),
  accepted: ({ fact, handoff, detail, at }) =>
    fact.deed === 'rework'
      ? { delivered_at: null, rework_reason: textIn(detail['reason']), reworked_at: at }
      : {
          acknowledged_at: at,
          acknowledged_by: handoff.to,
          acknowledgment_notes: textIn(detail['notes']),
        },
  delivered: ({ handoff, at }) => ({
    delivered_at: at,
    deliverable_status: marks(handoff.claims, 'claimed'),
    rework_reason: null,
    reworked_at: null,
  }),
  completed: ({ fact, handoff, detail, at }) => {
    const speaker = speakerIn(fact.by);
    const isJudged = fact.deed === 'verify' && speaker !== 'system';
    const assurance = assuranceOf(handoff) ?? 'reported';
    return {
      completed_at: at,
      completion_verified_by: isJudged ? speaker : null,
      completion_notes: textIn(detail['notes']),
      criteria_checks: criteriaOf(handoff, detail),
      assurance,
      verification_record: isJudged
        ? { verified_at: at, deliverable_checks: marks(handoff.claims, MARK_FOR[assurance], detail) }
        : null,
    };
  },
  failed: ({ detail }) => rejection(END_TYPE.failed, joined(detail['code'], detail['message'])),
  rejected: ({ fact, detail }) => ({
    ...rejection(textIn(detail['type']) ?? 'unspecified', textIn(detail['reason'])),
    escalated_to: escalatedTo(fact)?.[0] ?? null,
  }),
  cancelled: ({ detail }) => rejection(END_TYPE.cancelled, textIn(detail['reason'])),
  expired: () => ({}),
};

/** Signatures in a committed text are kept. */
function signatureOf(fact: Fact): DocumentChanges {
  const move = fact.deed === 'revise' ? 'create' : fact.deed;
  const [field] = Object.entries(SIGNATURE_FIELDS).find(([, signed]) => signed === move) ?? [];
  if (field === undefined || fact.by.startsWith('git:')) return {};
  const written = writtenSignature(fact);
  return { [field]: written === null ? null : { ...written } };
}

/** `question` is filled in later, from the text with the question. */
function answered({ by }: Fact, detail: JsonObject): DocumentChanges {
  const answer = textIn(detail['answer']);
  const speaker = speakerIn(by);
  return answer === null
    ? {}
    : { question_answer: { question: null, answer, by: speaker === 'system' ? null : speaker } };
}

/** How a document marks a deliverable: only a proven one is `verified`. */
const MARK_FOR = {
  verified: 'verified',
  attested: 'attested',
  unverified: 'claimed',
  reported: 'claimed',
} as const satisfies Record<Assurance, string>;

/** The verifier's evidence for each deliverable; if there is none, that of the doer. */
function marks(claims: readonly Claim[], status: string, detail: JsonObject = {}): YamlValue {
  const seen = Array.isArray(detail['seen']) ? (detail['seen'] as readonly JsonObject[]) : [];
  return claims.map(({ deliverable, evidence }) => {
    const own = seen.find((each) => each['deliverable'] === deliverable)?.['evidence'];
    const shown = Array.isArray(own) ? own.filter((each) => typeof each === 'string') : evidence.map(writeEvidence);
    return { deliverable, status, evidence: shown };
  });
}

function criteriaOf({ terms }: Handoff, detail: JsonObject): YamlValue {
  const checks = Array.isArray(detail['criteria']) ? (detail['criteria'] as readonly JsonObject[]) : [];
  return terms.criteria.map((criterion) => {
    const judged = checks.find((each) => each['criterion'] === criterion);
    return { criterion, status: judged === undefined ? 'not judged' : 'met', says: textIn(judged?.['says']) };
  });
}

function rejection(type: string, message: string | null): DocumentChanges {
  return { rejection_reason: { type, message } };
}

function joined(...parts: readonly (Json | undefined)[]): string | null {
  return parts.map(textIn).filter(Boolean).join(': ') || null;
}

function later(from: number, ms: number | null): string | null {
  return ms === null ? null : instant(from + ms);
}
