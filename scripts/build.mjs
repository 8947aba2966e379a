#!/usr/bin/env node
/**
 * Builds what is published: the library (`dist/lib`, bundled, with its types in one file) and the command
 * (`dist/baton.cjs`, bundled because it starts on every turn of an agent, with the heavy parts in lazy chunks),
 * and the dashboard that `baton serve` shows (`dist/web`).
 *
 *   node scripts/build.mjs [--command] [--library] [--dashboard] [--clean] [--quiet]
 *
 * Without one of the first three flags all three are built.
 *
 * Files appear whole and entries come last, so that a command already running never meets half a build.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle, transform } from 'esbuild';
import { noticesText } from './notices.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const COMMAND = join(DIST, 'baton.cjs');
/** The command's file of before: agents' hooks that were set up then call it. */
const FORMER = "#!/usr/bin/env node\nimport './baton.cjs';\n";
/** Loads the parts of the command; it is the beginning of `dist/baton.cjs`. */
const LOADER = join(ROOT, 'scripts/load-parts.cjs');
/** What V8 compiled of the parts, kept by the loader. */
const COMPILED = join(DIST, 'compiled');

/** A running command may still load chunks of the build before: they stay for longer than any command runs unattended. */
const OLD_CHUNK_MS = 24 * 60 * 60 * 1000;

/** Optional peers: whoever wants traces installs these. Everything else is bundled, and nothing comes along with the package. */
const EXTERNAL = ['@opentelemetry/*'];

/**
 * Which lazily loaded modules come in one file. Cut along every `import()`, a command came as fifty files, and opening
 * them took longer than running what is in them. The parts follow from where things are:
 *
 * - a command belongs to the part of its catalogue file (`src/interfaces/cli/catalogue/`);
 * - a module in a folder of its own (`src/stores/postgres/`) belongs to the part of that folder, and one that is loaded
 *   by a module beside it is a part by itself, because it was set apart on purpose;
 * - what `baton send` loads is the part `send`, because agents start it on every turn; the commands beside it are the part
 *   `everyday`. As one part, and with all operations in the catalogue, a send took 4 ms of processor time more.
 */
const CATALOGUE = 'src/interfaces/cli/catalogue';
const FIRST = 'src/interfaces/cli/command.ts';
/** What an agent's hooks run, as a file of its own that starts as fast as it can. */
const HOOK = 'src/app/hook-entry.ts';
/** A thread is an entry of its own. */
const THREAD = '-thread.ts';
const SEND = [
  'src/interfaces/cli/commands/send.ts',
  ...['open-workspace', 'open-app', 'workspace-rules'].map((name) => `src/app/${name}.ts`),
  'src/workspace/identity.ts',
  'src/stores/sqlite/open-sqlite-store.ts',
];
/** The other commands of agents, beside which the rest of the catalogue is not loaded either. */
const WORK = 'src/interfaces/cli/catalogue/send-and-work.ts';
const ALL_COMMANDS = 'src/interfaces/cli/catalogue/all-commands.ts';
const EVERYDAY_CATALOGUES = ['send-and-work', 'reading', 'command-of'];
/**
 * Each of these is loaded before the next, and all of them before whatever else is. To say so keeps each in one piece:
 * otherwise every module that it shares with another part would become a file of its own.
 */
const IN_ORDER = ['cli', 'send', 'work', 'catalogue', 'everyday'];

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
  if (file === FIRST) return 'cli';
  if (SEND.includes(file)) return 'send';
  if (file === WORK) return 'work';
  if (file === ALL_COMMANDS) return 'catalogue';
  const group = groups.get(file);
  if (EVERYDAY_CATALOGUES.includes(group)) return 'everyday';
  if (group !== undefined) return group;
  const [, ...folders] = dirname(file).split('/');
  const isSetApart = folders.length < 2 || dirname(file) === importerFolder;
  return [...folders, ...(isSetApart ? [basename(file, '.ts')] : [])].join('-');
}

