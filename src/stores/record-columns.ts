/**
 * The columns of a handoff, derived once from the description of its fields. Both databases read and write them; they
 * differ only in how they store agents and sessions (`Ids`).
 */
import { present } from '../foundation/assert.ts';
import { dueAtOf } from '../domain/deadlines.ts';
import { blankHandoff, HANDOFF, KINDS, NO_LINEAGE, type Handoff, type Mutable } from '../domain/handoff.ts';
import type { AgentId, SessionId } from '../domain/names.ts';
import { PRIORITIES, rankOf } from '../domain/priority.ts';
import { extraOf, fieldsOf } from '../domain/record-fields.ts';
import type { Described } from '../domain/field-shapes.ts';
import { DEFAULT_TERMS } from '../domain/default-terms.ts';
import { BLOCKED_REASONS, stateNumber, stateOfNumber } from './stored-numbers.ts';
import {
  readBlockedOn,
  readClaims,
  readHandCustody,
  readLineage,
  readTerms,
  checkedRow,
  writeLineage,
  writeStateText,
  writeTerms,
} from './column-codecs.ts';

export type ColumnValue = string | number | null;
type Row = readonly unknown[];

/** How a database stores agents and sessions: by number or by name. */
export interface Ids {
  agentNumber(agent: AgentId): string | number;
  agentName(stored: never): AgentId;
  sessionNumber(session: SessionId): string | number | null;
  sessionName(stored: never): SessionId;
}

export interface RecordColumn {
  readonly name: string;
  readonly type: 'text' | 'smallint' | 'integer' | 'bigint';
  readonly changes: boolean;
  /** Changes only with a revision of a draft. */
  readonly revised: boolean;
  /** The value in nearly every row. */
  readonly usual: ColumnValue | undefined;
  /** Computed from other fields: written, never read. */
  readonly derived: boolean;
  write(handoff: Handoff, ids: Ids): ColumnValue;
}

interface FieldCodec {
  readonly columns: readonly Omit<RecordColumn, 'changes' | 'revised' | 'usual' | 'derived'>[];
  /** `at(name)` is the index of a column. Called once, when the reader is made. */
  reader(at: (name: string) => number): FieldReader;
}
type FieldReader = (into: Mutable<Handoff>, row: Row, ids: Ids) => void;
type Writer = RecordColumn['write'];

/** The codec of a field in one column. */
function coded(
  stored: FieldCodec['columns'][number],
  read: (into: Mutable<Handoff>, value: unknown, ids: Ids) => void,
): FieldCodec {
  return {
    columns: [stored],
    reader: (at) => {
      const place = at(stored.name);
      return (into, row, ids) => read(into, row[place], ids);
    },
  };
}

/** The fields whose columns do not follow from their type. */
const CODECS: Partial<Record<keyof Handoff, FieldCodec>> = {
  state: coded(
    column('state', 'smallint', ({ state }) => stateNumber(state)),
    (into, value) => {
      into.state = present(stateOfNumber(value as number), 'a known state');
    },
  ),
  lineage: coded(
    column('lineage', 'text', ({ lineage }) => writeLineage(lineage)),
    (into, value) => {
      into.lineage = value === null ? NO_LINEAGE : readLineage(value as string);
    },
  ),
  // Read after `kind`, which determines the default terms.
  terms: coded(
    column('terms', 'text', ({ kind, terms }) => writeTerms(kind, terms)),
    (into, value) => {
      into.terms = value === null ? DEFAULT_TERMS[into.kind] : readTerms(value as string);
    },
  ),
  claims: coded(
    column('claims', 'text', ({ claims }) => (claims.length === 0 ? null : JSON.stringify(claims))),
    (into, value) => {
      into.claims = value === null ? [] : readClaims(value as string);
    },
  ),
  custody: {
    columns: [
      column('session', 'text', ({ custody }, ids) =>
        custody?.by === 'process' ? ids.sessionNumber(custody.session) : null,
      ),
      column('holder', 'text', ({ custody }, ids) => (custody === null ? null : ids.agentNumber(custody.holder))),
      column('until_at', 'bigint', ({ custody }) => custody?.untilAt ?? null),
    ],
    reader: (at) => {
      const [session, holder, until, text] = [at('session'), at('holder'), at('until_at'), at('question')];
      return (into, row, ids) => {
        if (row[holder] === null) return;
        const agent = ids.agentName(row[holder] as never);
        into.custody =
          row[session] === null
            ? {
                by: 'hand',
                holder: agent,
                untilAt: row[until] as number | null,
                ...readHandCustody(row[text] as string | null),
              }
            : {
                by: 'process',
                holder: agent,
                session: ids.sessionName(row[session] as never),
                ...(row[until] === null ? {} : { untilAt: row[until] as number }),
              };
      };
    },
  },
  blockedOn: {
    columns: [
      column('blocked', 'smallint', ({ blockedOn }) =>
        blockedOn === null ? null : BLOCKED_REASONS.indexOf(blockedOn.reason),
      ),
      column('question', 'text', writeStateText),
    ],
    reader: (at) => {
      const [blocked, text] = [at('blocked'), at('question')];
      return (into, row) => {
        if (row[blocked] !== null) into.blockedOn = readBlockedOn(row[blocked] as number, row[text] as string | null);
      };
    },
  },
};

