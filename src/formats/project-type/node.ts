/** Node projects, by their package.json. */
import * as z from 'zod';
import { orNull } from '../../foundation/or-null.ts';
import { shellWord } from '../../domain/shadow.ts';
import {
  affectedTestFiles,
  changedCode,
  CHECKOUT_FILES,
  hashedFiles,
  versionOrHelp,
  type LanguageCommands,
  type ProjectSource,
} from './language.ts';

const Names = z.record(z.string(), z.unknown()).catch({});

const PackageShape = z.looseObject({
  name: z.string().nullable().catch(null).default(null),
  version: z.string().nullable().catch(null).default(null),
  private: z.boolean().catch(false).default(false),
  main: z.string().nullable().catch(null).default(null),
  exports: z.unknown().optional(),
  bin: z
    .union([z.string(), z.record(z.string(), z.string())])
    .nullable()
    .catch(null)
    .default(null),
  scripts: z.record(z.string(), z.string()).catch({}).default({}),
  dependencies: Names.default({}),
  devDependencies: Names.default({}),
  optionalDependencies: Names.default({}),
  peerDependencies: Names.default({}),
});

export type NodePackage = z.infer<typeof PackageShape>;

const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
/** What `npm init` writes into `scripts.test`: a failure that says nothing. */
const NO_TEST = /no test specified/;
const CODE = /\.(?:js|mjs|cjs)$/;
const TEST_FILE = /(?:^|\/)(?:tests?|__tests__|spec)\/|[.-](?:test|spec)\.[a-z]+$/;

/** Null: the file is absent or no JSON. */
export function readNodePackage(text: string | undefined): NodePackage | null {
  const read = PackageShape.safeParse(orNull(() => JSON.parse(text ?? '') as unknown));
  return read.success ? read.data : null;
}

/** Changed files that can be loaded as modules: no tests, nothing that has to be compiled first. */
export function nodeModules(source: ProjectSource): readonly string[] {
  return changedCode(source, (path) => CODE.test(path) && !TEST_FILE.test(path)).map((path) => `./${path}`);
}

export function nodeCommands(source: ProjectSource, modules: readonly string[]): LanguageCommands {
  const own = readNodePackage(source.texts.get('package.json'));
  const prepareCheckout = checkoutInstall(source, own);
  const entry = entryOf(source, own);
  const test = own?.scripts['test'] === undefined || NO_TEST.test(own.scripts['test']) ? null : 'npm test';
  const shared = {
    modules: loadCommand(modules.length > 0 ? modules : entry === null ? [] : [`./${entry}`]),
    test,
    checkoutTest: test,
    affectedTest: affectedTest(source),
    prepareCheckout,
    testNeedsInstall: prepareCheckout !== null,
  };
  return own !== null && isInstallable(own)
    ? { ...shared, ...asDependency(source, own, prepareCheckout) }
    : { ...shared, ...asCheckout(own, entry, prepareCheckout) };
}

/** A package with a name is installed as its users install it: by its GitHub address, into an empty project. */
function asDependency(
  { repository, commit }: ProjectSource,
  own: NodePackage,
  prepareCheckout: string | null,
): Pick<LanguageCommands, 'install' | 'installedFiles' | 'imports' | 'cli'> {
  const address = `https://github.com/${repository}`;
  // A package with build scripts is installed by npm from git; any other is packed from a clone, which takes half the time.
  const getPackage = hasInstallScript(own)
    ? `npm install ${shellWord(`git+${address}.git#${commit}`)}`
    : `git clone -q ${shellWord(address)} /workspace/.package && git -C /workspace/.package checkout -q ${commit} && ` +
      'npm install --install-links /workspace/.package';
  const name = own.name ?? '';
  const first =
    'mkdir -p "$CONSUMER" && cd "$CONSUMER" && ' +
    `printf '%s' '{"name":"shadow-consumer","version":"1.0.0","private":true}' > package.json && ${getPackage}`;
  const inside = `cd "$CONSUMER"/node_modules/${shellWord(name)}`;
  const command = commandOf(own);
  const hasEntry = own.main !== null || own.exports !== undefined || own.bin === null || typeof own.bin !== 'object';
  return {
    install: [CACHE, first, ...(prepareCheckout === null ? [] : [`cd "$SOURCE" && ${prepareCheckout}`])].join(' && '),
    installedFiles: `${inside} && ${hashedFiles('find . -type f -not -path "./node_modules/*"')}`,
    imports: hasEntry
      ? `cd "$CONSUMER" && node --input-type=module -e ${shellWord(`await import(${JSON.stringify(name)})`)}`
      : null,
    cli: command === null ? null : `cd "$CONSUMER" && ${versionOrHelp(`node_modules/.bin/${command}`)}`,
  };
}