/** A name that two modules of a part export would be nobody's, and the command that wants it would fail its test. */
const together = (hookFile) => ({
  name: 'together',
  setup({ onStart, onResolve, onLoad }) {
    const groups = commandGroups();
    const parts = new Map();
    const add = (part, file) => parts.set(part, (parts.get(part) ?? new Set()).add(file));
    onStart(() => {
      const missing = [FIRST, ...SEND, WORK, ALL_COMMANDS, ...groups.keys()].filter(
        (file) => !existsSync(join(ROOT, file)),
      );
      if (missing.length > 0) throw new Error(`scripts/build.mjs names what is not there: ${missing.join(', ')}`);
      for (const [importer, file] of lazyImports()) add(partOf(file, dirname(importer), groups), file);
    });
    onResolve({ filter: /\.ts$/ }, ({ path, kind, importer, resolveDir }) => {
      if (kind !== 'dynamic-import') return null;
      const file = relative(ROOT, resolve(resolveDir, path)).replaceAll('\\', '/');
      if (file === HOOK) return { path: hookFile, external: true };
      const from = relative(ROOT, dirname(importer)).replaceAll('\\', '/');
      return { path: partOf(file, from, groups), namespace: 'together' };
    });
    onResolve({ filter: new RegExp(`^(?:${IN_ORDER.join('|')})$`) }, ({ path }) => ({ path, namespace: 'together' }));
    onLoad({ filter: /.*/, namespace: 'together' }, ({ path }) => {
      const own = [...parts.get(path)].map((file) => `export * from ${JSON.stringify(join(ROOT, file))};`);
      const place = IN_ORDER.indexOf(path);
      const before = place === -1 ? IN_ORDER.at(-1) : IN_ORDER[place - 1];
      const first =
        before === undefined ? [] : [`import * as before from '${before}';`, 'export const after = before;'];
      return { contents: [...first, ...own].join('\n'), resolveDir: ROOT, loader: 'ts' };
    });
  },
});

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

/**
 * The package around the native code is bundled: to find, read and compile its files took 6 ms of a start. The native code
 * itself stays where npm put it, and is looked for there.
 */
const SQLITE = '@photostructure/sqlite';
/**
 * Where the package is used at all is found out when it is needed, in sources and in the library by `createRequire`. In a
 * text that has a `require` of its own it is that one.
 */
const ownRequire = {
  name: 'own-require',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]stores[\\/]sqlite[\\/]choose-binding\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const call = `process.getBuiltinModule('node:module').createRequire(ownModule())('${SQLITE}')`;
      if (!text.includes(call)) throw new Error(`${path} loads ${SQLITE} in another way: ${call} is not there`);
      return { contents: text.replace(call, `require('${SQLITE}')`), loader: 'ts' };
    });
  },
};
const nativeAtOnce = {
  name: 'native-at-once',
  setup({ onResolve, onLoad }) {
    const file = createRequire(import.meta.url).resolve(SQLITE);
    onResolve({ filter: new RegExp(`^${SQLITE}$`) }, () => ({ path: file }));
    onLoad({ filter: /[\\/]@photostructure[\\/]sqlite[\\/]dist[\\/]index\.cjs$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const finder = 'var import_node_gyp_build = __toESM(require("node-gyp-build"));';
      const place = '(0, import_node_path2.join)(_dirname(), "..")';
      for (const expected of [finder, place]) {
        if (!text.includes(expected))
          throw new Error(`${SQLITE} looks for its native code in another way: ${expected} is not there`);
      }
      return { contents: text.replace(place, 'packageFolder()').replace(finder, FIND_NATIVE), loader: 'js' };
    });
  },
};

/**
 * Node's own way to a package takes 3 ms, because it loads what resolves the `exports` of packages, and its way to a file
 * half a millisecond; `node-gyp-build` takes 3 more, and is asked where somebody has built the code or wants another one, or where there is none by the usual name.
 */
const FIND_NATIVE = `
const { existsSync } = require("node:fs");
const { dirname, join } = require("node:path");
function packageFolder() {
  const folders = require.resolve.paths("${SQLITE}").map((folder) => join(folder, "${SQLITE}"));
  const found = folders.find((folder) => existsSync(join(folder, "package.json")));
  return found ?? dirname(require.resolve("${SQLITE}/package.json"));
}
const import_node_gyp_build = {
  default: (folder) => {
    const libc = process.env.LIBC || (existsSync("/etc/alpine-release") ? "musl" : "glibc");
    const name = "${SQLITE.replace('/', '+')}." + libc + ".node";
    const file = join(folder, "prebuilds", process.platform + "-" + process.arch, name);
    if (existsSync(join(folder, "build")) || !existsSync(file)) return require("node-gyp-build")(folder);
    const module = { exports: {} };
    process.dlopen(module, file);
    return module.exports;
  },
};
`;

/** Bundled CommonJS asks for node's own modules with `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as createRequireOfBundle } from 'node:module';" +
  'const require = createRequireOfBundle(import.meta.url);';

/** Read on every start: half the text is half the time to read it. Names stay, so that a stack tells where. */
const FORM = { platform: 'node', target: 'node20', minifyWhitespace: true, minifySyntax: true };

