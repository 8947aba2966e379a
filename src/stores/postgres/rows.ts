/** Record ↔ row. What equals the default is stored as null, which is what nearly every row has. */
import { assert, present } from '../../foundation/assert.ts';
import type { JsonText } from '../../foundation/json.ts';
import { dueAtOf } from '../../domain/deadlines.ts';
import { KINDS, NO_LINEAGE, type Custody, type Handoff } from '../../domain/handoff.ts';
import type { AgentId, HandoffId, SessionId } from '../../domain/names.ts';
import { PRIORITIES, rankOf } from '../../domain/priority.ts';
import { DEFAULT_TERMS } from '../../domain/terms.ts';
import type { Row } from './link.ts';
import { BLOCKED_REASONS, stateNumber, stateOfNumber } from '../numbers.ts';
import {
  readBlockedOn,
  readClaims,
  readHolding,
  readLineage,
  readTerms,
  soundRow,
  writeLineage,
  writeStateText,
  writeTerms,
} from '../written-parts.ts';

/** Name and type. */
export type Column = readonly [name: string, type: string];

/** What moves change, as `changingValues` fills it. */
export const CHANGING = [
  ['revision', 'integer'],
  ['state', 'smallint'],
  ['since', 'bigint'],
  ['offered_at', 'bigint'],
  ['not_before', 'bigint'],
  ['rank', 'bigint'],
  ['due_at', 'bigint'],
  ['attempt', 'integer'],
  ['excused', 'integer'],
  ['fence', 'integer'],
  ['session', 'text'],
  ['holder', 'text'],
  ['until_at', 'bigint'],
  ['blocked', 'smallint'],
  ['question', 'text'],
  ['claims', 'text'],
  ['trail', 'text'],
] as const satisfies readonly Column[];

/** What never changes, as `fixedValues` fills it. */
export const FIXED = [
  ['id', 'text'],
  ['kind', 'smallint'],
  ['sender', 'text'],
  ['recipient', 'text'],
  ['priority', 'smallint'],
  ['title', 'text'],
  ['task', 'text'],
  ['lineage', 'text'],
  ['terms', 'text'],
  ['created_at', 'bigint'],
] as const satisfies readonly Column[];

/** Null and undefined are the same to the database; undefined is not even sent. */
type Columns<Of extends readonly Column[]> = Record<Of[number][0], string | number | null | undefined>;

/** What nearly every row has is not sent either; `filled` says what it is. */
const USUAL: Readonly<Record<string, string>> = {
  kind: String(KINDS.indexOf('queue')),
  priority: String(PRIORITIES.indexOf('normal')),
  not_before: '0',
  attempt: '0',
  excused: '0',
  fence: '0',
};

function unusual(name: keyof typeof USUAL, value: number): number | undefined {
  return String(value) === USUAL[name] ? undefined : value;
}

/** For reading, from `handoff h join body b`, in the order in which `readRow` expects them. */
export const ROW_COLUMNS =
  'b.id, b.kind, b.sender, b.recipient, b.priority, b.title, b.task, b.lineage, b.terms, b.created_at, h.revision, ' +
  'h.state, h.since, h.offered_at, h.not_before, h.attempt, h.excused, h.fence, h.session, h.holder, h.until_at, ' +
  'h.blocked, h.question, h.claims, h.trail';
/** The place of the first column after those. */
export const AFTER_ROW = 25;
/** The same for what can be taken, with its place in the line, where all columns have one source. */
export const READY_COLUMNS = `${ROW_COLUMNS.replaceAll(/\b[bh]\./g, '')}, rank, n`;

export function fixedValues(handoff: Handoff): Columns<typeof FIXED> {
  return {
    id: handoff.id,
    kind: unusual('kind', KINDS.indexOf(handoff.kind)),
    sender: handoff.from,
    recipient: handoff.to,
    priority: unusual('priority', PRIORITIES.indexOf(handoff.priority)),
    title: handoff.title ?? undefined,
    task: handoff.task ?? undefined,
    lineage: writeLineage(handoff.lineage) ?? undefined,
    terms: writeTerms(handoff.kind, handoff.terms) ?? undefined,
    created_at: handoff.createdAt,
  };
}

