/** Creates the file of a task that a migrated handoff needs. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { keyText, valueText, type Said } from '../../formats/document/yaml-text.ts';
import { STANDING_FOR } from '../../formats/task/vocabulary.ts';
import type { Migrate } from '../../engine/migration/plan.ts';
import { writeDurably } from '../../foundation/atomic-file.ts';
import { realFolder } from './real-folder.ts';

/** False: the file is there already. */
export async function makeTask(
  { root, drafts }: { readonly root: string; readonly drafts: string },
  { task, mapped, id }: Migrate,
): Promise<boolean> {
  await realFolder(root, 'tasks');
  const path = join(root, 'tasks', `${task.id}.md`);
  if ((await lstat(path).catch(() => null)) !== null) return false;
  const standing = STANDING_FOR[mapped.state];
  const fields: { readonly [key: string]: Said } = {
    id: task.id,
    title: mapped.title,
    status: standing?.status ?? 'Created',
    owner: standing?.owner === 'sender' ? mapped.from : mapped.to,
    created: new Date(mapped.createdAt).toISOString().slice(0, 10),
    source: `migrated with ${id}`,
    migrated_for: task.madeFor,
  };
  const lines = Object.entries(fields).map(([key, value]) => `${keyText(key)}:${valueText(value)}`);
  await writeDurably(path, `---\n${lines.join('\n')}\n---\n\n# ${task.id}: ${mapped.title}\n`, { draftFolder: drafts });
  return true;
}
