import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesFor } from '../../src/interfaces/cli/glob-files.ts';
import { tempFolder } from '../support/processes.ts';

const NAMES = ['a.md', 'b.md', 'b.txt', '.hidden.md', '[odd].md', 'deep/c.md', 'deep/er/d.md', '.git/e.md'];

function folderWith(names: readonly string[]): string {
  const folder = tempFolder();
  for (const name of names) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), '');
  }
  return folder;
}

describe('patterns of file names', () => {
  it.each([
    ['*.md', ['[odd].md', 'a.md', 'b.md']],
    ['**/*.md', ['[odd].md', 'a.md', 'b.md', 'deep/c.md', 'deep/er/d.md']],
    ['deep/**/*.md', ['deep/c.md', 'deep/er/d.md']],
    ['*/*.md', ['deep/c.md']],
    ['.*.md', ['.hidden.md']],
    ['b.*', ['b.md', 'b.txt']],
    ['?.md', ['a.md', 'b.md']],
    ['[b-z].md', ['b.md']],
    ['[!b].md', ['a.md']],
    ['[odd].md', ['[odd].md']],
    ['[z-a].md', []],
    ['[.md', []],
    ['none/*.md', []],
    ['a.md', ['a.md']],
  ])('%s', (pattern, expected) => {
    const folder = folderWith(NAMES);
    const found = filesFor(`${folder}/${pattern}`);
    expect(found.map((path) => path.slice(folder.length + 1))).toEqual(expected);
  });

  it('a pattern with many stars is answered at once', () => {
    const folder = folderWith(['a'.repeat(200)]);
    expect(filesFor(`${folder}/${'*a'.repeat(60)}*b`)).toEqual([]);
    expect(filesFor(`${folder}/${'*a'.repeat(60)}*`)).toHaveLength(1);
  });
});
