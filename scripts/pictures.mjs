#!/usr/bin/env node
/**
 * Takes the pictures of the dashboard that the documentation shows: a sample workspace is served, a relay is played in it
 * half way, and a browser looks. Needs Chromium; `npm run build` first.
 *
 *   node scripts/pictures.mjs [--chromium PATH]
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BATON = join(ROOT, 'dist/baton.mjs');
const OUT = join(ROOT, 'docs/pictures');
const SIZE = { width: 1400, height: 760 };

const { values } = parseArgs({ options: { chromium: { type: 'string', default: '/usr/bin/chromium' } } });
const folder = mkdtempSync(join(tmpdir(), 'baton-pictures-'));
const workspace = join(folder, 'profile-page');
mkdirSync(OUT, { recursive: true });

baton('init', workspace);
const server = spawn(process.execPath, [
  BATON,
  'serve',
  '--workspace',
  workspace,
  '--port',
  '0',
  '--log-level',
  'error',
]);
const browser = await chromium.launch({ executablePath: values.chromium });
try {
  const link = await firstLine(server);
  // Twice: one that has arrived, and one that is under way.
  baton('demo', '--workspace', workspace, '--pace', '0');
  const failing = baton(
    'send',
    '--workspace',
    workspace,
    '--from',
    '@planner',
    '--to',
    '@deployer',
    '--title',
    'Deploy the page',
    '--task',
    'PROFILE-3',
  );
  baton('accept', failing, '--workspace', workspace, '--as', '@deployer');
  baton(
    'reject',
    failing,
    '--workspace',
    workspace,
    '--as',
    '@deployer',
    '--type',
    'skill_gap',
    '--reason',
    'I have no access to production',
  );
  for (const [to, title, priority] of [
    ['@builder', 'Make the avatar load lazily', 'high'],
    ['@builder', 'Dark mode for the profile page', 'normal'],
    ['@reviewer', 'Review the colours', 'low'],
  ]) {
    baton('send', '--workspace', workspace, '--from', '@planner', '--to', to, '--title', title, '--priority', priority);
  }
  const running = spawn(process.execPath, [BATON, 'demo', '--workspace', workspace, '--pace', '1'], {
    stdio: 'ignore',
  });
  const page = await (await browser.newContext({ viewport: SIZE, colorScheme: 'light' })).newPage();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Board' }).waitFor();
  await page.getByRole('region', { name: 'Accepted', exact: true }).locator('.card').first().waitFor();
  await page.waitForTimeout(2_500);
  await take(page, 'board');
  await ended(running);
  const base = new URL(link).origin;
  const chained = page
    .getByRole('region', { name: 'Completed', exact: true })
    .locator('.card', { hasText: 'Build the profile' })
    .first();
  await chained.click();
  await page.locator('.chain svg').waitFor();
  await take(page, 'handoff', true);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${base}/#/metrics`);
  await page.locator('.plot canvas').waitFor();
  await take(page, 'metrics');
} finally {
  await browser.close();
  server.kill('SIGINT');
  await ended(server);
  rmSync(folder, { recursive: true, force: true });
}

async function take(page, name, fullPage = false) {
  await page.screenshot({ path: join(OUT, `${name}.png`), fullPage });
  console.log(`docs/pictures/${name}.png`);
}

function baton(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BATON, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`baton ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

function ended(child) {
  return child.exitCode === null ? new Promise((resolve) => child.once('exit', resolve)) : Promise.resolve();
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('exit', () => reject(new Error('the server ended early')));
  });
}
