#!/usr/bin/env node
/**
 * Takes the pictures of the dashboard that the documentation shows: a sample workspace is served, the town of `npm start`
 * lives in it for a while, and a browser looks. Needs Chromium; `npm run build` first.
 *
 *   node scripts/pictures.mjs [--chromium PATH]
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { BATON, ended, firstLine, ROOT } from './sample.mjs';
import { Town } from './town.mjs';

const OUT = join(ROOT, 'docs/pictures');
const SIZE = { width: 1280, height: 760 };

const { values } = parseArgs({ options: { chromium: { type: 'string', default: '/usr/bin/chromium' } } });
const folder = mkdtempSync(join(tmpdir(), 'baton-pictures-'));
const workspace = join(folder, 'shop');
mkdirSync(OUT, { recursive: true });

baton('init', workspace);
const options = ['--workspace', workspace, '--port', '0', '--log-level', 'error'];
const server = spawn(process.execPath, [BATON, 'serve', ...options]);
const browser = await chromium.launch({ executablePath: values.chromium });
try {
  const link = await firstLine(server);
  if (link === null) throw new Error('the server ended early');
  const made = baton('token', 'new', '--operator', '--as', 'operator', '--workspace', workspace, '--json');
  const town = new Town(new URL(link).origin, JSON.parse(made).token);
  await town.settle();
  for (let step = 0; step < 14; step += 1) await town.step();
  const page = await (await browser.newContext({ viewport: SIZE, colorScheme: 'light' })).newPage();
  const base = new URL(link).origin;
  await page.goto(link);
  await page.getByRole('region', { name: 'Questions' }).waitFor();
  await take(page, 'attention');
  await page.goto(`${base}/#/work`);
  await page.locator('.work tbody tr').first().waitFor();
  await take(page, 'work');
  await page.goto(`${base}/#/work?view=board&q=`);
  await page.locator('.card').first().waitFor();
  await take(page, 'board');
  await page.goto(`${base}/#/attention`);
  await page.getByRole('region', { name: 'To review' }).getByRole('link', { name: 'Review' }).first().click();
  await page.getByRole('region', { name: 'Review' }).waitFor();
  await take(page, 'handoff');
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
  await page.getByText('live', { exact: true }).waitFor();
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: join(OUT, `${name}.png`), fullPage });
  console.log(`docs/pictures/${name}.png`);
}

function baton(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BATON, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`baton ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}
