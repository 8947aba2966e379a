/** The text of a migrated document: its fields, and below them the old texts as they were. */
import { instantText } from '../../foundation/instant-text.ts';
import { editDocument } from '../../formats/document/edit.ts';
import { writeDocument } from '../../formats/document/write.ts';
import { originalsText, type Original } from '../../formats/legacy/originals.ts';
import type { Migrate } from './plan.ts';

export function migratedDocument(step: Migrate, originals: readonly Original[], nowMs: number): string {
  const { id, task, mapped, sources } = step;
  const plain = writeDocument({ ...mapped.fields, handoff_id: id, related_task: task.id });
  const marked = editDocument(plain, {
    ...mapped.extra,
    migrated_at: instantText(nowMs),
    migrated_from: sources.map(({ path, sha256, changedAt, is }) => {
      const changed = changedAt === null ? {} : { changed: instantText(changedAt) };
      return { path, sha256, is, ...changed };
    }),
    ...(Object.keys(mapped.legacy).length === 0 ? {} : { legacy: mapped.legacy }),
  });
  return marked + originalsText(originals);
}
