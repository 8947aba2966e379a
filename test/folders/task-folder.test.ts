import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TaskId } from '../../src/domain/names.ts';
import { DEFAULT_TASK_PATTERN } from '../../src/formats/task/names.ts';
import type { TaskFolder } from '../../src/folders/folder.ts';
import { openTaskFolder } from '../../src/folders/task-folder.ts';
import { tempFolder } from '../support/processes.ts';

const ID = 'BPRD-2026-0001' as TaskId;

function folderWith(text: string): { readonly tasks: TaskFolder; readonly path: string; readonly private: string } {
  const folder = tempFolder();
  mkdirSync(join(folder, 'tasks'));
  mkdirSync(join(folder, '.baton'));
  const path = join(folder, 'tasks', `${ID}.md`);
  writeFileSync(path, text);
  const privateFolder = join(folder, '.baton');
  const tasks = openTaskFolder({ folder, privateFolder, pattern: DEFAULT_TASK_PATTERN });
  return { tasks, path, private: join(privateFolder, 'tasks') };
}

describe('the folder of tasks', () => {
  it('D11: never writes over what a person has saved since it was read', async () => {
    const { tasks, path, private: drafts } = folderWith('status: Open\n');
    writeFileSync(path, 'status: Open\nand my own words\n');
    expect(await tasks.replace(ID, 'status: Assigned\n', 'status: Open\n')).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('status: Open\nand my own words\n');
    expect(readdirSync(drafts)).toEqual([]);
  });

  it('D11: never gives a name twice, and a number that is taken meanwhile is passed over', async () => {
    const { tasks, path } = folderWith('mine\n');
    expect(await tasks.put(ID, 'yours\n')).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe('mine\n');
    const made = await Promise.all(Array.from({ length: 20 }, () => tasks.create(2026, (id) => `id: ${id}\n`)));
    expect(new Set(made).size).toBe(20);
    expect(made.toSorted().at(-1)).toBe('BPRD-2026-0021');
  });
});
