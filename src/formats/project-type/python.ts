/** Python projects, by pyproject.toml, setup.cfg or setup.py. */
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
import { tomlTable, tomlText } from './toml-fields.ts';

const VENV = '/tmp/venv';
const PYTHON = `${VENV}/bin/python`;
/** For the commit before the change, so that the two packages do not meet. */
const BASE_VENV = '/tmp/base-venv';
const CODE = /\.py$/;
const TEST_FILE = /(?:^|\/)(?:tests?\/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)/;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface PythonPackage {
  readonly name: string | null;
  readonly scripts: readonly string[];
  readonly dependencies: readonly string[];
}

export function readPythonPackage(texts: ReadonlyMap<string, string>): PythonPackage {
  const toml = texts.get('pyproject.toml') ?? '';
  const project = tomlTable(toml, 'project');
  const named = tomlText(project, 'name') ?? nameIn(texts.get('setup.cfg')) ?? nameIn(texts.get('setup.py'));
  const scripts = tomlTable(toml, 'project.scripts')
    .map((line) => /^["']?([A-Za-z0-9._-]+)["']?\s*=/.exec(line)?.[1])
    .filter((name): name is string => name !== undefined);
  return { name: named, scripts, dependencies: dependenciesIn(project.join('\n')) };
}

function nameIn(text: string | undefined): string | null {
  return /^\s*name\s*=\s*["']?([A-Za-z0-9._-]+)/m.exec(text ?? '')?.[1] ?? null;
}

function dependenciesIn(project: string): readonly string[] {
  const list = /(?:^|\n)dependencies\s*=\s*\[([^\]]*)\]/.exec(project)?.[1] ?? '';
  return [...list.matchAll(/["']([A-Za-z0-9][A-Za-z0-9._-]*)/g)].map((found) => found[1] ?? '');
}

/** `src/pkg/a.py` is `pkg.a`. */
export function pythonModules(source: ProjectSource): readonly string[] {
  const files = changedCode(source, (path) => CODE.test(path) && !TEST_FILE.test(path) && path !== 'setup.py');
  const modules = files.flatMap((path) => {
    const parts = path.replace(/^src\/|\.py$/g, '').split('/');
    const named = parts.at(-1) === '__init__' ? parts.slice(0, -1) : parts;
    return named.length > 0 && named.every((part) => IDENTIFIER.test(part)) ? named.join('.') : [];
  });
  return [...new Set(modules)];
}

/** The packages and modules at the top, which an installation provides. */
function topModules({ paths }: ProjectSource): readonly string[] {
  const below = paths.some((path) => path.startsWith('src/') && CODE.test(path))
    ? paths.filter((path) => path.startsWith('src/')).map((path) => path.slice('src/'.length))
    : paths;
  const packages = below.filter((path) => /^[^/]+\/__init__\.py$/.test(path)).map((path) => path.split('/')[0] ?? '');
  const found =
    packages.length > 0 ? packages : below.filter((p) => /^[^/]+\.py$/.test(p)).map((p) => p.replace(CODE, ''));
  return found.filter(
    (name) => IDENTIFIER.test(name) && !/^(?:setup|conftest|tests?)$/.test(name) && !name.startsWith('test_'),
  );
}

export function pythonCommands(source: ProjectSource, modules: readonly string[]): LanguageCommands {
  const own = readPythonPackage(source.texts);
  const tops = topModules(source);
  const [script] = own.scripts;
  const isPackage = ['pyproject.toml', 'setup.cfg', 'setup.py'].some((name) => source.texts.has(name));
  const loaded = modules.length > 0 ? modules : tops;
  return {
    install: isPackage
      ? wheelCommand(VENV, '/tmp/wheel', shellWord(`git+https://github.com/${source.repository}@${source.commit}`), own)
      : requirementsCommand(source),
    installedFiles: isPackage && tops.length > 0 ? installedCommand(tops) : CHECKOUT_FILES,
    // Run away from the sources, so that only the installed package can be imported.
    imports: tops.length === 0 ? null : `cd ${isPackage ? '/tmp' : '"$SOURCE"'} && ${importCommand(PYTHON, tops)}`,
    cli: script === undefined ? null : `cd /tmp && ${versionOrHelp(`${VENV}/bin/${script}`)}`,
    modules: loaded.length === 0 ? null : importCommand(source.python ?? PYTHON, loaded),
    test: testCommand(source),
    affectedTest: affectedTest(source),
    prepareCheckout: isPackage ? wheelCommand(BASE_VENV, '/tmp/base-wheel', '.', own) : null,
    checkoutTest: testCommand({ ...source, python: isPackage ? `${BASE_VENV}/bin/python` : PYTHON }),
    testNeedsInstall: true,
  };
}

/** Builds with the build tools of the image and installs into an empty environment. */
function wheelCommand(venv: string, wheels: string, from: string, { name }: PythonPackage): string {
  return [
    `python3 -m venv --without-pip ${venv}`,
    `python3 -m pip wheel -q --no-deps --no-build-isolation -w ${wheels} ${from}`,
    `python3 -m pip --python ${venv}/bin/python install -q --find-links ${wheels} --find-links /cache/wheels ` +
      (name === null ? `${wheels}/*.whl` : shellWord(name)),
  ].join(' && ');
}

function requirementsCommand({ texts }: ProjectSource): string {
  const first = `python3 -m venv --without-pip ${VENV}`;
  if (!texts.has('requirements.txt')) return first;
  return `${first} && cd "$SOURCE" && python3 -m pip --python ${PYTHON} install -q --find-links /cache/wheels -r requirements.txt`;
}

function installedCommand(tops: readonly string[]): string {
  const names = tops.flatMap((name) => [`./${name}/*`, `./${name}.py`]).map((each) => `-path ${shellWord(each)}`);
  return (
    `cd "$(${PYTHON} -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')" && ` +
    hashedFiles(`find . -type f -name "*.py" \\( ${names.join(' -o ')} \\)`)
  );
}

function importCommand(python: string, modules: readonly string[]): string {
  const program = 'import importlib, sys; [importlib.import_module(m) for m in sys.argv[1:]]';
  return `${python} -c ${shellWord(program)} ${modules.map(shellWord).join(' ')}`;
}

function testCommand({ paths, texts, python = PYTHON }: ProjectSource): string | null {
  if (!paths.some((path) => CODE.test(path) && TEST_FILE.test(path))) return null;
  return usesPytest(texts) ? `${python} -m pytest -q` : `${python} -m unittest discover`;
}

function usesPytest(texts: ReadonlyMap<string, string>): boolean {
  return [...texts.values()].some((text) => /\[tool[.:]pytest|\bpytest\b/.test(text));
}

function affectedTest(source: ProjectSource): string | null {
  const tests = affectedTestFiles(source, (path) => CODE.test(path) && TEST_FILE.test(path));
  if (tests.length === 0) return null;
  return `${PYTHON} -m ${usesPytest(source.texts) ? 'pytest -q' : 'unittest'} ${tests.map(shellWord).join(' ')}`;
}
