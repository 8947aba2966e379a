/**
 * Judges which room of the house may import which: a line of code may import only what lies to its left.
 *
 *   foundation ← domain ← dialects, contracts ← engine ← faces ← house
 */
import { posix } from 'node:path';
import ts from 'typescript';

export interface Import {
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
  /** `lazy` is a dynamic import: it has a direction, but closes no cycle while modules are loaded. */
  readonly kind: 'value' | 'type' | 'lazy';
}

const CONTRACTS: Readonly<Record<string, string>> = {
  'src/stores/store.ts': 'stores',
  'src/stores/token-store.ts': 'stores',
  'src/stores/query.ts': 'stores',
  'src/folders/folder.ts': 'folders',
  'src/agents/agent-host.ts': 'agents',
  'src/shadows/sandbox.ts': 'shadows',
};

/** The rooms by kind; `part` tells concrete neighbours of one family, and the faces, apart. */
type Room =
  | { readonly kind: 'index' | 'foundation' | 'domain' | 'dialects' | 'engine' | 'house' }
  | { readonly kind: 'contract'; readonly family: string }
  | { readonly kind: 'concrete'; readonly family: string; readonly part: string | null }
  | { readonly kind: 'face'; readonly part: string };

const INNER = ['foundation', 'domain', 'dialects', 'contract', 'engine'];

/** One complaint per forbidden import, with file and line; the last word on direction is `mayImport`. */
export function judgeDirection(imports: readonly Import[]): readonly string[] {
  return imports.flatMap((each) => {
    const problem = isRelative(each.specifier) ? judgeOurs(each) : judgePackage(each);
    return problem === null ? [] : [`${each.file}:${each.line} ${problem}`];
  });
}

function judgeOurs(each: Import): string | null {
  const target = targetOf(each);
  const from = roomOf(each.file);
  const to = roomOf(target);
  if (from === null) return 'lies in no room of the house';
  if (to === null) return `imports ${target}, which lies in no room of the house`;
  return mayImport(from, to, each.kind) ? null : `${nameOf(from)} may not import ${target} (${nameOf(to)})`;
}

function judgePackage(each: Import): string | null {
  const kind = roomOf(each.file)?.kind;
  const isBuiltin = each.specifier.startsWith('node:');
  if (kind === 'domain') return `domain may import nothing from outside, not even ${each.specifier}`;
  if (kind === 'foundation' && !isBuiltin) return `foundation may import no package, not even ${each.specifier}`;
  return null;
}

function mayImport(from: Room, to: Room, how: Import['kind']): boolean {
  switch (from.kind) {
    case 'foundation':
      return to.kind === 'foundation';
    case 'domain':
      return ['foundation', 'domain'].includes(to.kind);
    case 'dialects':
      return ['foundation', 'domain', 'dialects'].includes(to.kind);
    case 'contract':
      return ['foundation', 'domain'].includes(to.kind) || (to.kind === 'contract' && to.family === from.family);
    case 'concrete':
      return mayConcreteImport(from.family, from.part, to);
    case 'engine':
      return INNER.includes(to.kind);
    case 'face':
      if (to.kind === 'face') return to.part === from.part || to.part === 'shared';
      if (to.kind === 'contract') return how === 'type';
      // The command's entry is where the house is wired.
      return INNER.includes(to.kind) || (to.kind === 'house' && from.part === 'cli');
    case 'house':
      return to.kind !== 'index';
    case 'index':
      return INNER.includes(to.kind) || to.kind === 'house';
  }
}

/** Folders speak in written forms and so know the dialects; files beside the contract are shared by their family. */
function mayConcreteImport(family: string, part: string | null, to: Room): boolean {
  if (to.kind === 'contract') return to.family === family;
  if (to.kind === 'concrete') return to.family === family && (to.part === part || to.part === null);
  if (to.kind === 'dialects') return family === 'folders';
  return ['foundation', 'domain'].includes(to.kind);
}

function roomOf(file: string): Room | null {
  const family = CONTRACTS[file];
  if (family !== undefined) return { kind: 'contract', family };
  const [, top = '', second = '', ...deeper] = file.split('/');
  const isInFolder = deeper.length > 0;
  switch (top) {
    case 'index.ts':
      return { kind: 'index' };
    case 'foundation':
    case 'domain':
    case 'dialects':
    case 'engine':
    case 'house':
      return { kind: top };
    case 'stores':
    case 'folders':
    case 'agents':
    case 'shadows':
      return { kind: 'concrete', family: top, part: isInFolder ? second : null };
    case 'faces':
      return isInFolder ? { kind: 'face', part: second } : null;
    default:
      return null;
  }
}

function nameOf(room: Room): string {
  if (room.kind === 'contract') return `contract of ${room.family}`;
  if (room.kind === 'concrete') return room.part === null ? room.family : `${room.family}/${room.part}`;
  return room.kind === 'face' ? `faces/${room.part}` : room.kind;
}

/** Each cycle once, as `a → b → a`. Types close no cycle: they are gone when the program runs. */
export function findCycles(imports: readonly Import[]): readonly string[] {
  const edges = new Map<string, string[]>();
  for (const each of imports) {
    if (each.kind !== 'value' || !isRelative(each.specifier)) continue;
    edges.set(each.file, [...(edges.get(each.file) ?? []), targetOf(each)]);
  }
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push([...path.slice(start), file].join(' → '));
    if (start >= 0 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) walk(file, []);
  return cycles;
}

/** Reads static, dynamic and type imports and re-exports, as the compiler sees them. */
export function readImports(file: string, text: string): readonly Import[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const reference = referenceIn(node);
    if (reference !== null) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      found.push({ file, line, ...reference });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** `import { type A }` counts as a value: the compiler keeps the bare import, and the module is loaded. */
function referenceIn(node: ts.Node): Pick<Import, 'specifier' | 'kind'> | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const isType = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return { specifier: node.moduleSpecifier.text, kind: isType ? 'type' : 'value' };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, kind: node.isTypeOnly ? 'type' : 'value' };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [target] = node.arguments;
    return target !== undefined && ts.isStringLiteralLike(target) ? { specifier: target.text, kind: 'lazy' } : null;
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return { specifier: node.argument.literal.text, kind: 'type' };
  }
  return null;
}

function targetOf(each: Import): string {
  return posix.normalize(posix.join(posix.dirname(each.file), each.specifier));
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('./') || specifier.startsWith('../');
}
