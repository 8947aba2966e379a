#!/usr/bin/env node
/**
 * Builds what is published: the library (`dist/lib`, bundled, with its types in one file) and the command
 * (`dist/baton.mjs`, bundled because it starts on every turn of an agent, with the heavy parts in lazy chunks),
 * and the dashboard that `baton serve` shows (`dist/web`).
 *
 *   node scripts/build.mjs [--command] [--library] [--dashboard] [--clean] [--quiet]
 *
 * Without one of the first three flags all three are built.
 *
 * Files appear whole and entries come last, so that a command already running never meets half a build.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import { noticesText } from './notices.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const COMMAND = join(DIST, 'baton.mjs');

/** A running command may still load chunks of the build before: they stay for longer than any command runs unattended. */
const OLD_CHUNK_MS = 24 * 60 * 60 * 1000;

/** Native code cannot be bundled, and a driver that few commands load is better left where npm put it. */
const EXTERNAL = ['@photostructure/sqlite', 'postgres', '@opentelemetry/*'];

/**
 * Which lazily loaded modules come in one file. Cut along every `import()`, a command came as fifty files, and opening
 * them took longer than running what is in them. The parts follow from where things are:
 *
 * - a command belongs to the part of its catalogue file (`src/interfaces/cli/catalogue/`);
 * - a module in a folder of its own (`src/stores/postgres/`) belongs to the part of that folder, and one that is loaded
 *   by a module beside it is a part by itself, because it was set apart on purpose;
 * - the commands that agents start on every turn, and what each of them loads, are one part: `everyday`.
 */
const CATALOGUE = 'src/interfaces/cli/catalogue';
const FIRST = 'src/interfaces/cli/command.ts';
/** What an agent's hooks run, as a file of its own that starts as fast as it can. */
const HOOK = 'src/app/hook-entry.ts';
/** A thread is an entry of its own. */
const THREAD = '-thread.ts';
const EVERYDAY = {
  catalogues: ['send-and-work', 'reading', 'operations'],
  modules: [
    ...['open-workspace', 'open-app', 'workspace-rules'].map((name) => `src/app/${name}.ts`),
    'src/workspace/identity.ts',
    'src/stores/sqlite/open-sqlite-store.ts',
  ],
};

/** From the module of each command to the name of the catalogue file that lists it. */
function commandGroups() {
  const groups = new Map();
  for (const name of readdirSync(join(ROOT, CATALOGUE))) {
    const text = readFileSync(join(ROOT, CATALOGUE, name), 'utf8');
    for (const [, path] of text.matchAll(/import\('(\.[^']+)'\)/g)) {
      groups.set(join(CATALOGUE, path).replaceAll('\\', '/'), basename(name, '.ts'));
    }
  }
  return groups;
}

function partOf(file, importerFolder, groups) {
  if (file === FIRST) return 'command';
  const group = groups.get(file);
  if (EVERYDAY.modules.includes(file) || EVERYDAY.catalogues.includes(group)) return 'everyday';
  if (group !== undefined) return group;
  const [, ...folders] = dirname(file).split('/');
  const isSetApart = folders.length < 2 || dirname(file) === importerFolder;
  return [...folders, ...(isSetApart ? [basename(file, '.ts')] : [])].join('-');
}

