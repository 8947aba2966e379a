/** The columns of a fact, shared by both databases. Fact type, previous state and next state are one number, `step`. */
import { blankFact, FACT_EXTRA, type Fact } from '../domain/facts.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { HandoffId } from '../domain/names.ts';
import { readStep, stepNumber } from './stored-numbers.ts';
import type { ColumnValue } from './record-columns.ts';

export interface FactColumn {
  readonly name: string;
  readonly type: 'text' | 'smallint' | 'integer' | 'bigint';
  /** The field of the record that nearly always equals this column of its newest fact, and the column of that field. */
  readonly like?: readonly [field: keyof Handoff, column: string];
  /** The value that null stands for. */
  readonly usual?: ColumnValue;
  write(fact: Fact): ColumnValue;
}

/** In the order in which `readFact` expects them. */
export const FACT_COLUMNS: readonly FactColumn[] = [
  { name: 'revision', type: 'integer', write: ({ revision }) => revision },
  { name: 'at', type: 'bigint', write: ({ at }) => at, like: ['since', 'since'] },
  { name: 'by', type: 'text', write: ({ by }) => by },
  { name: 'step', type: 'smallint', write: ({ deed, from, to }) => stepNumber(deed, from, to) },
  { name: 'attempt', type: 'integer', write: ({ attempt }) => attempt, like: ['attempt', 'attempt'] },
  { name: 'fence', type: 'integer', write: ({ fence }) => fence, like: ['fence', 'fence'] },
  { name: 'detail', type: 'text', write: ({ detail }) => detail, usual: '' },
  { name: 'hash', type: 'text', write: ({ hash }) => hash, like: ['trail', 'trail'] },
  { name: 'extra', type: 'text', write: FACT_EXTRA.write },
];

/** `prefix` is the name of the table, with a dot. */
export function factNames(prefix = ''): string {
  return FACT_COLUMNS.map(({ name }) => `${prefix}${name}`).join(', ');
}

/** Reads the columns of `factNames`, starting at index `first`. */
export function readFact(handoff: HandoffId, row: readonly unknown[], first: number): Fact {
  const step = readStep(row[first + 3] as number);
  const fact = blankFact();
  fact.handoff = handoff;
  fact.revision = row[first] as number;
  fact.at = row[first + 1] as number;
  fact.by = row[first + 2] as string;
  fact.deed = step.deed;
  fact.from = step.from;
  fact.to = step.to;
  fact.attempt = row[first + 4] as number;
  fact.fence = row[first + 5] as number;
  fact.detail = (row[first + 6] as string | null) ?? '';
  fact.hash = row[first + 7] as string;
  FACT_EXTRA.read(fact, row[first + 8] as string | null);
  return fact;
}
