/** Record ↔ row, with the columns that all databases share. `ready` exists only here, because it depends on the time. */
import type { Handoff } from '../../domain/handoff.ts';
import {
  CHANGING_COLUMNS,
  FIXED_COLUMNS,
  READ_COLUMNS,
  recordReader,
  REVISED_COLUMNS,
  type RecordColumn,
} from '../record-columns.ts';
import type { Row, Value } from './binding.ts';
import type { RowNumbers } from './row-numbers.ts';

const named = (columns: readonly RecordColumn[]): string => columns.map(({ name }) => name).join(', ');

/** Columns that moves change, in the order of `changingValues`. */
export const CHANGING = `${named(CHANGING_COLUMNS)}, ready`;
/** All written columns, in the order of `allValues`. */
export const ALL = `${named(FIXED_COLUMNS)}, ${CHANGING}`;
/** Further columns that a revision of a draft changes, in the order of `revisedValues`. */
export const REVISED = named(REVISED_COLUMNS);
/** Columns for `readRow`, in its order. */
export const ROW_COLUMNS = `n, ${named(READ_COLUMNS)}`;

const writersOf = (columns: readonly RecordColumn[]): readonly RecordColumn['write'][] =>
  columns.map(({ write }) => write);
const WRITE_ALL = writersOf([...FIXED_COLUMNS, ...CHANGING_COLUMNS]);
const WRITE_CHANGING = writersOf(CHANGING_COLUMNS);

export function allValues(handoff: Handoff, nowMs: number, names: RowNumbers): Value[] {
  return valuesOf(WRITE_ALL, handoff, nowMs, names);
}

export function changingValues(handoff: Handoff, nowMs: number, names: RowNumbers): Value[] {
  return valuesOf(WRITE_CHANGING, handoff, nowMs, names);
}

export function revisedValues(handoff: Handoff, names: RowNumbers): Value[] {
  return REVISED_COLUMNS.map(({ write }) => write(handoff, names));
}

function valuesOf(
  writers: readonly RecordColumn['write'][],
  handoff: Handoff,
  nowMs: number,
  names: RowNumbers,
): Value[] {
  const count = writers.length;
  const values: Value[] = [];
  for (let place = 0; place < count; place += 1) values.push((writers[place] as RecordColumn['write'])(handoff, names));
  values.push(handoff.state === 'offered' && handoff.notBefore <= nowMs ? 1 : 0);
  return values;
}

export interface ReadRow {
  readonly n: number;
  readonly handoff: Handoff;
}

const read = recordReader(1);

/** Throws an `UnreadableRecord` for a row that no version of Baton writes. */
export function readRow(row: Row, names: RowNumbers): ReadRow {
  return { n: row[0] as number, handoff: read(row, names) };
}
