/** The columns of a fact, shared by both databases. What happened, from where and to where, is one number. */
import { blankFact, FACT_EXTRA, type Fact } from '../domain/facts.ts';
import type { Handoff } from '../domain/handoff.ts';
import type { HandoffId } from '../domain/names.ts';
import { readStep, stepNumber } from './numbers.ts';
import type { ColumnValue } from './record-columns.ts';

export interface FactColumn {
  readonly name: string;
  readonly type: 'text' | 'smallint' | 'integer' | 'bigint';
  /** The field of the record that nearly always says the same as the newest fact, and its column. */
  readonly like?: readonly [field: keyof Handoff, column: string];
  /** What is read where nothing was written. */
  readonly usual?: ColumnValue;
  write(fact: Fact): ColumnValue;
}

/** In the order in which `factReader` expects them. */
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

/** Reads the columns of `factNames`, which begin at the place `first`. */
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