/** What is loaded when it is needed; in a text that V8 has kept compiled, node does not know how to import. */
const LATER = /\bimport\(("[^"]+")\)/;
/** Modules of node that take 2 to 4 ms to load, and that most commands do not call. */
const SELDOM = '"node:(?:child_process|crypto|fs/promises|os|tty)"';
/** What a part has to begin with. */
const PREAMBLE = [
  // When it is asked for: few commands need it.
  {
    when: /\bimport\.meta\.url\b/,
    says: 'const $own={get url(){return require("node:url").pathToFileURL(__filename).href}};',
  },
  { when: LATER, says: 'const $parts=async part=>require(part);' },
  {
    when: new RegExp(`from${SELDOM}`),
    // What was asked for once is there from then on: the object has it itself, and only what it lacks is asked of the proxy.
    says: 'const $onCall=name=>Object.create(new Proxy({},{get:(_,key,it)=>Object.defineProperty(it,key,{value:require(name)[key]})[key]}));',
  },
];

/** As an agent ends with it. */
const SUMMARY = '```yaml\nhandoff:\n  phase: testing\n  from: one\n  to: two\n  status: complete\n```\n';

/** In Node `yaml` is CommonJS and asks for modules of Node by `require`, which the library has not. This is its other form. */
const YAML = join(ROOT, 'node_modules/yaml/browser/dist/index.js');
const LIBRARY = { index: 'src/index.ts', testing: 'src/testing.ts' };
/**
 * Whatever is loaded later is loaded by a program that has the library: to say so keeps that in one piece. Cut along every
 * `import()` alone, an import of the library opened 63 files; in one file with all that is seldom needed it took 60 ms more.
 */
const libraryFirst = {
  name: 'library-first',
  setup({ onResolve, onLoad }) {
    const first = join(ROOT, LIBRARY.index);
    onResolve({ filter: /\.ts$/ }, ({ path, kind, resolveDir }) =>
      kind === 'dynamic-import' ? { path: resolve(resolveDir, path), namespace: 'later' } : null,
    );
    onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => ({
      contents: [
        `import * as before from '${first}';`,
        'export const after = before;',
        `export * from '${path}';`,
      ].join('\n'),
      resolveDir: ROOT,
      loader: 'ts',
    }));
  },
};

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
  // A thread shares no memory with the command, and a hook shares nothing that it does not need: both have their own files.
  const hook = await bundleOf({ hook: join(ROOT, HOOK) }, [], true);
  const hookFile = hook.outputFiles.map(({ path }) => basename(path)).find((name) => /^hook-\w+\.cjs$/.test(name));
  const [main, threads] = await Promise.all([
    bundleOf({ baton: join(ROOT, 'src/app/main.ts') }, [together(`./chunks/${hookFile}`)], true),
    bundleOf(threadEntries(), [], false),
  ]);
  const parts = await Promise.all([main, hook].flatMap(asCommonJs));
  const files = [...parts.flat(), ...threads.outputFiles];
  const [entry, others] = [true, false].map((is) => files.filter(({ path }) => path.startsWith(COMMAND) === is));
  for (const { path, text } of others) writeWhole(path, text, 0o644);
  await withLoader(entry, digestOf(others.map(({ path, text }) => path + text)));
  writeWhole(join(DIST, 'baton.mjs'), FORMER, 0o755);
  const sources = [main, hook, threads].flatMap(({ metafile }) =>
    Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs)),
  );
  writeWhole(join(DIST, 'notices/command.txt'), noticesText('The command `baton`', sources, ROOT), 0o644);
  forgetOldChunks(new Set(others.map(({ path }) => basename(path))));
  compileOnce();
}

/**
 * Bundled as ES modules, because only those can be cut in parts; then each part becomes CommonJS, which node starts 10 ms
 * sooner and which V8 can keep compiled. A part is run before whoever imports it, so its exports are final by then.
 */
