/** An old handoff in the fields of a governed document. */
import { STATUS_FOR, type Status } from '../../dialects/document/words.ts';
import type { NewDocument } from '../../dialects/document/schema.ts';
import type { Said } from '../../dialects/document/yaml-text.ts';
import { instantOf } from '../../dialects/legacy/dates.ts';
import { doneFolderIn } from '../../dialects/legacy/file-name.ts';
import { meaningsOf, wordOf } from '../../dialects/legacy/keys.ts';
import { sectionsOf } from '../../dialects/legacy/sections.ts';
import { isFinal, type State } from '../../domain/lifecycle.ts';
import type { AgentId } from '../../domain/names.ts';
import type { Candidate } from './candidate.ts';

export interface MappingTerms {
  readonly nowMs: number;
  /** How long an open one may wait for its acknowledgement, from now. */
  readonly offeredMs: number;
  /** For those that say none. */
  readonly from: AgentId | null;
  readonly to: AgentId | null;
}

/** Everything but the id and the task, which depend on all the others. */
export interface Mapped {
  readonly from: AgentId;
  readonly to: AgentId;
  readonly state: State;
  readonly status: Status;
  readonly createdAt: number;
  /** The month of its archive, for settled ones. */
  readonly settledAt: number | null;
  readonly title: string;
  readonly notes: readonly string[];
  readonly fields: Omit<NewDocument, 'handoff_id' | 'related_task'>;
  /** What has no field of its own. */
  readonly legacy: { readonly [key: string]: Said };
}

const TITLE_MAX = 300;
const COMPLETED_KEY =
  /^(?:completed?(?:_at|_on|_date)?|closed(?:_at|_on|_date)?|finished(?:_at)?|resolved(?:_at)?|date_completed)$/;

export function mapFields(candidate: Candidate, terms: MappingTerms): Mapped | string {
  const { reading, path, name } = candidate;
  const from = reading.sender ?? terms.from;
  const to = reading.recipient ?? terms.to;
  if (from === null || to === null) {
    const missing = [...(from === null ? ['sender'] : []), ...(to === null ? ['recipient'] : [])];
    return `names no ${missing.join(' and no ')}`;
  }
  const notes: string[] = [];
  const state = stateOf(reading.state, reading.status?.text ?? null, path, notes);
  const createdAt = reading.createdAt ?? name.createdAt ?? candidate.firstAt ?? candidate.changedAt ?? terms.nowMs;
  if (reading.createdAt === null && name.createdAt === null) notes.push('its day is that of its first commit');
  const settledAt = isFinal(state) ? (completionIn(candidate) ?? candidate.changedAt ?? createdAt) : null;
  const title = titleOf(candidate);
  const { purpose, context, deliverables, criteria } = sectionsOf(reading);
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
      expires_at: state === 'offered' || state === 'blocked' ? instant(terms.nowMs + terms.offeredMs) : null,
      title,
      purpose,
      context,
      deliverables: [...deliverables],
      verification_criteria: [...criteria],
      source_meeting: fieldNamed(candidate, 'source_meeting') ?? null,
      skill_web_node: fieldNamed(candidate, 'skill_web_node') ?? null,
      ...(STATUS_FOR[state] === 'Acknowledged'
        ? { acknowledged_at: instant(terms.nowMs), acknowledged_by: to, acknowledgment_notes: `Migrated: ${said}.` }
        : {}),
      ...(state === 'completed' ? { completed_at: instant(updatedAt), completion_notes: `Migrated: ${said}.` } : {}),
      ...(STATUS_FOR[state] === 'Rejected' ? { rejection_reason: { type: state, message: `Migrated: ${said}.` } } : {}),
    },
    legacy: legacyOf(candidate),
  };
}

function stateOf(said: State | null, word: string | null, path: string, notes: string[]): State {
  const folder = doneFolderIn(path);
  if (folder !== null && (said === null || !isFinal(said))) {
    notes.push(`counts as completed, because it lies in ${folder}/`);
    return 'completed';
  }
  if (said === null)
    notes.push(
      word === null
        ? 'says no status, so it is open'
        : `its status ${JSON.stringify(word.slice(0, 60))} is not known, so it is open`,
    );
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
  // "ivy → basil" says who, not what.
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

const KEPT_FORMS = new Set(['front-matter', 'bold-fields', 'header-lines', 'yaml', 'json', 'table']);
/** All structure, from the first line to the last. */
const WHOLE_FORMS = new Set(['front-matter', 'yaml', 'json']);
const KEPT_MAX = 60;
/** Further down, what looks like a field is mostly a sentence. */
const HEAD_LINES = 20;

/** The whole text is kept below; these are here for whoever searches by field. */
function legacyOf({ reading }: Candidate): { readonly [key: string]: Said } {
  const roles = new Set([reading.from, reading.to, reading.created, reading.title].map((found) => found?.path));
  const kept = reading.fields.filter(({ path, key, text, form, line }) => {
    const isOurs = roles.has(path) || (meaningsOf(key).length > 0 && path.includes('['));
    return (
      KEPT_FORMS.has(form) &&
      (WHOLE_FORMS.has(form) || line <= HEAD_LINES) &&
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
