/** The text of a migrated document: the fields of a governed one, and below them the old texts as they were. */
import { editDocument } from '../../formats/document/edit.ts';
import { writeDocument } from '../../formats/document/write.ts';
import { originalsText, type Original } from '../../formats/legacy/originals.ts';
import type { Migrate, Source } from './plan.ts';

export function migratedDocument(step: Migrate, originals: readonly Original[], nowMs: number): string {
  const { id, task, mapped, sources } = step;
  const plain = writeDocument({ ...mapped.fields, handoff_id: id, related_task: task.id });
  const marked = editDocument(plain, {
    ...mapped.extra,
    migrated_at: new Date(nowMs).toISOString(),
    migrated_from: sources.map(sourceOf),
    ...(Object.keys(mapped.legacy).length === 0 ? {} : { legacy: mapped.legacy }),
  });
  return marked + originalsText(originals);
}

function sourceOf({ path, sha256, changedAt, is }: Source): { readonly [key: string]: string } {
  const changed = changedAt === null ? {} : { changed: new Date(changedAt).toISOString() };
  return { path, sha256, is, ...changed };
}