function asCommonJs({ outputFiles, metafile }) {
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const written = outputFiles.filter(({ path }) => path.endsWith('.cjs'));
  const modules = withoutForwarders(written.map((each) => withoutIdleImports(each, metafile)));
  refuseCycles(modules);
  return modules.map(async ({ path, text, mapPath }) => {
    const map = Buffer.from(texts.get(mapPath)).toString('base64');
    const source = text.replace(/\/\/# sourceMappingURL=.*\n$/, '');
    const { code, map: newMap } = await transform(`${source}//# sourceMappingURL=data:application/json;base64,${map}`, {
      ...FORM,
      format: 'cjs',
      define: { 'import.meta.url': '$own.url' },
      banner: PREAMBLE.filter(({ when }) => when.test(source))
        .map(({ says }) => says)
        .join(''),
      sourcemap: 'external',
      sourcefile: basename(path),
      logLevel: 'warning',
    });
    // What takes the place of something is as long, so that the map stays true.
    const [exportsLine = '', list = ''] =
      /__export\(\w+,\{([^{}]*)\}\);module\.exports=__toCommonJS\(\w+\);/.exec(code) ?? [];
    if (exportsLine === '' && /\bexport\b *[{d]/.test(source.slice(source.lastIndexOf('export')))) {
      throw new Error(`${basename(path)}: its exports were not found`);
    }
    const whole = code
      .replace(exportsLine, ' '.repeat(exportsLine.length))
      .replace(/0&&\(module\.exports=\{[^{}]*\}\);\n$/, '')
      .replaceAll(new RegExp(LATER, 'g'), '$$parts($1)')
      .replaceAll(new RegExp(`=require\\((${SELDOM})\\)`, 'g'), '=$$onCall($1)');
    const exported = exportsLine === '' ? '' : `module.exports={${list.replaceAll(':()=>', ':')}};\n`;
    return [
      { path, text: `${whole}${exported}//# sourceMappingURL=${basename(path)}.map\n` },
      { path: `${path}.map`, text: withoutForeignTexts(newMap) },
    ];
  });
}

/** Whoever takes nothing from the file of esbuild's own functions need not load it: `baton --version` takes 0.3 ms less. */
function withoutIdleImports({ path, text }, { outputs }) {
  const isOwn = (file) => Object.keys(outputs[relative(ROOT, file).replaceAll('\\', '/')].inputs).length === 0;
  const needed = text.replaceAll(/\bimport"(\.[^"]+\.cjs)";/g, (whole, file) =>
    isOwn(resolve(dirname(path), file)) ? ' '.repeat(whole.length) : whole,
  );
  return { path, text: needed };
}

/**
 * What a part shares with those after it becomes a file of its own, and the part itself only forwards to that file. Here the
 * file takes the name and the place of the part: to open one file less is 0.2 ms less.
 */
function withoutForwarders(modules) {
  const inPlaceOf = new Map();
  for (const { path, text } of modules) {
    const target = forwardedTo(text);
    // In the text the new name takes the place of the old one, and may not be longer, or the map would be wrong.
    if (target !== null && basename(path).length <= basename(target).length) {
      inPlaceOf.set(basename(target), basename(path));
    }
  }
  const names = new Set(inPlaceOf.values());
  return modules
    .filter(({ path }) => !names.has(basename(path)))
    .map(({ path, text }) => {
      const renamed = text.replaceAll(/"(\.[^"]*\/)([^"/]+\.cjs)"/g, (whole, folder, name) => {
        const other = inPlaceOf.get(name);
        return other === undefined ? whole : `"${folder}${other}"`.padEnd(whole.length);
      });
      const name = inPlaceOf.get(basename(path)) ?? basename(path);
      return { path: join(dirname(path), name), text: renamed, mapPath: `${path}.map` };
    });
}

