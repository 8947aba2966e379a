/**
 * Builds what tests run as it is published, each product once for all test files and only when a file asks for it:
 * `beforeAll(() => built('library'))`. Most files run the command, which is built in a second before the first of them.
 *
 * Nothing is built when nothing has changed since. Files that run at the same time ask at the same time: a lock lets
 * one of them build, and the others find its work.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { filesUnder, ROOT } from './source-files.ts';

type Product = 'command' | 'library' | 'dashboard';

const SOURCE_ENDINGS = ['.ts', '.tsx', '.css', '.html', '.svg'];
const SOURCES: Readonly<Record<Product, readonly string[]>> = {
  command: ['src'],
  library: ['src'],
  // The dashboard shares types and tables with the server.
  dashboard: ['src', 'web'],
};
const MAIN_FILES: Readonly<Record<Product, string>> = {
  command: 'dist/baton.cjs',
  library: 'dist/lib/index.js',
  dashboard: 'dist/web/index.html',
};
const ALSO_DECIDING = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'scripts/build.mjs',
  'scripts/notices.mjs',
  'scripts/load-parts.cjs',
];
/** A lock older than this was left by a run that was killed; the longest build takes a fraction of it. */
const LOCK_MAX_MS = 170_000;
const LOOK_AGAIN_MS = 50;

export async function built(product: Product): Promise<void> {
  const stamp = join(ROOT, `dist/.built-${product}`);
  const fingerprint = fingerprintOf(product);
  const isFresh = (): boolean =>
    existsSync(join(ROOT, MAIN_FILES[product])) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint;
  if (isFresh()) return;

  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const lock = `${stamp}.lock`;
  while (!tryLock(lock)) {
    await pause(LOOK_AGAIN_MS);
    if (isFresh()) return;
  }
  try {
    if (isFresh()) return;
    rmSync(stamp, { force: true });
    await build(product);
    writeFileSync(stamp, fingerprint);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function tryLock(lock: string): boolean {
  const madeAtMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (madeAtMs !== undefined && Date.now() - madeAtMs > LOCK_MAX_MS) rmSync(lock, { recursive: true, force: true });
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

async function build(product: Product): Promise<void> {
  const child = spawn(process.execPath, ['scripts/build.mjs', `--${product}`, '--quiet'], { cwd: ROOT });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => said.push(text));
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`node scripts/build.mjs --${product} failed:\n${said.join('')}`);
}

function fingerprintOf(product: Product): string {
  const hash = createHash('sha256');
  const sources = SOURCES[product].flatMap((folder) => SOURCE_ENDINGS.flatMap((end) => filesUnder(folder, end)));
  for (const path of [...sources, ...ALSO_DECIDING]) {
    const absolute = join(ROOT, path);
    if (existsSync(absolute)) hash.update(`${path}\0`).update(readFileSync(absolute)).update('\0');
  }
  return hash.digest('hex');
}
