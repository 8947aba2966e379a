import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Bench } from './embedded.ts';
import { atMost, type Figures } from './report.ts';
import { median } from './measure.ts';

const SPAWNS = 40;
const VERSION_BOUND = 1.3;
/** Node 24 itself starts twice as fast as Node 20, and the same work is then more of it. */
const SEND_BOUND = Number(process.versions.node.split('.')[0]) >= 24 ? 2.5 : 1.8;

/** How long a command takes that begins, does its one thing and ends; interleaved, because machines have moods. */
export async function measureStart(bench: Bench): Promise<Figures> {
  execFileSync(process.execPath, ['scripts/build.mjs', '--command', '--quiet']);
  const baton = resolve('dist/baton.cjs');
  const workspace = bench.folder('workspace');
  mkdirSync(workspace, { recursive: true });
  execFileSync(process.execPath, [baton, 'init'], { cwd: workspace, stdio: 'ignore' });
  const commands: Record<string, readonly string[]> = {
    'node -e 0': ['-e', '0'],
    'baton --version': [baton, '--version'],
    'baton send': [baton, 'send', '--from', '@me', '--to', '@you', '--input', '{"x":1}'],
  };
  const times = new Map<string, number[]>();
  for (let turn = -1; turn < Math.ceil(SPAWNS * Math.max(bench.scale, 0.25)); turn += 1) {
    for (const [name, args] of Object.entries(commands)) {
      const beganMs = performance.now();
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: workspace });
      const tookMs = performance.now() - beganMs;
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${String(stderr)}`);
      // The first of each only warms the disk's cache.
      if (turn >= 0) times.set(name, [...(times.get(name) ?? []), tookMs]);
    }
  }
  const medians = Object.fromEntries([...times].map(([name, all]) => [name, median(all)]));
  const bareMs = medians['node -e 0'] ?? Number.NaN;
  return {
    rows: { 'start to end, ms': medians },
    pledges: [
      atMost('baton --version, × node -e 0', (medians['baton --version'] ?? Number.NaN) / bareMs, VERSION_BOUND),
      atMost('baton send, × node -e 0', (medians['baton send'] ?? Number.NaN) / bareMs, SEND_BOUND),
    ],
  };
}
