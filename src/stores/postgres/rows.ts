/** Record ↔ row, by the columns that all databases share. What is usual or null is not sent. */
import { assert } from '../../foundation/assert.ts';
import type { JsonText } from '../../foundation/json.ts';
import type { Handoff } from '../../domain/handoff.ts';
import type { AgentId, SessionId } from '../../domain/names.ts';
import {
  CHANGING_COLUMNS,
  FIXED_COLUMNS,
  READ_COLUMNS,
  recordReader,
  REVISED_COLUMNS,
  type ColumnValue,
  type Ids,
  type RecordColumn,
} from '../record-columns.ts';
import type { Row } from './driver.ts';
import { OFFERED } from './numbers.ts';

/** Name and type. */
export type Column = readonly [name: string, type: string];

const columnsOf = (columns: readonly RecordColumn[]): readonly Column[] =>
  columns.map(({ name, type }) => [name, type] as const);

export const CHANGING = columnsOf(CHANGING_COLUMNS);
export const FIXED = columnsOf(FIXED_COLUMNS);
export const REVISED = columnsOf(REVISED_COLUMNS);

/** What nearly every row has is not sent; `filled` puts it in. */
const USUAL: Readonly<Record<string, string>> = Object.fromEntries(
  [...FIXED_COLUMNS, ...CHANGING_COLUMNS]
    .filter(({ usual }) => usual !== undefined && usual !== null)
    .map(({ name, usual }) => [name, String(usual)]),
);

/** For reading, from `handoff h join body b`. */
export const ROW_COLUMNS = READ_COLUMNS.map(({ name, changes }) => `${changes ? 'h' : 'b'}.${name}`).join(', ');
/** The place of the first column after those. */
export const AFTER_ROW = READ_COLUMNS.length;
/** The place of a column among those. */
export function placeOf(column: string): number {
  return READ_COLUMNS.findIndex(({ name }) => name === column);
}
/** The same for what can be taken, with its place in the line, where all columns have one source. */
export const READY_COLUMNS = `${ROW_COLUMNS.replaceAll(/\b[bh]\./g, '')}, rank, n`;

/** Agents and sessions have no numbers here. */
const BY_NAME: Ids = {
  agentNumber: (agent) => agent,
  agentName: (stored: AgentId) => stored,
  sessionNumber: (session) => session,
  sessionName: (stored: SessionId) => stored,
};

/** What a new record has unless it says otherwise. */
const AT_FIRST: Readonly<Record<string, { readonly sql: string; is(handoff: Handoff): boolean }>> = {
  revision: { sql: '1', is: ({ revision }) => revision === 1 },
  state: { sql: String(OFFERED), is: ({ state }) => state === 'offered' },
  since: { sql: 'created_at', is: ({ since, createdAt }) => since === createdAt },
  offered_at: { sql: 'created_at', is: ({ offeredAt, createdAt }) => offeredAt === createdAt },
};

interface Writer extends Pick<RecordColumn, 'usual' | 'write'> {
  /** `"name":` */
  readonly key: string;
  readonly atFirst: ((handoff: Handoff) => boolean) | undefined;
}

const writersOf = (columns: readonly RecordColumn[], isNew: boolean): readonly Writer[] =>
  columns.map(({ name, usual, write }) => ({
    key: `"${name}":`,
    usual,
    write,
    atFirst: isNew ? AT_FIRST[name]?.is : undefined,
  }));

const NEW_WRITERS = writersOf([...FIXED_COLUMNS, ...CHANGING_COLUMNS], true);
const CHANGE_WRITERS = writersOf(CHANGING_COLUMNS, false);
const REVISION_WRITERS = writersOf(REVISED_COLUMNS, false);

/** The columns of a new record as the inside of a JSON object; `filled` with `AT_FIRST` is the other half. */
export function newColumns(handoff: Handoff): string {
  return columnsText(NEW_WRITERS, handoff);
}

/** What moves change, in the same way; `filled` without more is the other half. */
export function changedColumns(handoff: Handoff): string {
  return columnsText(CHANGE_WRITERS, handoff);
}

/** What a revision of a draft changes beside that. */
export function revisedColumns(handoff: Handoff): string {
  return columnsText(REVISION_WRITERS, handoff);
}

/** Text at once: making an object of each record first, only to write it as JSON, costs more than the columns. */
function columnsText(writers: readonly Writer[], handoff: Handoff): string {
  let written = '';
  for (const { key, usual, write, atFirst } of writers) {
    const value = write(handoff, BY_NAME);
    if (value === null || value === usual || atFirst?.(handoff) === true) continue;
    written += `${written === '' ? '' : ','}${key}${jsonOf(value)}`;
  }
  return written;
}

export function jsonOf(value: ColumnValue): string {
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

const read = recordReader(0);

/** Throws an `UnreadableRecord` for what nobody of ours has written. */
export function readRow(row: Row): Handoff {
  return read(row, BY_NAME);
}

/** One JSON object of the insides of several, and of the fields of another. */
export function oneObject(insides: readonly string[], rest: object): string {
  return `{${[...insides, JSON.stringify(rest).slice(1, -1)].filter((inside) => inside !== '').join(',')}}`;
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

/** The same with what was left out put in. */
export function filled(columns: readonly Column[], isNew = false): string {
  return columns
    .map(([name]) => ({ name, usual: (isNew ? AT_FIRST[name]?.sql : undefined) ?? USUAL[name] }))
    .map(({ name, usual }) => (usual === undefined ? name : `coalesce(${name}, ${usual}) as ${name}`))
    .join(', ');
}
