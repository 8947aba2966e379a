/**
 * Judges which layer may import which. A file may import its own layer and the layers that `MAY_IMPORT` names for it;
 * there are no exceptions.
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

/** The files that describe what a store, folder, agent host or sandbox does; everything else in these folders does it. */
const CONTRACTS: readonly string[] = [
  'src/stores/store.ts',
  'src/stores/token-store.ts',
  'src/stores/query.ts',
  'src/stores/agent-session-store.ts',
  'src/stores/schedule-store.ts',
  'src/stores/pause-store.ts',
  'src/stores/offer-reader.ts',
  'src/folders/folder.ts',
  'src/folders/queue-folder-names.ts',
  'src/agents/agent-host.ts',
  'src/shadows/sandbox.ts',
];

const MODEL = ['foundation', 'domain'] as const;
const ENGINE = [...MODEL, 'formats', 'contracts', 'engine', 'operations'] as const;

/** From the inside out: each layer names only layers above it in this table. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  foundation: [],
  domain: ['foundation'],
  formats: MODEL,
  contracts: MODEL,
  stores: [...MODEL, 'contracts'],
  folders: [...MODEL, 'formats', 'contracts'],
  shadows: [...MODEL, 'contracts'],
  agents: [...MODEL, 'formats', 'contracts'],
  engine: [...MODEL, 'formats', 'contracts'],
  operations: [...MODEL, 'formats', 'contracts', 'engine'],
  workspace: ENGINE,
  adapters: [...ENGINE, 'workspace', 'stores', 'folders', 'shadows', 'agents'],
  interfaces: [...ENGINE, 'workspace', 'adapters'],
  app: [...ENGINE, 'workspace', 'adapters', 'stores', 'folders', 'shadows', 'agents', 'interfaces'],
  'index.ts': [...ENGINE, 'interfaces', 'app'],
  'testing.ts': ['app'],
};

/** In these, a folder knows nothing of its neighbours except what lies beside them or in `shared/`. */
const SEPARATE_PARTS = ['stores', 'folders', 'shadows', 'interfaces'];

/** These know the contract that they fulfil, and no other. */
const CONCRETE = ['stores', 'folders', 'shadows', 'agents'];

interface Place {
  readonly layer: string;
  /** The top-level folder, which for a contract is not its layer. */
  readonly family: string;
  readonly part: string | null;
}

/** One complaint per forbidden import, with file and line. */
export function judgeDirection(imports: readonly Import[]): readonly string[] {
  return imports.flatMap((each) => {
    const problem = isRelative(each.specifier) ? judgeOurs(each) : judgePackage(each);
    return problem === null ? [] : [`${each.file}:${each.line} ${problem}`];
  });
}

function judgeOurs(each: Import): string | null {
  const target = targetOf(each);
  const from = placeOf(each.file);
  const to = placeOf(target);
  if (from === null) return 'lies in no layer';
  if (to === null) return `imports ${target}, which lies in no layer`;
  return mayImport(from, to) ? null : `${nameOf(from)} may not import ${target} (${nameOf(to)})`;
}

function judgePackage(each: Import): string | null {
  const layer = placeOf(each.file)?.layer;
  const isBuiltin = each.specifier.startsWith('node:');
  if (layer === 'domain') return `domain may import nothing from outside, not even ${each.specifier}`;
  if (layer === 'foundation' && !isBuiltin) return `foundation may import no package, not even ${each.specifier}`;
  return null;
}

function mayImport(from: Place, to: Place): boolean {
  if (to.layer !== from.layer) {
    const isOfAnother = to.layer === 'contracts' && CONCRETE.includes(from.layer) && to.family !== from.family;
    return MAY_IMPORT[from.layer]?.includes(to.layer) === true && !isOfAnother;
  }
  if (from.layer === 'contracts') return to.family === from.family;
  if (!SEPARATE_PARTS.includes(from.layer)) return true;
  return to.part === from.part || to.part === null || to.part === 'shared';
}

function placeOf(file: string): Place | null {
  const [, top = '', second = '', ...deeper] = file.split('/');
  const layer = CONTRACTS.includes(file) ? 'contracts' : top;
  if (MAY_IMPORT[layer] === undefined) return null;
  return { layer, family: top, part: deeper.length > 0 ? second : null };
}

function nameOf({ layer, family, part }: Place): string {
  if (layer === 'contracts') return `contract of ${family}`;
  return part === null || !SEPARATE_PARTS.includes(layer) ? layer : `${layer}/${part}`;
}

/** Which top-level folders of `src/` import each other; a layer table with a mistake would show here. */
export function findFolderCycles(imports: readonly Import[]): readonly string[] {
  const edges = imports
    .filter(({ specifier }) => isRelative(specifier))
    .map((each) => ({
      ...each,
      specifier: `./${folderOf(targetOf(each))}`,
      file: folderOf(each.file),
      kind: 'value' as const,
    }))
    .filter(({ file, specifier }) => `./${file}` !== specifier);
  return findCycles(edges);
}

function folderOf(file: string): string {
  const place = placeOf(file);
  return place?.layer === 'contracts' ? `${place.family}-contract` : (file.split('/')[1] ?? file);
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
