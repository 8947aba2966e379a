/** The fields of a document; unknown ones are allowed. The published JSON Schema is made from this. */
import { isOnTheCalendar } from '../calendar-date.ts';
import * as z from 'zod';
import { AGENT_NAME_RULE, HANDOFF_ID_RULE, readAgentId, readHandoffId } from '../../domain/names.ts';
import { readStatus, STATUSES } from './vocabulary.ts';

const LINE_MAX = 1_000;
const TEXT_MAX = 20_000;
const LIST_MAX = 500;

const Line = z.string().min(1).max(LINE_MAX);
const Text = z.string().min(1).max(TEXT_MAX);
const Id = z.string().refine((text) => readHandoffId(text) !== null, HANDOFF_ID_RULE);
const Agent = z.string().refine((text) => readAgentId(text) !== null, AGENT_NAME_RULE);
const Word = z
  .string()
  .refine((text) => readStatus(text) !== null, `a status is one of ${STATUSES.join(', ')}`)
  .meta({ enum: [...STATUSES] });

const INSTANT_RULE = 'a date with time and zone, such as 2026-02-21T14:30:00Z';
const Instant = z
  .string()
  .refine(
    (text) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/.test(text),
    INSTANT_RULE,
  )
  .refine(isOnTheCalendar, INSTANT_RULE);
const Day = z.string().refine((text) => isOnTheCalendar(text), 'a day like 2026-03-01, or an instant with its zone');

/** `file:PATH`, `commit:ID`, `command:LINE`, `shadow:HANDOFF`, `url:ADDRESS`, `note:WORDS`; anything else is a note. */
const Shown = z.union([Text, z.array(Text).max(LIST_MAX)]);
const Marked = z.looseObject({ deliverable: Line, status: Line.nullish(), evidence: Shown.nullish() });
/** The signature of one move by its agent; `baton audit --offline` checks it. */
const Signature = z.looseObject({
  by: Agent,
  at: Instant,
  previous: z.string().max(LINE_MAX),
  said: Line,
  key: Line,
  value: Line,
});
const Checked = z.looseObject({ criterion: Line, status: Line.nullish(), says: Text.nullish() });

/** In the order of a written document. */
const SHAPES = {
  handoff_id: Id,
  from_agent: Agent,
  to_agent: Agent,
  related_task: Line,
  replaces: Id.nullish(),
  status: Word,
  created_at: Instant,
  updated_at: Instant,
  expires_at: Instant.nullable(),
  title: Line,
  purpose: Text.nullable(),
  context: Text.nullable(),
  deliverables: z.array(Line).max(LIST_MAX),
  verification_criteria: z.array(Line).max(LIST_MAX),
  verifiers: z.array(Agent).max(LIST_MAX).nullish(),
  target_completion: Day.nullish(),
  source_meeting: Line.nullable(),
  skill_web_node: Line.nullable(),
  created_signature: Signature.nullish(),
  open_question: Text.nullish(),
  question_answer: z.looseObject({ question: Text.nullish(), answer: Text.nullish(), by: Agent.nullish() }).nullish(),
  reoffered_at: Instant.nullish(),
  acknowledged_at: Instant.nullish(),
  acknowledged_by: Agent.nullish(),
  acknowledgment_notes: Text.nullish(),
  delivered_at: Instant.nullish(),
  deliverable_status: z.array(Marked).max(LIST_MAX).nullish(),
  delivered_signature: Signature.nullish(),
  rework_reason: Text.nullish(),
  reworked_at: Instant.nullish(),
  criteria_checks: z.array(Checked).max(LIST_MAX).nullish(),
  completed_at: Instant.nullish(),
  completion_verified_by: Agent.nullish(),
  completion_notes: Text.nullish(),
  assurance: Line.nullish(),
  verification_record: z
    .looseObject({ verified_at: Instant.nullish(), deliverable_checks: z.array(Marked).max(LIST_MAX).nullish() })
    .nullish(),
  completion_signature: Signature.nullish(),
  rejection_reason: z.looseObject({ type: Line, message: Text.nullish() }).nullish(),
  replaced_by: Id.nullish(),
  escalated_to: Agent.nullish(),
} as const;

export type FieldName = keyof typeof SHAPES;
export const FIELD_NAMES = Object.keys(SHAPES) as readonly FieldName[];

/** A document must have these. */
export const REQUIRED = [
  'handoff_id',
  'from_agent',
  'to_agent',
  'related_task',
  'status',
  'created_at',
  'updated_at',
  'expires_at',
  'title',
  'purpose',
  'context',
  'deliverables',
  'verification_criteria',
] as const satisfies readonly FieldName[];

/** The specification wants a value for these; an empty one is only a warning. */
export const RECOMMENDED = [
  'source_meeting',
  'skill_web_node',
  'purpose',
  'context',
  'deliverables',
  'verification_criteria',
] as const satisfies readonly FieldName[];

/** These identify the document and never change. */
export const IDENTITY = [
  'handoff_id',
  'from_agent',
  'to_agent',
  'related_task',
  'created_at',
] as const satisfies readonly FieldName[];

/** What the sender asks for; it does not change once the document is on offer. */
export const REVISABLE = [
  'title',
  'purpose',
  'context',
  'deliverables',
  'verification_criteria',
  'verifiers',
] as const satisfies readonly FieldName[];

/** What is agreed when the document is offered. */
export const AGREED = [...IDENTITY, ...REVISABLE] as const satisfies readonly FieldName[];

export const DocumentShape = z.looseObject({
  ...SHAPES,
  source_meeting: SHAPES.source_meeting.optional(),
  skill_web_node: SHAPES.skill_web_node.optional(),
});
type Shaped = z.infer<typeof DocumentShape>;

/** The fields that are present and valid. */
export type DocumentFields = { readonly [Name in FieldName]?: Exclude<Shaped[Name], undefined> };
export type NewDocument = DocumentFields & { readonly [Name in (typeof REQUIRED)[number]]: Shaped[Name] };

/** Whether two texts say the same in one field. Null, an empty list and an absent field are the same. */
export function isSameValue(name: FieldName, one: object, other: object): boolean {
  const canonical = (fields: object): string => {
    const value = (fields as { readonly [key: string]: unknown })[name] ?? null;
    return JSON.stringify(Array.isArray(value) && value.length === 0 ? null : value);
  };
  return canonical(one) === canonical(other);
}

/** Whether a text changed a field of the text before it. Adding a required field that was missing is no change. */
export function hasChanged(name: FieldName, now: object, before: object): boolean {
  const wasMissing = (REQUIRED as readonly string[]).includes(name) && !(name in before);
  return !wasMissing && !isSameValue(name, now, before);
}
