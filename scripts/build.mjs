#!/usr/bin/env node
/**
 * Builds what is published: the library (`dist/lib`, one module per source file, with types) and the command
 * (`dist/baton.mjs`, bundled because it starts on every turn of an agent, with the heavy parts in lazy chunks),
 * and the dashboard that `baton serve` shows (`dist/web`).
 *
 *   node scripts/build.mjs [--command] [--library] [--dashboard] [--clean] [--quiet]
 *
 * Without one of the first three flags all three are built.
 *
 * Files appear whole and entries come last, so that a command already running never meets half a build.
 */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const COMMAND = join(DIST, 'baton.mjs');

/** A running command may still load chunks of the build before: they stay for longer than any command runs unattended. */
const OLD_CHUNK_MS = 24 * 60 * 60 * 1000;

/** Native code cannot be bundled, and a driver that few commands load is better left where npm put it. */
const EXTERNAL = ['@photostructure/sqlite', 'postgres', '@opentelemetry/*'];

/**
 * What is loaded together comes as one file: cut along every `import()`, a command came as fifty, and opening them took
 * longer than running what is in them.
 */
const TOGETHER = {
  command: ['src/faces/cli/command.ts'],
  everyday: [
    ...commands('send', 'create', 'claim', 'wait', 'moves', 'list', 'show', 'inbox', 'sync', 'token'),
    ...['open-workspace', 'open-house', 'rules', 'identity'].map((name) => `src/house/${name}.ts`),
    'src/stores/sqlite/open-sqlite-store.ts',
  ],
  seldom: [
    ...commands('artifact', 'work', 'doctor', 'export', 'import', 'backup', 'trace', 'demo', 'init', 'workflow'),
    ...commands('report'),
    ...['make-workspace', 'back-up', 'examine-place', 'carriers/webhook', 'carriers/desktop'].map(
      (name) => `src/house/${name}.ts`,
    ),
    'src/house/evidence/open-evidence-desk.ts',
    'src/folders/artifact-folder.ts',
    'src/stores/sqlite/network-folder.ts',
    ...['audit', 'schema'].map((name) => `src/stores/sqlite/${name}.ts`),
  ],
  summaries: commands('ingest', 'hook'),
  governing: [
    ...commands('check', 'task', 'index'),
    ...['guard/check-repository', 'guard/git-hook'].map((name) => `src/house/${name}.ts`),
  ],
  server: [...commands('serve'), ...['serve', 'log'].map((name) => `src/house/serve/${name}.ts`)],
  traces: ['src/house/serve/traces.ts'],
  fleet: ['open-postgres-store', 'version-at', 'schema'].map((name) => `src/stores/postgres/${name}.ts`),
  queue: ['folders/queue-folder', 'engine/queue/mirror', 'engine/queue/examine', 'dialects/queue-message/read'].map(
    (name) => `src/${name}.ts`,
  ),
  tasks: ['folders/task-folder', 'engine/tasks/task-keeper'].map((name) => `src/${name}.ts`),
  migration: [...commands('migrate'), 'src/house/migration/migrate.ts'],
  documents: ['folders/document-folder', 'engine/documents/mirror'].map((name) => `src/${name}.ts`),
  configuration: ['src/house/configuration.ts'],
  schemas: ['src/house/schema-compiler.ts'],
};

function commands(...names) {
  return names.map((name) => `src/faces/cli/commands/${name}.ts`);
}

/** A name that two of them export would be nobody's, and the command that wants it would fail its test. */
const together = {
  name: 'together',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.ts$/ }, ({ path, kind, resolveDir }) => {
      if (kind !== 'dynamic-import') return null;
      const file = relative(ROOT, resolve(resolveDir, path)).replaceAll('\\', '/');
      const group = Object.keys(TOGETHER).find((name) => TOGETHER[name].includes(file));
      return group === undefined ? null : { path: group, namespace: 'together' };
    });
    onResolve({ filter: /^(?:command|everyday)$/ }, ({ path }) => ({ path, namespace: 'together' }));
    onLoad({ filter: /.*/, namespace: 'together' }, ({ path }) => {
      const own = TOGETHER[path].map((file) => `export * from ${JSON.stringify(join(ROOT, file))};`);
      // The command comes before the everyday part, and that before whatever else is loaded. To say so keeps each in one
      // piece: otherwise every module that it shares with another part would become a file of its own.
      const before = path === 'command' ? null : path === 'everyday' ? 'command' : 'everyday';
      const first = before === null ? [] : [`import * as before from '${before}';`, 'export const after = before;'];
      return { contents: [...first, ...own].join('\n'), resolveDir: ROOT, loader: 'ts' };
    });
  },
};

/** Commander starts programs for subcommands that are programs, which we have none of; loading that takes 4 ms of a start. */
const withoutPrograms = {
  name: 'without-programs',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: 'no-programs', namespace: 'nothing' } : null,
    );
    onLoad({ filter: /^no-programs$/, namespace: 'nothing' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** Native code asked for with `require` is there 5 ms sooner: nothing has to be read twice to find out what it exports. */
const nativeAtOnce = {
  name: 'native-at-once',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@photostructure\/sqlite$/ }, ({ kind, path }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'native' },
    );
    onLoad({ filter: /.*/, namespace: 'native' }, ({ path }) => ({
      contents: `export const { DatabaseSync } = require(${JSON.stringify(path)});`,
    }));
  },
};

