/**
 * Builds command and library once before the tests, because some of them run what is published.
 *
 * Nothing is built when nothing changed. On a developer's machine a failed build is only told: the tests that do not
 * need it still say something. In CI it ends the run.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, ROOT } from './source-files.ts';

const STAMP = join(ROOT, 'dist/.built-from');
const PRODUCTS = ['dist/baton.mjs', 'dist/lib/index.js', 'dist/web/index.html'];
const ALSO_DECIDING = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/build.mjs',
];

/** The name is vitest's: it calls `setup` before the first test file. */
export function setup(): void {
  const fingerprint = fingerprintOfSources();
  if (PRODUCTS.every((path) => existsSync(join(ROOT, path))) && readStamp() === fingerprint) return;

  rmSync(STAMP, { force: true });
  const built = spawnSync(process.execPath, ['scripts/build.mjs', '--quiet'], { cwd: ROOT, encoding: 'utf8' });
  if (built.status === 0) {
    mkdirSync(join(ROOT, 'dist'), { recursive: true });
    writeFileSync(STAMP, fingerprint);
    return;
  }
  const problem = `the build before the tests failed:\n${built.stdout}${built.stderr}`;
  if (process.env['CI']) throw new Error(problem);
  console.warn(`${problem}\nTests that run dist/ will fail; the others go on.`);
}

function fingerprintOfSources(): string {
  const hash = createHash('sha256');
  const sources = [
    ...filesUnder('src', '.ts'),
    ...['.ts', '.tsx', '.css', '.html', '.svg'].flatMap((end) => filesUnder('web', end)),
  ];
  for (const path of [...sources, ...ALSO_DECIDING]) {
    const absolute = join(ROOT, path);
    if (existsSync(absolute)) hash.update(`${path}\0`).update(readFileSync(absolute)).update('\0');
  }
  return hash.digest('hex');
}

function readStamp(): string | null {
  return existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : null;
}
