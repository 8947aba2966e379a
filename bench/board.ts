/**
 * The dashboard under load, in a real browser: how long the first view of a full board takes, whether it scrolls, and
 * whether the page's memory stays where it is while handoffs come and go.
 *
 *   npm run bench:board            BATON_BOARD_COUNT=10000 BATON_BOARD_MINUTES=1 BATON_BOARD_RATE=20
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { openBaton, type Baton } from '../src/index.ts';
import { needComponent, howToGet } from '../test/support/components.ts';
import { median } from './measure.ts';

const COUNT = Number(process.env['BATON_BOARD_COUNT'] ?? 10_000);
const MINUTES = Number(process.env['BATON_BOARD_MINUTES'] ?? 1);
const RATE = Number(process.env['BATON_BOARD_RATE'] ?? 20);
const VIEWS = 5;
const BATON = join(process.cwd(), 'dist/baton.mjs');

const executablePath = await needComponent('chromium');
if (executablePath === null) throw new Error(howToGet('chromium'));
const folder = mkdtempSync(join(tmpdir(), 'baton-board-'));
run('init', folder);
const baton = await openBaton({ workspace: folder });
for (let sent = 0; sent < COUNT; sent += 500) await baton.sendMany(requestsFor(Math.min(500, COUNT - sent), sent));
const server = spawn(process.execPath, [BATON, 'serve', '--workspace', folder, '--port', '0', '--log-level', 'error']);
const browser = await chromium.launch({
  executablePath,
  args: ['--enable-precise-memory-info', '--js-flags=--expose-gc'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.goto(await firstLine(server));
  await page.locator('.card').first().waitFor();
  const views: number[] = [];
  for (let view = 0; view < VIEWS; view += 1) views.push(await firstView(page));
  await page.getByRole('region', { name: 'Offered', exact: true }).getByText(String(COUNT), { exact: true }).waitFor();
  const heaps = await underTraffic(page, baton);
  const [first = 0, last = 0] = [heaps[0], heaps.at(-1)];
  process.stdout.write(
    `${COUNT} handoffs on the board\n` +
      `first view        ${median(views).toFixed(0)} ms (median of ${VIEWS}, ${views.map((ms) => ms.toFixed(0)).join(' ')})\n` +
      `scrolling         ${(await scrolled(page)).toFixed(1)} ms a frame at the 95th percentile\n` +
      `memory            ${first.toFixed(1)} MB, after ${MINUTES} min of ${RATE} lives/s ${last.toFixed(1)} MB\n` +
      `                  ${heaps.map((heap) => heap.toFixed(1)).join(' ')}\n`,
  );
} finally {
  await browser.close();
  server.kill('SIGINT');
  await new Promise((resolve) => server.once('exit', resolve));
  await baton.close();
  rmSync(folder, { recursive: true, force: true });
}

/** From asking for the page to cards that can be seen. */
async function firstView(page: Page): Promise<number> {
  await page.reload();
  await page.locator('.card').first().waitFor();
  return page.evaluate<number>('performance.now()');
}

async function scrolled(page: Page): Promise<number> {
  const frames = await page.evaluate<number[]>(`(async () => {
    const list = document.querySelectorAll('.long-list')[1];
    const times = [];
    for (let at = 0, before = performance.now(); at < 200; at += 1) {
      list.scrollTop = at * 700;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - before);
      before = now;
    }
    return times;
  })()`);
  return frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? Number.NaN;
}

/** What is left after a collection, ten times over the time. */
async function underTraffic(page: Page, sender: Baton): Promise<readonly number[]> {
  const worker = sender.work('@busy', () => ({ ok: true }), { concurrency: 4 });
  const heaps = [await heapOf(page)];
  const endMs = performance.now() + MINUTES * 60_000;
  let nextMs = performance.now() + (MINUTES * 60_000) / 10;
  while (performance.now() < endMs) {
    await sender.sendMany(requestsFor(RATE, 0, '@busy'));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    if (performance.now() < nextMs) continue;
    heaps.push(await heapOf(page));
    nextMs += (MINUTES * 60_000) / 10;
  }
  await worker.stop();
  return heaps;
}

async function heapOf(page: Page): Promise<number> {
  return (await page.evaluate<number>('gc(), performance.memory.usedJSHeapSize')) / 1e6;
}

function requestsFor(count: number, from: number, to = '@react'): Parameters<Baton['sendMany']>[0] {
  return Array.from({ length: count }, (_, n) => ({
    from: '@lead',
    to,
    title: `Handoff number ${from + n}`,
    input: { n: from + n },
  }));
}

function run(...args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [BATON, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('exit', () => reject(new Error('the server ended early')));
  });
}