/** Bundled CommonJS packages ask for node's own modules with `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as createRequireOfBundle } from 'node:module';\n" +
  'const require = createRequireOfBundle(import.meta.url);';

const PRODUCTS = { '--command': buildCommand, '--library': buildLibrary, '--dashboard': buildDashboard };
const FLAGS = [...Object.keys(PRODUCTS), '--clean', '--quiet'];

const flags = new Set(process.argv.slice(2));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

try {
  const startedMs = performance.now();
  const unknown = [...flags].filter((flag) => !FLAGS.includes(flag));
  if (unknown.length > 0) throw new Error(`unknown ${unknown.join(' ')}; there are ${FLAGS.join(', ')}`);
  if (flags.has('--clean')) rmSync(DIST, { recursive: true, force: true });

  const chosen = Object.keys(PRODUCTS).filter((flag) => flags.has(flag));
  await Promise.all((chosen.length === 0 ? Object.keys(PRODUCTS) : chosen).map((flag) => PRODUCTS[flag]()));
  if (!flags.has('--quiet')) console.log(`built ${version} in ${Math.round(performance.now() - startedMs)} ms`);
} catch (error) {
  console.error(`build: ${error.message}`);
  process.exitCode = 1;
}

async function buildCommand() {
  const entry = join(ROOT, 'src/faces/cli/main.ts');
  if (!existsSync(entry)) throw new Error('src/faces/cli/main.ts is missing: there is no command to build');

  // A thread shares no memory with the command, so it need not share files either.
  const built = await Promise.all([{ baton: entry }, threadEntries()].map(bundleOf));
  const files = built.flatMap(({ outputFiles }) => outputFiles);
  const chunksFirst = files.toSorted((a, b) => Number(isChunk(b.path)) - Number(isChunk(a.path)));
  for (const file of chunksFirst) {
    const executable = file.path === COMMAND;
    const text = /\brequire\b/.test(file.text) ? `${REQUIRE}\n${file.text}` : file.text;
    writeWhole(file.path, executable ? `#!/usr/bin/env node\n${text}` : text, executable ? 0o755 : 0o644);
  }
  forgetOldChunks(new Set(chunksFirst.map((file) => basename(file.path))));
}

function bundleOf(entryPoints) {
  return bundle({
    entryPoints,
    outdir: DIST,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: EXTERNAL,
    define: { __BATON_VERSION__: JSON.stringify(version) },
    // Read on every start: half the text is half the time to read it. Names stay, so that a stack tells where.
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [together, withoutPrograms, nativeAtOnce],
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
}

/** `src/house/beat-thread.ts` becomes `dist/beat-thread.mjs`: a worker thread needs a file of its own. */
function threadEntries() {
  const house = join(ROOT, 'src/house');
  const names = existsSync(house) ? readdirSync(house).filter((name) => name.endsWith('-thread.ts')) : [];
  return Object.fromEntries(names.map((name) => [basename(name, '.ts'), join(house, name)]));
}

/**
 * The compiler writes into an empty folder, so that a deleted source leaves no module behind.
 * A library that does not compile is removed: an old one would let tests pass over code that is no longer there.
 */
async function buildLibrary() {
  const draft = join(DIST, `.lib-${process.pid}`);
  const final = join(DIST, 'lib');
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [compiler, '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', draft]);
    writeVersionInto(draft);
    rmSync(final, { recursive: true, force: true });
    renameSync(draft, final);
  } catch (error) {
    rmSync(final, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Into a folder of its own first: a server that runs meanwhile shows the old one or the new one. */
async function buildDashboard() {
  const { build: buildWeb } = await import('vite');
  const draft = join(DIST, `.web-${process.pid}`);
  const final = join(DIST, 'web');
  try {
    const configFile = join(ROOT, 'web/vite.config.ts');
    await buildWeb({ configFile, logLevel: 'warn', build: { outDir: draft, emptyOutDir: true } });
    rmSync(final, { recursive: true, force: true });
    renameSync(draft, final);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The compiler has no `define`: the word that the bundler replaces is replaced here for the library. */
function writeVersionInto(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    if (text.includes('__BATON_VERSION__')) {
      writeFileSync(path, text.replaceAll('__BATON_VERSION__', JSON.stringify(version)));
    }
  }
}

function writeWhole(path, text, mode) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text);
  chmodSync(draft, mode);
  renameSync(draft, path);
}

function forgetOldChunks(current) {
  const folder = join(DIST, 'chunks');
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const writtenMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (!current.has(name) && Date.now() - writtenMs > OLD_CHUNK_MS) rmSync(path, { force: true });
  }
}

function isChunk(path) {
  return basename(dirname(path)) === 'chunks';
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${basename(args[0])} ended with ${code}`))));
  });
}