/** The file of which a module exports everything by the same names, and does nothing else. Null: it does more. */
function forwardedTo(text) {
  const code = text.replace(/\/\/# sourceMappingURL=.*\n$/, '').replaceAll('\n', '');
  const [, list, target, more] =
    /^import\{([^{}]*)\}from"(\.[^"]*\/chunk-[^"/]+\.cjs)";(?:import"\.[^"]+";)* *export\{([^{}]*)\};$/.exec(code) ??
    [];
  return list !== undefined && sorted(list) === sorted(more) && !list.includes(' as ') ? target : null;
}

function sorted(list) {
  return list.split(',').sort().join();
}

/** The sources of packages are half of all maps, and to be had where the packages are; their names and lines stay. */
function withoutForeignTexts(mapText) {
  const map = JSON.parse(mapText);
  const isForeign = map.sources.map((source) => source.includes('node_modules/'));
  return JSON.stringify({
    ...map,
    sourcesContent: map.sourcesContent.map((text, index) => (isForeign[index] ? null : text)),
  });
}

/** Exports of a part that waits for itself would not be there yet when they are taken. */
function refuseCycles(modules) {
  const imported = new Map(
    modules.map(({ path, text }) => [
      path,
      [...text.matchAll(/\bfrom"(\.[^"]+\.cjs)"|\bimport"(\.[^"]+\.cjs)"/g)].map(([, from, alone]) =>
        join(dirname(path), from ?? alone),
      ),
    ]),
  );
  const done = new Set();
  const visit = (path, above) => {
    if (above.includes(path))
      throw new Error(`parts import each other: ${[...above, path].map((each) => basename(each)).join(' → ')}`);
    if (done.has(path)) return;
    for (const each of imported.get(path) ?? []) visit(each, [...above, path]);
    done.add(path);
  };
  for (const { path } of modules) visit(path, []);
}

/** The loader comes first, and runs the command with its own `require`. In a map each line is closed by a semicolon. */
async function withLoader([{ text }, { text: mapText }], build) {
  const define = { __BUILD__: JSON.stringify(build) };
  const { code } = await transform(readFileSync(LOADER, 'utf8'), { ...FORM, define });
  const head = `#!/usr/bin/env node\n${code}(function(require){\n`;
  const [own, link] = text.split(/(?=\/\/# sourceMappingURL=)/);
  const map = JSON.parse(mapText);
  const mappings = ';'.repeat(head.split('\n').length - 1) + map.mappings;
  writeWhole(`${COMMAND}.map`, JSON.stringify({ ...map, mappings }), 0o644);
  writeWhole(COMMAND, `${head}${own}})(requirePart);\n${link}`, 0o755);
}

/** What agents run on every turn is started once: what V8 compiles for that is kept for everybody. */
function compileOnce() {
  const workspace = mkdtempSync(join(tmpdir(), 'baton-build-'));
  const run = (args, input = '') =>
    execFileSync(process.execPath, [COMMAND, ...args], { cwd: workspace, input, stdio: ['pipe', 'ignore', 'inherit'] });
  rmSync(COMPILED, { recursive: true, force: true });
  try {
    run(['init']);
    run(['send', '--from', '@one', '--to', '@two', '--text', 'first']);
    // What reads the configuration is compiled as well: it runs after every change.
    writeFileSync(join(workspace, 'baton.yaml'), '# changed\n');
    run(['hook', 'claude', 'stop'], JSON.stringify({ cwd: workspace, last_assistant_message: SUMMARY }));
    // The hook has started this as well; whoever comes second has nothing left to do.
    run(['hook', '--later', 'claude']);
  } finally {
    // The second run of the hook may still write there.
    rmSync(workspace, { recursive: true, force: true, maxRetries: 20 });
  }
}

function digestOf(texts) {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return hash.digest('hex').slice(0, 16);
}

function bundleOf(entryPoints, plugins, isPart) {
  return bundle({
    ...FORM,
    entryPoints,
    outdir: DIST,
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    entryNames: entryPoints.hook === undefined ? '[name]' : 'chunks/[name]-[hash]',
    chunkNames: 'chunks/[name]-[hash]',
    outExtension: { '.js': isPart ? '.cjs' : '.mjs' },
    format: 'esm',
    banner: isPart ? {} : { js: REQUIRE },
    external: EXTERNAL,
    define: { __BATON_VERSION__: JSON.stringify(version) },
    plugins: [...plugins, withoutPrograms, ownRequire, nativeAtOnce],
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

/** With all packages in it: an import opens a few files, and no other version of a package can come between. */
async function bundleLibrary(outdir) {
  const shared = {
    absWorkingDir: ROOT,
    bundle: true,
    external: [...EXTERNAL, SQLITE],
    alias: { yaml: YAML },
    platform: 'node',
    target: 'node20',
    define: { __BATON_VERSION__: JSON.stringify(version) },
    legalComments: 'none',
    logLevel: 'warning',
  };
  const thread = join(ROOT, 'src/adapters/processes/heartbeat-thread.ts');
  const { outputFiles } = await bundle({
    ...shared,
    entryPoints: [thread],
    format: 'cjs',
    plugins: [ownRequire],
    define: { ...shared.define, 'import.meta.url': 'undefined' },
    write: false,
  });
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
  const { metafile, outputFiles: library } = await bundle({
    ...shared,
    entryPoints: LIBRARY,
    outdir,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    sourcemap: 'linked',
    metafile: true,
    plugins: [inlineThread, libraryFirst],
    write: false,
  });
  for (const { path, text } of library) {
    writeWhole(path, path.endsWith('.map') ? withoutForeignTexts(text) : text, 0o644);
  }
  const sources = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  writeWhole(join(DIST, 'notices/library.txt'), noticesText('The library', sources, ROOT), 0o644);
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