/** A name that two modules of a part export would be nobody's, and the command that wants it would fail its test. */
const together = {
  name: 'together',
  setup({ onStart, onResolve, onLoad }) {
    const groups = commandGroups();
    const parts = new Map();
    const add = (part, file) => parts.set(part, (parts.get(part) ?? new Set()).add(file));
    onStart(() => {
      const missing = [FIRST, ...EVERYDAY.modules, ...groups.keys()].filter((file) => !existsSync(join(ROOT, file)));
      if (missing.length > 0) throw new Error(`scripts/build.mjs names what is not there: ${missing.join(', ')}`);
      for (const [importer, file] of lazyImports()) add(partOf(file, dirname(importer), groups), file);
    });
    onResolve({ filter: /\.ts$/ }, ({ path, kind, importer, resolveDir }) => {
      if (kind !== 'dynamic-import') return null;
      const file = relative(ROOT, resolve(resolveDir, path)).replaceAll('\\', '/');
      const from = relative(ROOT, dirname(importer)).replaceAll('\\', '/');
      return { path: partOf(file, from, groups), namespace: 'together' };
    });
    onResolve({ filter: /^(?:command|everyday)$/ }, ({ path }) => ({ path, namespace: 'together' }));
    onLoad({ filter: /.*/, namespace: 'together' }, ({ path }) => {
      const own = [...parts.get(path)].map((file) => `export * from ${JSON.stringify(join(ROOT, file))};`);
      // The command comes before the everyday part, and that before whatever else is loaded. To say so keeps each in one
      // piece: otherwise every module that it shares with another part would become a file of its own.
      const before = path === 'command' ? null : path === 'everyday' ? 'command' : 'everyday';
      const first = before === null ? [] : [`import * as before from '${before}';`, 'export const after = before;'];
      return { contents: [...first, ...own].join('\n'), resolveDir: ROOT, loader: 'ts' };
    });
  },
};

/** Every `import()` of one of our modules: who loads what. */
function lazyImports() {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith(THREAD),
  );
  return sources.flatMap((name) => {
    const importer = `src/${name.replaceAll('\\', '/')}`;
    const text = readFileSync(join(ROOT, importer), 'utf8');
    const found = [...text.matchAll(/\bimport\('(\.[^']+\.ts)'\)/g)];
    return found.map(([, path]) => [importer, join(dirname(importer), path).replaceAll('\\', '/')]);
  });
}

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

const LIBRARY = { index: 'src/index.ts', testing: 'src/testing.ts' };
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
  const entry = join(ROOT, 'src/app/main.ts');
  if (!existsSync(entry)) throw new Error('src/app/main.ts is missing: there is no command to build');

  // A thread shares no memory with the command, so it need not share files either.
  const built = await Promise.all([
    bundleOf({ baton: entry }, [together]),
    bundleOf(threadEntries(), []),
    bundleOf({ hook: join(ROOT, HOOK) }, []),
  ]);
  const files = built.flatMap(({ outputFiles }) => outputFiles);
  const chunksFirst = files.toSorted((a, b) => Number(isChunk(b.path)) - Number(isChunk(a.path)));
  const headers = new Map(files.map((file) => [file.path, headerOf(file)]));
  for (const file of chunksFirst) {
    const header = headers.get(file.path.replace(/\.map$/, ''));
    const text = file.path.endsWith('.map') ? mapBelow(header, file.text) : header + file.text;
    writeWhole(file.path, text, file.path === COMMAND ? 0o755 : 0o644);
  }
  const sources = built.flatMap(({ metafile }) =>
    Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs)),
  );
  writeWhole(join(DIST, 'notices/command.txt'), noticesText('The command `baton`', sources, ROOT), 0o644);
  forgetOldChunks(new Set(chunksFirst.map((file) => basename(file.path))));
}

function headerOf({ path, text }) {
  const needsRequire = !path.endsWith('.map') && /\brequire\b/.test(text);
  return `${path === COMMAND ? '#!/usr/bin/env node\n' : ''}${needsRequire ? `${REQUIRE}\n` : ''}`;
}

/** In a map each line of the file is closed by a semicolon, so lines that come before add one each. */
function mapBelow(header, text) {
  const map = JSON.parse(text);
  return JSON.stringify({ ...map, mappings: ';'.repeat(header.split('\n').length - 1) + map.mappings });
}

function bundleOf(entryPoints, plugins) {
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
    plugins: [...plugins, withoutPrograms, nativeAtOnce],
    legalComments: 'none',
    // Files of their own, with the sources in them. Node reads them only with --enable-source-maps.
    sourcemap: 'linked',
    logLevel: 'warning',
    metafile: true,
    write: false,
  });
}

