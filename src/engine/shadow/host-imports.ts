/** Finds undeclared imports of a file by its text alone. Nothing is run. */
import { builtinModules } from 'node:module';
import type { ProjectType } from '../../domain/shadow.ts';
import { readNodePackage } from '../../formats/project-type/node.ts';
import { readPythonPackage } from '../../formats/project-type/python.ts';

const NODE_IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"\n]{1,300})\1/g;
const PYTHON_IMPORT = /^[ \t]*(?:import|from)[ \t]+([A-Za-z_][A-Za-z0-9_]*)/gm;

export interface ImportQuestion {
  readonly type: ProjectType;
  readonly texts: ReadonlyMap<string, string>;
  readonly paths: readonly string[];
  /** Modules that come with Python; null where that is not known. */
  readonly pythonModules: ReadonlySet<string> | null;
}

/** Null: not supported for this language. */
export function undeclaredImports(file: string, text: string, question: ImportQuestion): readonly string[] | null {
  if (question.type === 'node' && /\.[cm]?[jt]sx?$/.test(file)) return undeclaredInNode(text, question);
  if (question.type === 'python' && file.endsWith('.py')) return undeclaredInPython(text, question);
  return null;
}

function undeclaredInNode(text: string, { texts }: ImportQuestion): readonly string[] {
  const own = readNodePackage(texts.get('package.json'));
  const declared = new Set([
    ...Object.keys(own?.dependencies ?? {}),
    ...Object.keys(own?.devDependencies ?? {}),
    ...Object.keys(own?.optionalDependencies ?? {}),
    ...Object.keys(own?.peerDependencies ?? {}),
    ...(typeof own?.name === 'string' ? [own.name] : []),
  ]);
  const imported = [...text.matchAll(NODE_IMPORT)]
    .map((found) => found[2] ?? '')
    .filter((name) => !/^[./#]|^[a-z]+:/.test(name))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  return [...new Set(imported)].filter((name) => !declared.has(name) && !builtinModules.includes(name));
}

/** Compares by name only, although names of packages and modules may differ. */
function undeclaredInPython(text: string, { texts, paths, pythonModules }: ImportQuestion): readonly string[] | null {
  if (pythonModules === null) return null;
  const { dependencies } = readPythonPackage(texts);
  const listed = (texts.get('requirements.txt') ?? '')
    .split('\n')
    .map((line) => /^[A-Za-z0-9._-]+/.exec(line.trim())?.[0] ?? '');
  const declared = new Set([...dependencies, ...listed].map((name) => name.toLowerCase().replaceAll('-', '_')));
  const own = new Set(
    paths.flatMap(
      (path) =>
        path
          .replace(/^src\//, '')
          .replace(/\.py$/, '')
          .split('/')[0] ?? [],
    ),
  );
  const imported = [...text.matchAll(PYTHON_IMPORT)].map((found) => found[1] ?? '');
  return [...new Set(imported)].filter(
    (name) => !pythonModules.has(name) && !own.has(name) && !declared.has(name.toLowerCase()),
  );
}
