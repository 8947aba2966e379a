/**
 * Writes the rows of insert, claim and change. Everything here runs inside a shared transaction, after the decisions.
 */
import type { JsonText } from '../../foundation/json.ts';
import { isInboxKind, type Decision } from '../../domain/decision.ts';
import { ERASED_DETAIL, isErasure } from '../../domain/erasure.ts';
import type { Handoff } from '../../domain/handoff.ts';
import { isFinal, STATES } from '../../domain/lifecycle.ts';
import type { AgentId, HandoffId } from '../../domain/names.ts';
import type { Sql, Value } from './binding.ts';
import type { RowNumbers } from './row-numbers.ts';
import type { LimitCounters } from './limits.ts';
import { ALL, allValues, CHANGING, changingValues, REVISED, revisedValues } from './rows.ts';
import { NEVER } from './schema.ts';
import { FACT_COLUMNS, factNames } from '../fact-columns.ts';
import { effectKeysOf } from '../effect-keys.ts';
import { ERASE_STEPS, stateNumber } from '../stored-numbers.ts';
import { wordsOf } from '../search-words.ts';

/** Whom to notify after the commit. */
export interface PendingNotices {
  readonly offeredTo: Set<AgentId>;
  settled: boolean;
}

export interface RowWriter {
  /** Called with the write lock, before anything is written. */
  begin(): void;
  add(decision: Decision, body: JsonText, nowMs: number): void;
  /** Guarded by the revision. False: the record has changed since, and nothing was written. */
  update(before: Handoff, decision: Decision, nowMs: number): boolean;
  /** Removes a record from the full-text index, if it is indexed. */
  forgetWords(n: number, record: Pick<Handoff, 'title' | 'task'>): void;
  readonly pendingNotices: PendingNotices;
}

const marks = (columns: string): string => columns.replace(/\w+/g, '?');

