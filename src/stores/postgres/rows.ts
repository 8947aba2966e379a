/** Record ↔ row, with the columns that all databases share. Default values and null are not sent. */
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
import { OFFERED } from './sql-numbers.ts';

/** Name and type. */
export type Column = readonly [name: string, type: string];

const columnsOf = (columns: readonly RecordColumn[]): readonly Column[] =>
  columns.map(({ name, type }) => [name, type] as const);

export const CHANGING = columnsOf(CHANGING_COLUMNS);
export const FIXED = columnsOf(FIXED_COLUMNS);
export const REVISED = columnsOf(REVISED_COLUMNS);

/** The default values, which are not sent; `filled` adds them in SQL. */
const USUAL: Readonly<Record<string, string>> = Object.fromEntries(
  [...FIXED_COLUMNS, ...CHANGING_COLUMNS]
    .filter(({ usual }) => usual !== undefined && usual !== null)
    .map(({ name, usual }) => [name, String(usual)]),
);

/** The columns to read, from `handoff h join body b`. */
export const ROW_COLUMNS = READ_COLUMNS.map(({ name, changes }) => `${changes ? 'h' : 'b'}.${name}`).join(', ');
/** The index of the first column after `ROW_COLUMNS`. */
export const AFTER_ROW = READ_COLUMNS.length;
/** The index of a column in `ROW_COLUMNS`. */
export function placeOf(column: string): number {
  return READ_COLUMNS.findIndex(({ name }) => name === column);
}
/** The same with the order of claims, from a single source. */
export const READY_COLUMNS = `${ROW_COLUMNS.replaceAll(/\b[bh]\./g, '')}, rank, n`;

/** This database stores agents and sessions by name. */
const BY_NAME: Ids = {
  agentNumber: (agent) => agent,
  agentName: (stored: AgentId) => stored,
  sessionNumber: (session) => session,
  sessionName: (stored: SessionId) => stored,
};

/** Default values of a new record. */
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

/** The columns that moves change, in the same form; `filled` is the other half. */
export function changedColumns(handoff: Handoff): string {
  return columnsText(CHANGE_WRITERS, handoff);
}

/** The columns that only a revision of a draft changes. */
export function revisedColumns(handoff: Handoff): string {
  return columnsText(REVISION_WRITERS, handoff);
}

/** Writes text directly: building an object per record and serializing it costs more than all columns. */
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

/** Throws an `UnreadableRecord` for a row that no version of Baton writes. */
export function readRow(row: Row): Handoff {
  return read(row, BY_NAME);
}

/** One JSON object from the contents of several, and the fields of another. */
export function oneObject(insides: readonly string[], rest: object): string {
  return `{${[...insides, JSON.stringify(rest).slice(1, -1)].filter((inside) => inside !== '').join(',')}}`;
}

/** JSON text contains no control characters, so one separates the texts and another stands for null. */
const BETWEEN = '\u0001';
const NONE = '\u0002';

/** Joins many large texts into one parameter: several times faster than inside JSON. */
export function joined(texts: readonly (JsonText | null)[]): string {
  for (const text of texts) {
    if (text !== null) assert(!text.includes(BETWEEN) && !text.includes(NONE), 'JSON has no bare control characters');
  }
  return texts.map((text) => text ?? NONE).join(BETWEEN);
}

/** The inverse of `joined`, in SQL. */
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

/** `named`, with defaults for values that were not sent. */
export function filled(columns: readonly Column[], isNew = false): string {
  return columns
    .map(([name]) => ({ name, usual: (isNew ? AT_FIRST[name]?.sql : undefined) ?? USUAL[name] }))
    .map(({ name, usual }) => (usual === undefined ? name : `coalesce(${name}, ${usual}) as ${name}`))
    .join(', ');
}
