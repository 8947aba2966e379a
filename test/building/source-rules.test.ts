import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesUnder, publishedFiles, ROOT } from '../support/source-files.ts';
import { judgePublished, judgeSource } from './source-rules.ts';

/** Fewer would mean that this test looks at nothing. */
const FILES_MIN = 10;

describe('the source rules', () => {
  it('hold in every source', () => {
    const files = filesUnder('src', '.ts');
    expect(files.length).toBeGreaterThan(FILES_MIN);
    expect(files.flatMap((file) => judgeSource(file, readText(file)))).toEqual([]);
  });

  it('let no published file name a package registry or a path of one machine', () => {
    const files = publishedFiles();
    expect(files.length).toBeGreaterThan(FILES_MIN);
    const texts = files.map((file) => ({ file, text: readText(file) })).filter(({ text }) => !text.includes('\0'));
    expect(texts.flatMap(({ file, text }) => judgePublished(file, text))).toEqual([]);
  });
});

describe('the judge of sources', () => {
  it.each([
    ['any as a type', 'let a: any;', 'src/a.ts:1 uses any'],
    ['any as a way out', '\nconst a = b as any;', 'src/a.ts:2 uses any'],
    ['a default export', 'export default 1;', 'src/a.ts:1 uses a default export'],
    ['a default function', 'export default function f() {}', 'src/a.ts:1 uses a default export'],
    ['a renamed default', 'const a = 1;\nexport { a as default };', 'src/a.ts:2 uses a default export'],
    ['an enum', 'export enum A { B }', 'src/a.ts:1 uses an enum'],
    ['a namespace', 'namespace A { }', 'src/a.ts:1 uses a namespace'],
    ['unfinished work', `// ${'TO' + 'DO'}: later`, 'src/a.ts:1 is unfinished'],
  ])('reports %s', (_what, text, complaint) => {
    expect(judgeSource('src/a.ts', text)).toEqual([complaint]);
  });

  it('is content with the same words where they mean nothing', () => {
    const text = "// any default enum\nconst any = 'as any';\nswitch (any) {\n  default:\n}\n";
    expect(judgeSource('src/a.ts', text)).toEqual([]);
    expect(judgeSource('src/a.ts', 'a;\n'.repeat(400))).toEqual([]);
  });

  const complaint = 'src/a.ts:2 writes a file and renames it; src/foundation/atomic-file.ts does that';

  it.each([
    'writeFileSync(draft, text);\nrenameSync(draft, path);',
    'await writeFile(join(a, b), text);\nawait rename(join(a, b), path);',
    "const file = fs.openSync(draft, 'wx');\nfs.linkSync(draft, path);",
    'copyFileSync(path, draft);\nrenameSync(draft, path);',
  ])('finds a file writer of its own: %j', (text) => {
    expect(judgeSource('src/a.ts', text)).toEqual([complaint]);
  });

  it('allows moving what was not written here, and writing what is not moved', () => {
    expect(judgeSource('src/a.ts', 'writeFileSync(path, text);\nrenameSync(from, to);')).toEqual([]);
  });

  it.each(['src/utils.ts', 'src/common/a.ts', 'src/agent-manager.ts', 'src/handoff-data.ts', 'src/camelCase.ts'])(
    'refuses the name %s',
    (file) => {
      expect(judgeSource(file, '')).toHaveLength(1);
    },
  );

  it('allows a name whose last word says what it is', () => {
    expect(judgeSource('src/stores/sqlite/data-version.ts', '')).toEqual([]);
  });
});

describe('the judge of published files', () => {
  // Put together here, because this file is published too.
  const host = ['registry', 'npmjs', 'org'].join('.');

  it.each([
    [`fetch('https://${host}/x')`, 'names a package registry'],
    [`"resolved": "${'https'}://example.test/a.tgz"`, 'names a package registry'],
    [['', 'work', 'main'].join('/'), 'names a path of one machine'],
    [`cd ${['', 'root', 'x'].join('/')}`, 'names a path of one machine'],
  ])('reports %s', (line, complaint) => {
    expect(judgePublished('a.md', `\n${line}\n`)).toEqual([`a.md:2 ${complaint}`]);
  });

  it.each(['artifacts/registry.json', 'src/work/loop.ts', './work/loop.ts', 'registry.find(name)', '~/work/x'])(
    'is content with %s',
    (line) => {
      expect(judgePublished('a.md', line)).toEqual([]);
    },
  );
});

function readText(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
