/**
 * Removes finished handoffs and keeps a tombstone of each. The numbers of records and facts continue from the newest row,
 * and cursors are made of them: the newest record and the newest fact stay, so that no number is used twice.
 */
import { KINDS } from '../../domain/handoff.ts';
import { isFinal, STATES } from '../../domain/lifecycle.ts';
import type { HandoffId } from '../../domain/names.ts';
import { effectKeysOf } from '../effect-keys.ts';
import type { CopiesPage, Head, Removal, RemovedHandoff, Retention } from '../store.ts';
import type { Sql } from './binding.ts';
import type { HandoffParts } from './change.ts';
import { copyReader } from './transfer.ts';

const OPEN = `< ${STATES.findIndex(isFinal)}`;
const QUEUE = KINDS.indexOf('queue');
const ROOT = "coalesce(json_extract(h.lineage, '$.root'), h.id)";

/** The chain has a member that is open, newer than `before`, or a document; or something open depends on a member. */
const isNeeded = (before: string): string => `EXISTS (
  SELECT 1 FROM (
    SELECT id, state, kind, since FROM handoff WHERE id IN (h.id, ${ROOT})
    UNION ALL SELECT id, state, kind, since FROM handoff
      WHERE lineage IS NOT NULL AND json_extract(lineage, '$.root') = ${ROOT}
  ) member
  WHERE member.state ${OPEN} OR member.kind <> ${QUEUE} OR member.since >= ${before} OR EXISTS (
    SELECT 1 FROM dependency JOIN handoff waiting ON waiting.n = dependency.handoff
    WHERE dependency.needs = member.id AND waiting.state ${OPEN}))`;

/** New numbers continue from these. */
const IS_NEWEST = `(h.n = (SELECT max(n) FROM handoff)
  OR h.n = (SELECT handoff FROM fact WHERE seq = (SELECT max(seq) FROM fact)))`;

/** Deletes what belongs to one handoff, by its number. */
export const REMOVE_SQL = ['fact', 'body', 'outcome', 'dependency', 'verifier', 'artifact_use'].map(
  (table) => `DELETE FROM ${table} WHERE handoff = ?`,
);

export function retentionOf({ sql, names, writing, nowMs, read, write }: HandoffParts): Retention {
  const page = sql(`SELECT n, state ${OPEN} OR kind <> ${QUEUE} OR since >= ?2 OR ${IS_NEWEST} OR ${isNeeded('?2')}
     FROM handoff h WHERE n > ?1 ORDER BY n LIMIT ?3`);
  const numbers = 'SELECT value FROM json_each(?)';
  const copies = copyReader(sql, names, `WHERE handoff.n IN (${numbers}) ORDER BY n`, numbers);
  const find =
    sql(`SELECT n, trail, sender, recipient, title, task, ${IS_NEWEST} OR ${isNeeded(String(Number.MAX_SAFE_INTEGER))}
     FROM handoff h WHERE id = ?`);
  const addArchive = sql('INSERT INTO archive (name) VALUES (?) ON CONFLICT DO NOTHING');
  const addRemoved = sql(`INSERT INTO removed (id, sender, recipient, at, archive)
     VALUES (?, ?, ?, ?, (SELECT n FROM archive WHERE name = ?))`);
  const deletions = REMOVE_SQL.map(sql);
  const deleteEffects = sql('DELETE FROM effect WHERE key > ? AND key < ?');
  const deleteRow = sql('DELETE FROM handoff WHERE n = ?');

  const removed = removedReader(sql);

  const removeOne = ({ id, trail }: Head, archive: string, at: number): Removal => {
    const row = find.get(id);
    if (row === undefined) return removed([id])[0]?.archive === archive ? 'removed' : 'elsewhere';
    const [n, found, sender, recipient, title, task, needed] = row as unknown as RemovableRow;
    if (found !== trail) return 'changed';
    if (needed === 1) return 'needed';
    writing.forgetWords(n, { title, task });
    for (const deletion of deletions) deletion.run(n);
    deleteEffects.run(...effectKeysOf(id));
    deleteRow.run(n);
    addRemoved.run(id, sender, recipient, at, archive);
    return 'removed';
  };

  return {
    removable: (settledBefore, after, max) =>
      read(() => {
        const looked = page.all(after === null ? 0 : Number(after), settledBefore, max);
        const free = looked.filter(([, needed]) => needed === 0).map(([n]) => n as number);
        const { items, damaged } = free.length === 0 ? NOTHING : copies(JSON.stringify(free));
        return { items, damaged, next: looked.length < max ? null : String(looked.at(-1)?.[0]) };
      }),
    remove: (heads, archive) =>
      write(() => {
        const at = nowMs();
        addArchive.run(archive);
        const answers = heads.map((head) => removeOne(head, archive, at));
        // The cached numbers belong to deleted rows.
        names.forget();
        return answers;
      }),
    removed: (ids) => read(() => removed(ids)),
  };
}

type RemovableRow = readonly [
  n: number,
  trail: string,
  sender: number,
  recipient: number,
  title: string | null,
  task: string | null,
  needed: 0 | 1,
];

const NOTHING: Pick<CopiesPage, 'items' | 'damaged'> = { items: [], damaged: [] };

/** Reads the tombstones of the ids that were removed and not imported again. */
export function removedReader(sql: Sql): (ids: readonly HandoffId[]) => readonly RemovedHandoff[] {
  const find = sql(`SELECT sender.name, recipient.name, at, archive.name FROM removed
     JOIN agent sender ON sender.n = sender JOIN agent recipient ON recipient.n = recipient
     JOIN archive ON archive.n = archive WHERE id = ?`);
  return (ids) =>
    ids.flatMap((id) =>
      find.all(id).map((row) => {
        const [from, to, at, archive] = row as unknown as readonly [never, never, number, string];
        return { id, from, to, at, archive };
      }),
    );
}