export function rowWriterOf(sql: Sql, names: RowNumbers, counters: LimitCounters): RowWriter {
  const insertRow = sql(`INSERT INTO handoff (${ALL}, waits) VALUES (${marks(ALL)}, 0)`);
  const updateRow = sql(`UPDATE handoff SET (${CHANGING}) = (${marks(CHANGING)}) WHERE n = ? AND revision = ?`);
  const insertBody = sql('INSERT INTO body (handoff, text) VALUES (?, ?)');
  const reviseRow = sql(
    `UPDATE handoff SET (${CHANGING}, ${REVISED}) = (${marks(`${CHANGING}, ${REVISED}`)}) WHERE n = ? AND revision = ?`,
  );
  const reviseBody = sql('UPDATE body SET text = ? WHERE handoff = ?');
  const indexedBody = sql('SELECT text FROM body WHERE handoff = ? AND handoff <= (SELECT n FROM indexed)');
  const removeWords = sql("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)");
  const addWords = sql('INSERT INTO words (rowid, text) VALUES (?, ?)');
  const putOutcome = sql(
    'INSERT INTO outcome (handoff, text) VALUES (?, ?) ON CONFLICT (handoff) DO UPDATE SET text = excluded.text',
  );
  const eraseFacts = sql(`UPDATE fact SET detail = '${ERASED_DETAIL}'
     WHERE handoff = ? AND revision < ? AND detail <> '' AND step NOT IN (${ERASE_STEPS.join()})`);
  // Unsent effects are never sent; their keys stay used.
  const eraseEffects = sql("UPDATE effect SET payload = '{}', done = 1 WHERE key > ? AND key < ?");
  const insertFact = sql(`INSERT INTO fact (handoff, ${factNames()}) VALUES (?, ${marks(factNames())})`);
  const insertEffect = sql(
    'INSERT INTO effect (key, kind, payload, due_at) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING',
  );
  const insertDependency = sql('INSERT INTO dependency (handoff, needs) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const countUnmet = sql(`UPDATE handoff SET waits = (
       SELECT count(*) FROM dependency LEFT JOIN handoff needed ON needed.id = dependency.needs
       WHERE dependency.handoff = handoff.n AND needed.state IS NOT ${stateNumber('completed')}
     ) WHERE n = ?`);
  const decrementWaits = sql(`UPDATE handoff SET waits = waits - 1
     WHERE n IN (SELECT handoff FROM dependency WHERE needs = ?) AND state < ${STATES.findIndex(isFinal)}`);
  const secureDelete = sql('PRAGMA secure_delete = ON');
  const anyNeeded = sql('SELECT 1 FROM dependency LIMIT 1');
  const isNeeded = sql('SELECT 1 FROM dependency WHERE needs = ? LIMIT 1');
  /** Whether there are any dependencies. Null: not read yet in this transaction. */
  let hasDependencies: boolean | null = null;
  const pendingNotices: PendingNotices = { offeredTo: new Set(), settled: false };

  /** Checks first, because that costs a quarter of an update without rows, and few handoffs have dependents. */
  const countDownDependents = (id: HandoffId): void => {
    hasDependencies ??= anyNeeded.get() !== undefined;
    if (hasDependencies && isNeeded.get(id) !== undefined) decrementWaits.run(id);
  };

  /** The index stores no texts, so removing a row needs the words that it held. */
  const reviseText = (n: number, before: Handoff, next: Handoff, body: JsonText): void => {
    const indexed = indexedBody.get(n)?.[0];
    reviseBody.run(body, n);
    if (typeof indexed !== 'string') return;
    removeWords.run(n, wordsOf(before, indexed).join(' '));
    addWords.run(n, wordsOf(next, body).join(' '));
  };

  const writeRest = (n: number, before: Handoff | null, decision: Decision, nowMs: number): void => {
    const { handoff, facts, outcome, effects } = decision;
    for (const fact of facts) {
      const values: Value[] = [n];
      for (const column of FACT_COLUMNS) values.push(column.write(fact));
      insertFact.run(...values);
    }
    if (outcome !== undefined) putOutcome.run(n, outcome);
    for (const { key, kind, payload } of effects ?? []) {
      insertEffect.run(key, kind, payload, isInboxKind(kind) ? NEVER : nowMs);
    }
    counters.count(before, handoff);
    if (handoff.state === 'completed') countDownDependents(handoff.id);
    if (handoff.state === 'offered') pendingNotices.offeredTo.add(handoff.to);
    if (isFinal(handoff.state)) pendingNotices.settled = true;
  };

  return {
    pendingNotices,
    forgetWords: (n, record) => {
      const indexed = indexedBody.get(n)?.[0];
      if (typeof indexed === 'string') removeWords.run(n, wordsOf(record, indexed).join(' '));
    },
    begin: () => {
      hasDependencies = null;
    },
    add: (decision, body, nowMs) => {
      const { handoff } = decision;
      const n = insertRow.insert(...allValues(handoff, nowMs, names));
      insertBody.run(n, body);
      const { dependsOn } = handoff.terms;
      if (dependsOn.length > 0) hasDependencies = true;
      for (const needed of dependsOn) insertDependency.run(n, needed);
      if (dependsOn.length > 0 && !isFinal(handoff.state)) countUnmet.run(n);
      writeRest(n, null, decision, nowMs);
    },
    update: (before, decision, nowMs) => {
      const { handoff } = decision;
      const n = names.handoffNumber(before.id);
      if (n === null) return false;
      const changing = changingValues(handoff, nowMs, names);
      const { body } = decision;
      const erasure = decision.facts.find(isErasure);
      // Erased content is also overwritten in the file.
      if (erasure !== undefined) secureDelete.get();
      const updated =
        body === undefined
          ? updateRow.run(...changing, n, before.revision)
          : reviseRow.run(...changing, ...revisedValues(handoff, names), n, before.revision);
      if (updated === 0) return false;
      if (body !== undefined) reviseText(n, before, handoff, body);
      if (erasure !== undefined) eraseFacts.run(n, erasure.revision);
      if (erasure !== undefined) eraseEffects.run(...effectKeysOf(before.id));
      writeRest(n, before, decision, nowMs);
      return true;
    },
  };
}
