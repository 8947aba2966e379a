#!/usr/bin/env node
/**
 * Tries the package as people get it: packed, installed by npm, pnpm, yarn and bun, and run by Node 20, 22, 24 and 26 (real
 * ones, from the npm package of Node), Bun and Deno. Everything happens in a folder of its own that is removed at the end.
 *
 *   node scripts/test-nodes.mjs [--short] [--suite]
 *
 * --short   npm on the oldest and the newest Node only
 * --suite   also runs the suites of the store and the crash tests on each Node, with each SQLite that it has
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const SQLITE = `@photostructure/sqlite@${devDependencies['@photostructure/sqlite']}`;
const NODES = [20, 22, 24, 26];
/** From this one on Node has SQLite itself. */
const OWN_SQLITE = 24;
const SIZE_MAX_MB = 25;
/** Managers that stop when a package has scripts that nobody approved have to be told that ours are not needed. */
const MANAGERS = {
  npm: (packages) => ['npm', ['install', '--no-audit', '--no-fund', ...packages]],
  pnpm: (packages) => [
    'pnpm',
    ['add', ...(packages.length > 1 ? ['--config.strict-dep-builds=false'] : []), ...packages],
  ],
  yarn: (packages) => [
    'yarn',
    ['add', ...packages.map((each) => (each.startsWith('/') ? `batonpass@file:${each}` : each))],
  ],
  bun: (packages) => ['bun', ['add', ...packages]],
};
const SUITE = [
  'test/sqlite',
  'test/contract/sqlite.test.ts',
  'test/crash/kill.test.ts',
  'test/crash/eight-writers.test.ts',
];

/** Works off what the command has sent, sends one itself, and says what the command will find. */
const PROGRAM = `
import { openBaton } from 'batonpass';
const baton = await openBaton();
const worker = baton.work('@echo', ({ input }) => input);
const sent = await baton.send({ from: '@me', to: '@echo', input: { n: 2 } });
await sent.result({ timeoutMs: 60_000 });
const { items } = await baton.list();
await Promise.all(items.map(({ id }) => baton.wait(id, { timeoutMs: 60_000 })));
await worker.stop();
await baton.close();
`;

/** Holds one handoff for longer than a lease takes, while others look whether it is still there. */
const HOLDER = `
import { openBaton } from 'batonpass';
import { setTimeout as pause } from 'node:timers/promises';
const baton = await openBaton();
const sent = await baton.send({ from: '@me', to: '@slow', input: {} });
baton.work('@slow', async () => {
  console.log('holding');
  await pause(12_000);
  return { by: 'node' };
});
await sent.wait({ timeoutMs: 60_000 });
const { attempt } = await baton.load(sent.id);
console.log('attempts', attempt);
await baton.close();
`;

const flags = new Set(process.argv.slice(2));
const scratch = mkdtempSync(join(tmpdir(), 'baton-nodes-'));
const tools = join(scratch, 'tools');
let failures = 0;

