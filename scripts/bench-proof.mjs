/**
 * What assurance and proof cost of a life: two builds of the engine, one of them without seals, assurance, policy versions
 * and token ids in facts, take turns in one process; compared is processor time per life.
 *
 *   node scripts/bench-proof.mjs [rounds] [lives per round] [--tokens]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleBench } from './bundle-bench.mjs';

/** What each function answers in the build without proof. */
const WITHOUT = {
  'src/domain/seal.ts': [/export function sealFor\([\s\S]*?\): Seal \| null \{/, 'return null;'],
  'src/domain/assurance.ts': [/export function assuranceAfter\([\s\S]*?\): Handoff\['assurance'\] \{/, 'return null;'],
  'src/domain/principal.ts': [/export function proven\([\s\S]*?\): JsonObject \| null \{/, 'return detail;'],
  'src/engine/change.ts': [/export function underPolicy\([\s\S]*?\): JsonObject \| null \{/, 'return detail;'],
};

const withTokens = process.argv.includes('--tokens');
const [rounds = 100, lives = 40] = process.argv
  .slice(2)
  .filter((each) => !each.startsWith('-'))
  .map(Number);
const out = join('bench', '.out');

const without = {
  name: 'without-proof',
  setup: ({ onLoad }) =>
    onLoad({ filter: /(?:seal|assurance|principal|change)\.ts$/ }, ({ path }) => {
      const found = Object.entries(WITHOUT).find(([name]) => path.endsWith(name));
      if (found === undefined) return undefined;
      const [name, [head, body]] = found;
      const text = readFileSync(path, 'utf8');
      if (!head.test(text)) throw new Error(`${name} has no such function any more: ${head}`);
      return { contents: text.replace(head, (whole) => `${whole} ${body}`), loader: 'ts' };
    }),
};

for (const [entry, plugins] of [
  ['proof', []],
  ['bare', [without]],
]) {
  await bundleBench({
    entryPoints: { [entry]: 'bench/proof-life.ts', 'heartbeat-thread': 'src/adapters/processes/heartbeat-thread.ts' },
    outdir: join(out, entry),
    plugins,
  });
}

const place = mkdtempSync(join(tmpdir(), 'baton-proof-'));
try {
  const sides = {};
  for (const name of ['proof', 'bare']) {
    const { openSide } = await import(pathToFileURL(join(process.cwd(), out, name, `${name}.mjs`)).href);
    sides[name] = await openSide(join(place, name), withTokens);
    await sides[name].lives(lives);
  }
  const costs = { proof: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? ['proof', 'bare'] : ['bare', 'proof']) {
      const before = process.cpuUsage();
      await sides[name].lives(lives);
      const { user, system } = process.cpuUsage(before);
      costs[name].push((user + system) / lives);
    }
  }
  const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];
  const ratios = costs.proof.map((cost, round) => cost / costs.bare[round]);
  const [proof, bare] = [median(costs.proof), median(costs.bare)];
  const least = Math.min(...costs.proof) / Math.min(...costs.bare);
  process.stdout.write(
    `processor time per life: ${proof.toFixed(1)} µs with, ${bare.toFixed(1)} µs without assurance and proof\n` +
      `difference: ${percent(proof / bare)} of medians, ${percent(median(ratios))} median of pairs, ` +
      `${percent(least)} of the best rounds (${rounds} rounds of ${lives} lives each)\n`,
  );
  for (const side of Object.values(sides)) await side.close();
} finally {
  rmSync(place, { recursive: true, force: true });
}

function percent(ratio) {
  return `${((ratio - 1) * 100).toFixed(2)} %`;
}
