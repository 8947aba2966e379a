/** The file of a task that a migrated handoff needs and nobody had written. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { keyText, valueText, type Said } from '../../formats/document/yaml-text.ts';
import type { Migrate } from '../../engine/migration/plan.ts';
import { writeDurably } from '../../foundation/atomic-file.ts';
import { realFolder } from './real-folder.ts';

const STATUS = {
  Created: 'Created',
  Active: 'Assigned',
  Acknowledged: 'In-Progress',
  Complete: 'Complete',
  Expired: 'Assigned',
  Rejected: 'Assigned',
} as const;

/** False: it was there. */
export async function makeTask(
  { root, drafts }: { readonly root: string; readonly drafts: string },
  { task, mapped, id }: Migrate,
): Promise<boolean> {
  await realFolder(root, 'tasks');
  const path = join(root, 'tasks', `${task.id}.md`);
  if ((await lstat(path).catch(() => null)) !== null) return false;
  const goesBack = mapped.status === 'Expired' || mapped.status === 'Rejected';
  const fields: { readonly [key: string]: Said } = {
    id: task.id,
    title: mapped.title,
    status: STATUS[mapped.status],
    owner: goesBack ? mapped.from : mapped.to,
    created: new Date(mapped.createdAt).toISOString().slice(0, 10),
    source: `migrated with ${id}`,
    migrated_for: task.madeFor,
  };
  const lines = Object.entries(fields).map(([key, value]) => `${keyText(key)}:${valueText(value)}`);
  await writeDurably(path, `---\n${lines.join('\n')}\n---\n\n# ${task.id}: ${mapped.title}\n`, { draftFolder: drafts });
  return true;
}