try {
  installTools();
  const archive = pack();
  const short = flags.has('--short');
  for (const node of short ? [NODES[0], NODES.at(-1)] : NODES) {
    for (const manager of short ? ['npm'] : Object.keys(MANAGERS))
      await report(`Node ${node}, ${manager}`, () => tryOut(node, manager, archive));
  }
  if (!short)
    for (const runtime of ['bun', 'deno']) await report(`${runtime} beside Node`, () => besideNode(runtime, archive));
  if (flags.has('--suite')) {
    for (const node of NODES) {
      for (const source of node < OWN_SQLITE ? ['package'] : ['node', 'package']) {
        await report(`suite, Node ${node}, SQLite of ${source}`, () => runSuite(node, source));
      }
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

function installTools() {
  mkdirSync(tools);
  const [system, cpu] = [process.platform, process.arch];
  const wanted = [
    ...NODES.map((node) => `node${node}@npm:node-${system}-${cpu}@${node}`),
    ...(flags.has('--short')
      ? []
      : ['pnpm', '@yarnpkg/cli-dist', `bun@npm:@oven/bun-${system}-${cpu}`, `deno@npm:@deno/${system}-${cpu}-glibc`]),
  ];
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', tools, ...wanted],
    scratch,
    process.env,
  );
}

function pack() {
  run('npm', ['pack', '--pack-destination', scratch], ROOT, process.env);
  return join(
    scratch,
    readdirSync(scratch).find((name) => name.endsWith('.tgz')),
  );
}

function tryOut(node, manager, archive) {
  const [folder, env] = install(node, manager, archive);
  const size = sizeOf(join(folder, 'node_modules/batonpass')) / 1e6;
  if (size > SIZE_MAX_MB) throw new Error(`the package takes ${size.toFixed(1)} MB`);
  const baton = (...args) => run(join(folder, 'node_modules/.bin/baton'), args, folder, env);
  baton('init');
  const id = baton('send', '--from', '@me', '--to', '@echo', '--input', '{"n":1}').trim();
  run(nodeOf(node), ['program.mjs'], folder, env);
  const { state, result } = JSON.parse(baton('show', id, '--json'));
  if (state !== 'completed' || result?.n !== 1)
    throw new Error(`the first handoff is ${state}: ${JSON.stringify(result)}`);
  const doctor = baton('doctor');
  return `first handoff and import work, ${(sizeOf(join(folder, 'node_modules')) / 1e6).toFixed(1)} MB, ${/sqlite: (.*)/.exec(doctor)?.[1]}`;
}

async function besideNode(runtime, archive) {
  const [folder, env] = install(NODES.at(-1), 'npm', archive);
  run(join(folder, 'node_modules/.bin/baton'), ['init'], folder, env);
  const holder = spawn(nodeOf(NODES.at(-1)), ['holder.mjs'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  holder.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  await once(holder.stdout, 'data');
  const args = runtime === 'bun' ? ['program.mjs'] : ['run', '-A', '--node-modules-dir=manual', 'program.mjs'];
  // Whoever comes and goes looks after those that seem to be gone.
  const program = spawn(toolAt(runtime), args, { cwd: folder, env, stdio: 'inherit' });
  const [code] = await once(program, 'exit');
  await once(holder, 'close');
  if (code !== 0 || !said.includes('attempts 1')) throw new Error(`${runtime} ended with ${code}; Node said: ${said}`);
  return 'the handoff that Node held was left alone';
}

function install(node, manager, archive) {
  const folder = mkdtempSync(join(scratch, `${manager}-`));
  const env = environmentOf(node);
  writeFileSync(join(folder, 'package.json'), '{ "name": "tried", "private": true, "type": "module" }\n');
  writeFileSync(join(folder, 'program.mjs'), PROGRAM);
  writeFileSync(join(folder, 'holder.mjs'), HOLDER);
  if (manager === 'yarn')
    writeFileSync(join(folder, '.yarnrc.yml'), 'nodeLinker: node-modules\nenableTelemetry: false\n');
  const [command, args] = MANAGERS[manager]([archive, ...(node < OWN_SQLITE ? [SQLITE] : [])]);
  run(command === 'npm' ? 'npm' : toolAt(command), args, folder, env);
  return [folder, env];
}

function runSuite(node, source) {
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...SUITE];
  const text = run(nodeOf(node), args, ROOT, { ...environmentOf(node), BATON_SQLITE: source, NO_COLOR: '1' });
  return /Tests\s+(.*)/.exec(text)?.[1];
}

function environmentOf(node) {
  return { ...process.env, PATH: [join(nodeOf(node), '..'), process.env.PATH].join(delimiter), BATON_SQLITE: '' };
}

function nodeOf(node) {
  return join(tools, `node_modules/node${node}/bin/node`);
}

function toolAt(name) {
  const places = {
    bun: 'bun/bin/bun',
    deno: 'deno/deno',
    pnpm: '.bin/pnpm',
    yarn: '.bin/yarn',
  };
  return join(tools, 'node_modules', places[name]);
}

function run(command, args, cwd, env) {
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1e9 });
}

function sizeOf(path) {
  if (!existsSync(path)) return 0;
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

async function report(what, act) {
  try {
    console.log(`ok    ${what}: ${await act()}`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${what}: ${error.message}\n${String(error.stdout ?? '').slice(-2000)}`);
  }
}
