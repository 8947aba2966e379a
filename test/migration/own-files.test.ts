/** Thousands of files that are no handoffs: those of this repository, and those of the packages that it uses. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFiles, findFilesWithoutGit } from '../../src/adapters/migration/find-files.ts';
import { scan } from '../../src/adapters/migration/scan.ts';
import { foreignFolderIn } from '../../src/engine/migration/foreign-folders.ts';
import { ROOT } from '../support/source-files.ts';

const terms = { below: '', hasFrom: false, hasTo: false };

describe('D14: files that are no handoffs', () => {
  it('nothing of this repository is moved, and only what lies in tests or documentation is listed', async () => {
    const found = await findFiles(ROOT);
    expect(found.paths.length).toBeGreaterThan(50);
    const { candidates, unclear } = await scan({ root: ROOT, found, terms, progress: () => undefined });
    expect(candidates.map(({ path }) => path)).toEqual([]);
    expect(unclear.filter(({ path }) => foreignFolderIn(path, '') === null)).toEqual([]);
  });

  it('nothing of the installed packages would be moved, if they were files of a project', async () => {
    const root = join(ROOT, 'node_modules');
    const found = await findFilesWithoutGit(root);
    expect(found.paths.length).toBeGreaterThan(200);
    const { candidates } = await scan({ root, found, terms, progress: () => undefined });
    expect(candidates.map(({ path }) => path)).toEqual([]);
  });
});
