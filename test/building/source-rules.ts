/** The rules of style that a machine can judge: each answers complaints with file and line, or nothing. */
import ts from 'typescript';

/** Names that say nothing about what lies behind them. */
const EMPTY_NAMES = ['util', 'utils', 'helper', 'helpers', 'manager', 'service', 'common', 'data', 'info'];

/** In pieces, because this file is read by the test as well. */
const UNFINISHED = new RegExp(`\\b(?:${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')})\\b`);

/** Where packages come from is the user's configuration, and none of our business. */
const REGISTRY_HOSTS = [
  /\bregistry\.[a-z0-9-]+\.(?:org|com|io|dev|net)\b/i,
  /\b(?:npm\.pkg\.github|pypi|pythonhosted|rubygems|proxy\.golang)\.(?:org|com)\b/i,
  /\bcrates\.io\b/i,
  /"resolved":\s*"https?:/,
];

/** An absolute path of somebody's machine; the same word as a folder inside another path is no such thing. */
const MACHINE_PATH = /(?<![\w.~})*-])\/(?:work|root)\//;

/** The one file that may write a draft and give it its name. */
const FILE_WRITER = 'src/foundation/atomic-file.ts';
const WRITES = ['open', 'openSync', 'writeFile', 'writeFileSync', 'createWriteStream', 'copyFile', 'copyFileSync'];
const GIVES_NAME = ['rename', 'renameSync', 'link', 'linkSync'];

/** Whatever breaks a rule of syntax or of file writing has one of these words; two files of three have none and are not parsed. */
const TELLING_WORD = new RegExp(
  `\\b(?:${['any', 'default', 'enum', 'module', 'namespace', ...GIVES_NAME].join('|')})\\b`,
);

export function judgeSource(file: string, text: string): readonly string[] {
  const complaints = [...judgeName(file), ...judgeUnfinished(file, text)];
  if (!TELLING_WORD.test(text)) return complaints;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  return [...complaints, ...judgeSyntax(source), ...(file === FILE_WRITER ? [] : judgeFileWriting(source))];
}

export function judgePublished(file: string, text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line, index) => [
      ...(REGISTRY_HOSTS.some((host) => host.test(line)) ? [`${file}:${index + 1} names a package registry`] : []),
      ...(MACHINE_PATH.test(line) ? [`${file}:${index + 1} names a path of one machine`] : []),
    ]);
}

/** The last word of a name is what the thing is: `data-version` is a version, `handoff-data` is nothing. */
function judgeName(file: string): readonly string[] {
  const names = file.replace(/\.ts$/, '').split('/');
  const empty = names.find((name) => EMPTY_NAMES.includes(name.split(/[-.]/).at(-1) ?? ''));
  const complaints = empty === undefined ? [] : [`${file}:1 is named after nothing (${empty})`];
  const isKebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(names.at(-1) ?? '');
  return isKebab ? complaints : [...complaints, `${file}:1 is not named in kebab-case`];
}

function judgeUnfinished(file: string, text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line, index) => (UNFINISHED.test(line) ? [`${file}:${index + 1} is unfinished`] : []));
}

function judgeSyntax(source: ts.SourceFile): readonly string[] {
  const complaints: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = forbiddenSyntax(node);
    if (name !== null) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      complaints.push(`${source.fileName}:${line} uses ${name}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return complaints;
}

/** A path that a file both writes and renames is a draft: those have one writer, with all that was learned of it. */
function judgeFileWriting(source: ts.SourceFile): readonly string[] {
  const written = new Set<string>();
  const named: { readonly path: string; readonly line: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const name = nameOfCalled(node.expression);
      const [first, second] = node.arguments.map((argument) => argument.getText(source));
      const path = name.startsWith('copyFile') ? second : first;
      if (path !== undefined && WRITES.includes(name)) written.add(path);
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      if (path !== undefined && GIVES_NAME.includes(name)) named.push({ path, line });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return named
    .filter(({ path }) => written.has(path))
    .map(({ line }) => `${source.fileName}:${line} writes a file and renames it; ${FILE_WRITER} does that`);
}

/** The last word of `renameSync` and of `fs.renameSync`. */
function nameOfCalled(called: ts.Expression): string {
  if (ts.isPropertyAccessExpression(called)) return called.name.text;
  return ts.isIdentifier(called) ? called.text : '';
}

function forbiddenSyntax(node: ts.Node): string | null {
  if (node.kind === ts.SyntaxKind.AnyKeyword) return 'any';
  if (ts.isEnumDeclaration(node)) return 'an enum';
  if (ts.isModuleDeclaration(node)) return 'a namespace';
  if (ts.isExportAssignment(node)) return 'a default export';
  if (ts.isExportSpecifier(node) && node.name.text === 'default') return 'a default export';
  return node.kind === ts.SyntaxKind.DefaultKeyword && !ts.isDefaultClause(node.parent) ? 'a default export' : null;
}
