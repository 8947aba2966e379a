/**
 * Runs the examples that connect agent frameworks with Baton (examples/bridges). The frameworks are installed into a cache
 * folder with the first run; where that is not possible, this says so and ends with code 3.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SOURCE = resolve('examples/bridges');
const CACHE = resolve('node_modules/.cache/bridges');
const wanted = readFileSync(join(SOURCE, 'package.json'), 'utf8');
const mark = join(CACHE, 'installed.json');

mkdirSync(CACHE, { recursive: true });
if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
  cpSync(join(SOURCE, 'package.json'), join(CACHE, 'package.json'));
  try {
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--legacy-peer-deps'];
    execFileSync('npm', args, { cwd: CACHE, stdio: 'inherit' });
  } catch {
    process.stderr.write('the frameworks cannot be installed here, so their examples were not run\n');
    process.exit(3);
  }
  writeFileSync(mark, wanted);
}
const own = join(CACHE, 'node_modules', 'batonpass');
rmSync(own, { recursive: true, force: true });
symlinkSync(resolve('.'), own);
execFileSync(process.execPath, ['scripts/build.mjs', '--library', '--quiet'], { stdio: 'inherit' });

const only = process.argv.slice(2);
let failed = 0;
for (const name of readdirSync(SOURCE).filter((file) => file.endsWith('.mjs'))) {
  if (only.length > 0 && !only.includes(name)) continue;
  cpSync(join(SOURCE, name), join(CACHE, name));
  try {
    const said = execFileSync(process.execPath, [join(CACHE, name)], { cwd: CACHE, encoding: 'utf8' });
    process.stdout.write(`ok    ${name}: ${said}`);
  } catch (error) {
    failed += 1;
    process.stdout.write(`wrong ${name}: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
process.exit(failed === 0 ? 0 : 1);