/** `src/adapters/processes/heartbeat-thread.ts` becomes `dist/heartbeat-thread.mjs`: a worker thread needs its own file. */
function threadEntries() {
  const folder = join(ROOT, 'src/adapters/processes');
  const names = readdirSync(folder).filter((name) => name.endsWith(THREAD));
  return Object.fromEntries(names.map((name) => [basename(name, '.ts'), join(folder, name)]));
}

/**
 * Code and types go into an empty folder first, so that nothing of an older build stays behind. A library that does not
 * build is removed: an old one would let tests pass over code that is no longer there.
 */
async function buildLibrary() {
  const draft = join(DIST, `.lib-${process.pid}`);
  const final = join(DIST, 'lib');
  rmSync(final, { recursive: true, force: true });
  try {
    await Promise.all([bundleLibrary(draft), bundleTypes(draft)]);
    renameSync(draft, final);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Packages stay where npm puts them: the program around the library may use them too. */
async function bundleLibrary(outdir) {
  const shared = {
    absWorkingDir: ROOT,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    define: { __BATON_VERSION__: JSON.stringify(version) },
    legalComments: 'none',
    logLevel: 'warning',
  };
  const thread = join(ROOT, 'src/adapters/processes/heartbeat-thread.ts');
  const { outputFiles } = await bundle({ ...shared, entryPoints: [thread], format: 'cjs', write: false });
  // As text it has no place of its own from which packages could be found.
  const found = "require('node:module').createRequire(require('node:worker_threads').workerData.requireFrom)";
  const source = `(function (require) {\n${outputFiles[0].text}\n})(${found});`;
  const inlineThread = {
    name: 'inline-thread',
    setup({ onLoad }) {
      onLoad({ filter: /heartbeat-source\.ts$/ }, () => ({
        contents: `export const HEARTBEAT_SOURCE = ${JSON.stringify(source)};`,
      }));
    },
  };
  await bundle({
    ...shared,
    entryPoints: LIBRARY,
    outdir,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    sourcemap: 'linked',
    plugins: [inlineThread],
  });
}

/** One readable file for each entry; what the second shares with the first it imports from there. */
async function bundleTypes(outdir) {
  const [{ rollup }, { dts }] = await Promise.all([import('rollup'), import('rollup-plugin-dts')]);
  const sharedTypes = {
    name: 'shared-types',
    resolveId: (source) => (source.includes('interfaces/library/') ? { id: './index.js', external: true } : null),
  };
  for (const [name, input] of Object.entries(LIBRARY)) {
    const plugins = [...(name === 'testing' ? [sharedTypes] : []), dts({ tsconfig: join(ROOT, 'tsconfig.json') })];
    const types = await rollup({ input: join(ROOT, input), plugins, external: /^[a-z@]/, logLevel: 'warn' });
    await types.write({ file: join(outdir, `${name}.d.ts`), format: 'es' });
  }
}

/** Into a folder of its own first: a server that runs meanwhile shows the old one or the new one. */
async function buildDashboard() {
  const { build: buildWeb } = await import('vite');
  const draft = join(DIST, `.web-${process.pid}`);
  const final = join(DIST, 'web');
  try {
    const configFile = join(ROOT, 'web/vite.config.ts');
    const built = await buildWeb({ configFile, logLevel: 'warn', build: { outDir: draft, emptyOutDir: true } });
    rmSync(final, { recursive: true, force: true });
    renameSync(draft, final);
    const sources = built.output.flatMap(({ modules }) => Object.keys(modules ?? {})).map((id) => relative(ROOT, id));
    writeWhole(join(DIST, 'notices/dashboard.txt'), noticesText('The dashboard', sources, ROOT), 0o644);
  } finally {
    rmSync(draft, { recursive: true, force: true });
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
