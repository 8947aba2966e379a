/** Runs a benchmark: installs the peers it is measured beside (they belong to bench/ alone), bundles it, starts it. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { build } from 'esbuild';

const [name, ...rest] = process.argv.slice(2);
const BENCHES = {
  embedded: ['embedded', 'embedded-role'],
  fleet: ['fleet', 'fleet-worker'],
  ingest: ['ingest'],
  migrate: ['migrate'],
  board: ['board'],
  retention: ['retention', 'retention-pruner'],
};
/** Measured beside what the tests have anyway. */
const WITHOUT_PEERS = ['ingest', 'migrate', 'board', 'retention'];
const entries = BENCHES[name ?? ''];
if (entries === undefined) {
  process.stderr.write(`usage: node scripts/bench.mjs ${Object.keys(BENCHES).join('|')} [section…]\n`);
  process.exit(2);
}
if (!WITHOUT_PEERS.includes(name) && !existsSync('bench/node_modules'))
  execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: 'bench', stdio: 'inherit' });
await build({
  entryPoints: [...entries.map((entry) => `bench/${entry}.ts`), 'src/adapters/processes/heartbeat-thread.ts'],
  entryNames: '[name]',
  outdir: 'bench/.out',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  define: { __BATON_VERSION__: JSON.stringify('bench') },
  logLevel: 'error',
});
execFileSync(process.execPath, [`bench/.out/${entries[0]}.mjs`, ...rest], { stdio: 'inherit' });