export function changingValues(handoff: Handoff): Columns<typeof CHANGING> {
  const { custody, blockedOn } = handoff;
  return {
    revision: handoff.revision,
    state: stateNumber(handoff.state),
    since: handoff.since,
    offered_at: handoff.offeredAt,
    not_before: unusual('not_before', handoff.notBefore),
    rank: rankOf(handoff.offeredAt, handoff.priority),
    due_at: dueAtOf(handoff) ?? undefined,
    attempt: unusual('attempt', handoff.attempt),
    excused: unusual('excused', handoff.excused),
    fence: unusual('fence', handoff.fence),
    session: custody?.by === 'process' ? custody.session : undefined,
    holder: custody?.holder,
    until_at: custody?.by === 'hand' ? (custody.untilAt ?? undefined) : undefined,
    blocked: blockedOn === null ? undefined : BLOCKED_REASONS.indexOf(blockedOn.reason),
    question: writeStateText(handoff) ?? undefined,
    claims: handoff.claims.length === 0 ? undefined : JSON.stringify(handoff.claims),
    trail: handoff.trail,
  };
}

/** Throws an `UnreadableRecord` for what nobody of ours has written. */
export function readRow(row: Row): Handoff {
  return soundRow(row[0], () => handoffIn(row));
}

function handoffIn(row: Row): Handoff {
  const kind = present(KINDS[row[1] as number], 'a known kind');
  return {
    id: row[0] as HandoffId,
    revision: row[10] as number,
    state: present(stateOfNumber(row[11] as number), 'a known state'),
    kind,
    from: row[2] as AgentId,
    to: row[3] as AgentId,
    priority: present(PRIORITIES[row[4] as number], 'a known priority'),
    title: row[5] as string | null,
    task: row[6] as string | null,
    lineage: row[7] === null ? NO_LINEAGE : readLineage(row[7] as string),
    terms: row[8] === null ? DEFAULT_TERMS[kind] : readTerms(row[8] as string),
    createdAt: row[9] as number,
    since: row[12] as number,
    offeredAt: row[13] as number,
    notBefore: row[14] as number,
    attempt: row[15] as number,
    excused: row[16] as number,
    fence: row[17] as number,
    custody: readCustody(row),
    blockedOn: readBlockedOn(row[21] as number | null, row[22] as string | null),
    claims: row[23] === null ? [] : readClaims(row[23] as string),
    trail: row[24] as string,
  };
}

function readCustody(row: Row): Custody | null {
  const [session, holder, untilAt] = [row[18] as SessionId | null, row[19] as AgentId | null, row[20] as number | null];
  if (holder === null) return null;
  return session === null
    ? { by: 'hand', holder, untilAt, ...readHolding(row[22] as string | null) }
    : { by: 'process', holder, session };
}

/** Objects as one JSON object. Spreading them into a new one first is several times slower. */
export function oneObject(...parts: readonly object[]): string {
  const inside = parts.map((part) => JSON.stringify(part).slice(1, -1)).filter((text) => text !== '');
  return `{${inside.join(',')}}`;
}

/** JSON text holds no bare control characters, so one can stand between the texts and another for none. */
const BETWEEN = '\u0001';
const NONE = '\u0002';

/** Many large texts as one parameter: as fast as one parameter each, and several times faster than inside JSON. */
export function joined(texts: readonly (JsonText | null)[]): string {
  for (const text of texts) {
    if (text !== null) assert(!text.includes(BETWEEN) && !text.includes(NONE), 'JSON has no bare control characters');
  }
  return texts.map((text) => text ?? NONE).join(BETWEEN);
}

/** The pair of `joined`, in SQL. */
export function split(parameter: string): string {
  return `unnest(string_to_array(${parameter}::text, E'\\x01', E'\\x02'))`;
}

/** `name type, …` for a set of columns. */
export function typed(columns: readonly Column[]): string {
  return columns.map(([name, type]) => `${name} ${type}`).join(', ');
}

export function named(columns: readonly Column[], of = ''): string {
  return columns.map(([name]) => `${of}${name}`).join(', ');
}

/** The same with what was left out put in; `more` is usual for a new record only. */
export function filled(columns: readonly Column[], more: Readonly<Record<string, string>> = {}): string {
  return columns
    .map(([name]) => ({ name, usual: more[name] ?? USUAL[name] }))
    .map(({ name, usual }) => (usual === undefined ? name : `coalesce(${name}, ${usual}) as ${name}`))
    .join(', ');
}
