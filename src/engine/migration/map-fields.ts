/** Maps an old handoff to the fields of a document. */
import { STATUS_FOR, type Status } from '../../formats/document/vocabulary.ts';
import type { NewDocument } from '../../formats/document/schema.ts';
import type { YamlValue } from '../../formats/document/yaml-text.ts';
import { instantOf } from '../../formats/legacy/dates.ts';
import { doneFolderIn } from '../../formats/legacy/file-name.ts';
import { meaningsOf, wordOf } from '../../formats/legacy/keys.ts';
import { extrasOf } from '../../formats/legacy/extras.ts';
import { isStructured, type LegacyReading } from '../../formats/legacy/legacy-reading.ts';
import { sectionsOf } from '../../formats/legacy/sections.ts';
import { isFinal, type State } from '../../domain/lifecycle.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Candidate } from './candidate.ts';
import { missingParties } from './classify.ts';

export interface MappingTerms {
  readonly nowMs: number;
  /** How long an open document may wait for its acknowledgement, from now. */
  readonly offeredMs: number;
  /** Sender and recipient for texts that name none. */
  readonly from: AgentId | null;
  readonly to: AgentId | null;
}

/** Everything but id and task, which depend on the other handoffs. */
export interface Mapped {
  readonly from: AgentId;
  readonly to: AgentId;
  readonly state: State;
  readonly status: Status;
  readonly createdAt: number;
  /** Null: it is open. */
  readonly settledAt: number | null;
  readonly title: string;
  readonly notes: readonly string[];
  readonly fields: Omit<NewDocument, 'handoff_id' | 'related_task'>;
  /** Null: it does not expire. */
  readonly expiresAt: number | null;
  /** Fields that only a migrated document has. */
  readonly extra: { readonly [key: string]: YamlValue };
  /** Old fields that have no field in a document. */
  readonly legacy: { readonly [key: string]: YamlValue };
}

const TITLE_MAX = 300;
const COMPLETED_KEY =
  /^(?:completed?(?:_at|_on|_date)?|closed(?:_at|_on|_date)?|finished(?:_at)?|resolved(?:_at)?|date_completed)$/;

/** `older` are the other texts of the same handoff, the newest first. Answers a text where a party is missing. */
export function mapFields(candidate: Candidate, older: readonly Candidate[], terms: MappingTerms): Mapped | string {
  const { reading, name } = candidate;
  // A newer text that names nobody is about the same agents.
  const named = <T>(of: (reading: LegacyReading) => T | null): T | null =>
    [candidate, ...older].map((each) => of(each.reading)).find((each) => each !== null) ?? null;
  const from = named(({ sender }) => sender) ?? terms.from;
  const to = named(({ recipient }) => recipient) ?? terms.to;
  if (from === null || to === null) return missingParties(from !== null, to !== null) ?? '';
  const notes: string[] = [];
  const state = stateOf(candidate, older, notes);
  const createdAt = reading.createdAt ?? name.createdAt ?? candidate.firstAt ?? candidate.changedAt ?? terms.nowMs;
  if (reading.createdAt === null && name.createdAt === null) notes.push('its day is that of its first commit');
  const settledAt = isFinal(state) ? (completionIn(candidate) ?? candidate.changedAt ?? createdAt) : null;
  const title = titleOf(candidate);
  const { purpose, context, deliverables, criteria } = sectionsOf(reading);
  const { priority, dueAt, alsoTo } = extrasOf(reading);
  if (alsoTo.length > 0)
    notes.push(`also went to ${alsoTo.map((agent) => `@${agent}`).join(', ')}: send it to them too`);
  for (const [agent, found] of [
    [from, reading.from],
    [to, reading.to],
  ] as const)
    if (agent.startsWith('xn--') && found !== null) notes.push(`${found.text.slice(0, 40)} is called ${agent} here`);
  const isOffered = state === 'offered' || state === 'blocked';
  const expiresAt = isOffered ? terms.nowMs + terms.offeredMs : null;
  const said =
    reading.status === null
      ? 'it had no status'
      : `its status was ${JSON.stringify(reading.status.text.slice(0, 200))}`;
  const updatedAt = settledAt ?? terms.nowMs;
  return {
    from,
    to,
    state,
    status: STATUS_FOR[state],
    createdAt,
    settledAt,
    title,
    notes,
    fields: {
      from_agent: from,
      to_agent: to,
      status: STATUS_FOR[state],
      created_at: instant(createdAt),
      updated_at: instant(updatedAt),
      expires_at: expiresAt === null ? null : instant(expiresAt),
      title,
      purpose,
      context,
      deliverables: [...deliverables],
      verification_criteria: [...criteria],
      ...(dueAt === null ? {} : { target_completion: instant(dueAt).slice(0, 10) }),
      source_meeting: fieldNamed(candidate, 'source_meeting') ?? null,
      skill_web_node: fieldNamed(candidate, 'skill_web_node') ?? null,
      ...(STATUS_FOR[state] === 'Acknowledged'
        ? { acknowledged_at: instant(terms.nowMs), acknowledged_by: to, acknowledgment_notes: `Migrated: ${said}.` }
        : {}),
      ...(state === 'completed' ? { completed_at: instant(updatedAt), completion_notes: `Migrated: ${said}.` } : {}),
      ...(STATUS_FOR[state] === 'Rejected' ? { rejection_reason: { type: state, message: `Migrated: ${said}.` } } : {}),
    },
    expiresAt,
    extra: {
      // It was over before it was migrated: nobody knows who acknowledged or verified it.
      ...(isFinal(state) ? { imported: 'true' } : {}),
      ...(priority === null ? {} : { priority }),
      ...(alsoTo.length === 0 ? {} : { also_to: [...alsoTo] }),
    },
    legacy: legacyOf(candidate),
  };
}

