/**
 * What kind of project a repository holds, and which commands install, import, run and test it (V5). Reads the texts of
 * its own files only; nothing of the project is run to find out.
 */
import type { CommandOverrides, ProjectCommands } from '../../domain/shadow-plan.ts';
import { shellWord, type ProjectType } from '../../domain/shadow.ts';
import { goCommands, goModules } from './go.ts';
import { CHECKOUT_FILES, type LanguageCommands, type ProjectSource } from './language.ts';
import { nodeCommands, nodeModules } from './node.ts';
import { pythonCommands, pythonModules } from './python.ts';
import { rustCommands, rustModules } from './rust.ts';

/** The first of these files at the top of a repository names its type. */
const TYPE_BY_FILE = {
  'package.json': 'node',
  'pyproject.toml': 'python',
  'setup.cfg': 'python',
  'setup.py': 'python',
  'requirements.txt': 'python',
  'Cargo.toml': 'rust',
  'go.mod': 'go',
} as const satisfies Record<string, ProjectType>;
export const DECIDING_FILES = Object.keys(TYPE_BY_FILE) as readonly (keyof typeof TYPE_BY_FILE)[];

export function detectProjectType({ paths }: Pick<ProjectSource, 'paths'>): ProjectType | null {
  const file = DECIDING_FILES.find((name) => paths.includes(name));
  return file === undefined ? null : TYPE_BY_FILE[file];
}

interface Language {
  readonly commands: (source: ProjectSource, modules: readonly string[]) => LanguageCommands;
  readonly modules: (source: ProjectSource) => readonly string[];
}

const LANGUAGES: Record<ProjectType, Language> = {
  node: { commands: nodeCommands, modules: nodeModules },
  python: { commands: pythonCommands, modules: pythonModules },
  rust: { commands: rustCommands, modules: rustModules },
  go: { commands: goCommands, modules: goModules },
};

/** The modules that the changed files are, in the words of the language. */
export function affectedModules(type: ProjectType, source: ProjectSource): readonly string[] {
  return LANGUAGES[type].modules(source);
}

export function commandsFor(
  type: ProjectType,
  source: ProjectSource,
  overrides: CommandOverrides = {},
): ProjectCommands {
  const own = LANGUAGES[type].commands(source, affectedModules(type, source));
  return {
    install: overrides.install === undefined ? own.install : inSource(overrides.install),
    installedFiles: overrides.install === undefined ? own.installedFiles : CHECKOUT_FILES,
    imports: overrides.import === undefined ? own.imports : inSource(overrides.import),
    cli: overrides.cli === undefined ? own.cli : inSource(overrides.cli),
    modules: inSource(own.modules),
    test: inSource(overrides.test ?? own.test),
    affectedTest: inSource(own.affectedTest),
    baseTest: baseTestOf(source, own.prepareCheckout, overrides.test ?? own.checkoutTest),
    testNeedsInstall: own.testNeedsInstall || overrides.install !== undefined,
  };
}

function inSource(command: string | null): string | null {
  return command === null ? null : `cd "$SOURCE" && ${command}`;
}

/** Runs in a checkout of its own, away from what the change left behind. */
function baseTestOf({ repository, base }: ProjectSource, prepare: string | null, test: string | null): string | null {
  if (base === null || test === null) return null;
  const url = shellWord(`https://github.com/${repository}`);
  const steps = [
    'rm -rf /workspace/.base',
    `git clone -q --no-checkout ${url} /workspace/.base`,
    'cd /workspace/.base',
    `git checkout -q ${base}`,
    ...(prepare === null ? [] : [prepare]),
    test,
  ];
  return steps.join(' && ');
}
