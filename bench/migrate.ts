/**
 * A look through a repository of 48,000 texts, about a thousand of them old handoffs, beside reading all of them once.
 * Both from a warm cache, rounds interleaved, medians; CPU time beside it, because a busy machine stretches the clock.
 *
 *   node scripts/bench.mjs migrate          BATON_BENCH_SCALE=0.1 for a tenth of it
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { planMigration } from '../src/engine/migration/plan.ts';
import { findFiles } from '../src/adapters/migration/find-files.ts';
import { scan } from '../src/adapters/migration/scan.ts';
import { median, tableOf } from './measure.ts';

const FILES = Math.round(48_000 * Number(process.env['BATON_BENCH_SCALE'] ?? 1));
const HANDOFF_EVERY = 50;
const ROUNDS = Number(process.env['BATON_BENCH_ROUNDS'] ?? 5);
const RATIO_MAX = 4;

mkdirSync('bench/.out', { recursive: true });
const root = mkdtempSync(join(process.cwd(), 'bench/.out/run-'));
try {
  makeTree();
  const rows: Record<'read' | 'look', Awaited<ReturnType<typeof timed>>>[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rows.push({ read: await timed(readAll), look: await timed(lookThrough) });
  const of = (what: 'read' | 'look', kind: 'wallMs' | 'cpuMs'): number => median(rows.map((row) => row[what][kind]));
  const ratios = (['wallMs', 'cpuMs'] as const).map((kind) => of('look', kind) / of('read', kind));
  process.stdout.write(
    `${tableOf(
      [`${FILES} files, ${Math.ceil(FILES / HANDOFF_EVERY)} handoffs`, 'clock ms', 'CPU ms'],
      [
        ['reading all of them once', of('read', 'wallMs').toFixed(0), of('read', 'cpuMs').toFixed(0)],
        ['finding, scanning and planning', of('look', 'wallMs').toFixed(0), of('look', 'cpuMs').toFixed(0)],
        [`ratio (at most ${RATIO_MAX})`, ...ratios.map((ratio) => ratio.toFixed(2))],
      ],
    )}\n`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function timed(act: () => Promise<void>): Promise<{ readonly wallMs: number; readonly cpuMs: number }> {
  const before = process.cpuUsage();
  const beganMs = performance.now();
  await act();
  const { user, system } = process.cpuUsage(before);
  return { wallMs: performance.now() - beganMs, cpuMs: (user + system) / 1000 };
}

async function readAll(): Promise<void> {
  for (let n = 0; n < FILES; n += 1) readFileSync(join(root, pathOf(n)));
}

async function lookThrough(): Promise<void> {
  const found = await findFiles(root);
  const terms = { below: '', hasFrom: false, hasTo: false };
  const scanned = await scan({ root, found, terms, progress: () => undefined });
  const steps = planMigration(scanned, { nowMs: Date.now(), offeredMs: 1, from: null, to: null, newest: false });
  if (steps.length !== Math.ceil(FILES / HANDOFF_EVERY)) throw new Error(`${steps.length} found`);
}

function makeTree(): void {
  const prose = 'Beds are watered in the morning, and nobody walks on them before noon.\n'.repeat(30);
  for (let n = 0; n < FILES; n += 1) {
    mkdirSync(join(root, pathOf(n), '..'), { recursive: true });
    const head = isHandoff(n)
      ? `# Handoff: bed ${n}\n\n**Handoff ID**: handoff-bed-${n}\n**From**: ivy\n**To**: basil\n**Status**: open\n**Created**: 2026-01-01\n`
      : `# Page ${n}\n\nNote: this is about beds.\n\n- one: two\n`;
    writeFileSync(join(root, pathOf(n)), `${head}\n## Context\n\n${prose}`);
  }
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', ...args], { cwd: root });
  };
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'all');
}

function isHandoff(n: number): boolean {
  return n % HANDOFF_EVERY === 0;
}

function pathOf(n: number): string {
  return `part-${n % 200}/${isHandoff(n) ? 'handoff' : 'page'}-${n}-20260101.md`;
}
