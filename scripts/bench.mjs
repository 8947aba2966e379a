/**
 * Runs a benchmark: installs the peers it is measured beside (they belong to bench/ alone) and the Node that the newest of
 * them need, bundles it, starts it. A benchmark with peers runs on that Node, Baton like the others. Which variables make it
 * shorter is said in docs/operations/performance.md.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { bundleBench } from './bundle-bench.mjs';

const [name, ...rest] = process.argv.slice(2);
const BENCHES = {
  embedded: { entries: ['embedded', 'role'], peers: true },
  fleet: { entries: ['fleet', 'role'], peers: true },
  ingest: { entries: ['ingest'], peers: false },
  migrate: { entries: ['migrate'], peers: false },
  board: { entries: ['board'], peers: false },
  retention: { entries: ['retention', 'retention-pruner'], peers: false },
};
const bench = BENCHES[name ?? ''];
if (bench === undefined) {
  process.stderr.write(`usage: node scripts/bench.mjs ${Object.keys(BENCHES).join('|')} [section…]\n`);
  process.exit(2);
}
const node = bench.peers ? nodeOfPeers() : process.execPath;
await bundleBench({
  entryPoints: [...bench.entries.map((entry) => `bench/${entry}.ts`), 'src/adapters/processes/heartbeat-thread.ts'],
  entryNames: '[name]',
  outdir: 'bench/.out',
});
execFileSync(node, [`bench/.out/${bench.entries[0]}.mjs`, ...rest], { stdio: 'inherit' });

function nodeOfPeers() {
  const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
  const isThere = ([name, version]) => {
    const file = `bench/node_modules/${name}/package.json`;
    return existsSync(file) && read(file).version === version;
  };
  if (!Object.entries(read('bench/package.json').dependencies).every(isThere))
    execFileSync('npm', ['ci', '--ignore-scripts', '--loglevel=error'], { cwd: 'bench', stdio: 'inherit' });
  const installed = `bench/node_modules/node-${process.platform}-${process.arch}/bin/node`;
  if (existsSync(installed)) return installed;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Error(
    'the peers need Node 24, which bench/package.json has no package of for this system: run this with it',
  );
}