/** A value of a closed set is stored as its index in the list. The lists only grow at their ends. */
const NUMBERED: Partial<Record<keyof Handoff, readonly string[]>> = { kind: KINDS, priority: PRIORITIES };

function column(name: string, type: RecordColumn['type'], write: Writer): FieldCodec['columns'][number] {
  return { name, type, write };
}

const COLUMN_TYPES: Partial<Record<Described['type'], RecordColumn['type']>> = {
  count: 'integer',
  instant: 'bigint',
  milliseconds: 'bigint',
  'one-of': 'smallint',
};

/** The codec of a field that is one value in one column. */
function plainCodec(name: keyof Handoff, columnName: string, shape: Described): FieldCodec {
  const stored = (write: Writer): FieldCodec['columns'][number] =>
    column(columnName, COLUMN_TYPES[shape.type] ?? 'text', write);
  const list = NUMBERED[name];
  if (list !== undefined) {
    return coded(
      stored((handoff) => list.indexOf(handoff[name] as string)),
      (into: Values, value) => {
        into[name] = present(list[value as number], `a known ${name}`);
      },
    );
  }
  if (shape.type === 'agent') {
    return coded(
      stored((handoff, ids) => ids.agentNumber(handoff[name] as AgentId)),
      (into: Values, value, ids) => {
        into[name] = ids.agentName(value as never);
      },
    );
  }
  // Without `coded`: one more call per value would cost more than the rest of reading a row.
  const reader = (at: (name: string) => number): FieldReader => {
    const place = at(columnName);
    return (into: Values, row) => {
      into[name] = row[place];
    };
  };
  return { columns: [stored((handoff) => handoff[name] as ColumnValue)], reader };
}

type Values = Record<keyof Handoff, unknown>;

const RECORD_EXTRA = extraOf(HANDOFF);
const EXTRA = { changes: true, revised: false, usual: null, derived: false } as const;

/** Computed from the record, for the indexes. */
const DERIVED = { changes: true, revised: false, usual: undefined, derived: true } as const;

const FIELDS = fieldsOf(HANDOFF)
  .filter(({ columns }) => columns !== null)
  .map(({ name, shape, columns, mutable: changes, revised, defaultValue: usual }) => {
    const key = name as keyof Handoff;
    const codec = CODECS[key] ?? plainCodec(key, columns?.[0] ?? name, shape);
    const list = NUMBERED[key];
    const stored = list === undefined ? usual : list.indexOf(usual as string);
    return { codec, changes, revised, usual: stored as ColumnValue | undefined };
  });

const COLUMNS: readonly RecordColumn[] = [
  ...FIELDS.flatMap(({ codec, changes, revised, usual }) =>
    codec.columns.map((each): RecordColumn => ({ ...each, changes, revised, usual, derived: false })),
  ),
  { ...column('extra', 'text', RECORD_EXTRA.write), ...EXTRA },
  { ...column('rank', 'bigint', ({ offeredAt, priority }) => rankOf(offeredAt, priority)), ...DERIVED },
  { ...column('due_at', 'bigint', dueAtOf), ...DERIVED },
];

/** Columns that no move changes. */
export const FIXED_COLUMNS = COLUMNS.filter(({ changes }) => !changes);
/** The fixed columns that a revision of a draft changes. */
export const REVISED_COLUMNS = COLUMNS.filter(({ revised }) => revised);
export const CHANGING_COLUMNS = COLUMNS.filter(({ changes }) => changes);
/** The columns that are read, in this order. */
export const READ_COLUMNS = [...FIXED_COLUMNS, ...CHANGING_COLUMNS].filter((each) => !each.derived);

/** Reads rows whose first columns, from `first` on, are `READ_COLUMNS`. */
export function recordReader(first: number): (row: Row, ids: Ids) => Handoff {
  const at = (name: string): number => {
    const place = READ_COLUMNS.findIndex((each) => each.name === name);
    if (place === -1) throw new Error(`no field has the column ${name}`);
    return first + place;
  };
  const readers = FIELDS.map(({ codec }) => codec.reader(at));
  const extra = at('extra');
  const id = at('id');
  const read = (row: Row, ids: Ids): Handoff => {
    const handoff = blankHandoff();
    for (const reader of readers) reader(handoff, row, ids);
    RECORD_EXTRA.read(handoff, row[extra] as string | null);
    return handoff;
  };
  return (row, ids) => checkedRow(row[id], () => read(row, ids));
}