/** An application is used where it lies. */
function asCheckout(
  own: NodePackage | null,
  entry: string | null,
  prepareCheckout: string | null,
): Pick<LanguageCommands, 'install' | 'installedFiles' | 'imports' | 'cli'> {
  const bin = own?.bin ?? null;
  const file = typeof bin === 'string' ? bin : (Object.values(bin ?? {})[0] ?? null);
  return {
    install: `${CACHE} && cd "$SOURCE" && ${prepareCheckout ?? 'npm install --no-package-lock'}`,
    installedFiles: CHECKOUT_FILES,
    imports: entry === null ? null : `cd "$SOURCE" && ${loadCommand([`./${entry}`]) ?? 'true'}`,
    cli:
      file === null ? null : `cd "$SOURCE" && ${versionOrHelp(`node ${shellWord(`./${file.replace(/^\.\//, '')}`)}`)}`,
  };
}

/** npm writes into its cache; the one from outside is read-only. */
const CACHE = '{ [ ! -d /cache/npm ] || [ -d /tmp/npm-cache ] || cp -r /cache/npm /tmp/npm-cache; }';

function isInstallable({ name, version, private: isPrivate }: NodePackage): boolean {
  return name !== null && PACKAGE_NAME.test(name) && version !== null && !isPrivate;
}

function hasInstallScript({ scripts }: NodePackage): boolean {
  return ['preinstall', 'install', 'postinstall', 'prepare'].some((name) => scripts[name] !== undefined);
}

function commandOf({ bin, name }: NodePackage): string | null {
  if (bin === null) return null;
  const command = typeof bin === 'string' ? (name ?? '').split('/').at(-1) : Object.keys(bin)[0];
  return command === undefined || !/^[A-Za-z0-9._-]+$/.test(command) ? null : command;
}

/** Null: the tests of a checkout need nothing that has to be installed. */
function checkoutInstall({ paths }: ProjectSource, own: NodePackage | null): string | null {
  if (own === null) return null;
  const needs = [own.dependencies, own.devDependencies, own.optionalDependencies, own.peerDependencies];
  if (needs.every((each) => Object.keys(each).length === 0) && !hasInstallScript(own)) return null;
  const hasLock = paths.includes('package-lock.json') || paths.includes('npm-shrinkwrap.json');
  return hasLock ? 'npm ci' : 'npm install --no-package-lock';
}

function entryOf({ paths }: ProjectSource, own: NodePackage | null): string | null {
  const there = new Set(paths);
  const named = own?.main?.replace(/^\.\//, '');
  const candidates = [
    ...(named === undefined ? [] : [named, `${named}.js`, `${named}/index.js`]),
    'index.js',
    'index.mjs',
  ];
  return candidates.find((path) => there.has(path)) ?? null;
}

function loadCommand(modules: readonly string[]): string | null {
  if (modules.length === 0) return null;
  const program = 'for (const m of process.argv.slice(1)) await import(new URL(m, `file://${process.cwd()}/`).href)';
  return `node --input-type=module -e ${shellWord(program)} -- ${modules.map(shellWord).join(' ')}`;
}

function affectedTest(source: ProjectSource): string | null {
  const tests = affectedTestFiles(source, (path) => CODE.test(path) && TEST_FILE.test(path));
  return tests.length === 0 ? null : `node --test ${tests.map(shellWord).join(' ')}`;
}