function stateOf({ reading, path }: Candidate, older: readonly Candidate[], notes: string[]): State {
  const { state: said, status } = reading;
  // Old systems moved a finished handoff into such a folder and left the status in its text.
  const folder = [path, ...older.map((each) => each.path)].map(doneFolderIn).find((each) => each !== null) ?? null;
  if (folder !== null && (said === null || !isFinal(said))) {
    notes.push(`counts as completed, because a copy is in ${folder}/`);
    return 'completed';
  }
  const word = JSON.stringify(status?.text.slice(0, 60) ?? '');
  if (said === null)
    notes.push(status === null ? 'says no status, so it is open' : `its status ${word} is not known, so it is open`);
  // A handoff in review was not acknowledged in the terms of documents.
  if (said === 'delivered') {
    notes.push(`its status was ${word}; nobody has acknowledged it here, so it is open`);
    return 'offered';
  }
  return said ?? 'offered';
}

function completionIn({ reading }: Candidate): number | null {
  const field = reading.fields.find(({ key, text }) => COMPLETED_KEY.test(wordOf(key)) && instantOf(text) !== null);
  return field === undefined ? null : instantOf(field.text);
}

function titleOf({ reading, name }: Candidate): string {
  const title = (reading.title?.text ?? '')
    .replace(/^(?:hand-?off|hand-?over)\s*[:—–-]\s*/i, '')
    .replace(/\s+/g, ' ')
    .trim();
  // "ivy → basil" names the agents, not the work.
  const isOnlyArrow = /^\S+ ?(?:→|->|=>) ?\S+$/.test(title);
  return (title === '' || isOnlyArrow ? name.stem : title).slice(0, TITLE_MAX);
}

function fieldNamed({ reading }: Candidate, word: string): string | undefined {
  const text = reading.fields
    .find(({ key }) => wordOf(key) === word)
    ?.text.trim()
    .slice(0, TITLE_MAX);
  return text === '' || text === 'null' ? undefined : text;
}

const KEPT_FORMS = new Set(['front-matter', 'bold-fields', 'header-lines', 'bullets', 'yaml', 'json', 'table']);
const KEPT_MAX = 60;
/** Further down in markdown, what looks like a field is mostly a sentence. */
const HEAD_LINES = 20;

/** For a search by field; the whole old text is kept below the document. */
function legacyOf({ reading }: Candidate): { readonly [key: string]: YamlValue } {
  const roles = new Set([reading.from, reading.to, reading.created, reading.title].map((found) => found?.path));
  const kept = reading.fields.filter(({ path, key, text, form, line }) => {
    const isOurs = roles.has(path) || (meaningsOf(key).length > 0 && path.includes('['));
    return (
      KEPT_FORMS.has(form) &&
      (isStructured(form) || line <= HEAD_LINES) &&
      !isOurs &&
      text !== '' &&
      text.length <= TITLE_MAX &&
      key.length <= 60 &&
      !text.includes('\n')
    );
  });
  return Object.fromEntries(kept.slice(0, KEPT_MAX).map(({ path, text }) => [path.slice(0, 120), text]));
}

function instant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
