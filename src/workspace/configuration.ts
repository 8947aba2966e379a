/** Reads `baton.yaml`; every message names file, line and column. */
import { messageOf } from '../foundation/error-message.ts';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { nearestName } from '../foundation/nearest-name.ts';
import { isMap, isNode, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import { placeAt } from '../formats/document/front-matter.ts';
import { DEPTH_MAX, tooDeepAt } from '../formats/document/tokens.ts';
import { AGENT_NAME_RULE, readAgentId, type AgentId } from '../domain/names.ts';
import { ConfigurationProblem } from './configuration-problem.ts';
import { ConfigurationShape, type ConfigurationText } from './configuration-shape.ts';
import { configurationOf, type Configuration } from './configuration-values.ts';
import { issueText } from '../formats/issue-text.ts';

const BYTES_MAX = 256 * 1024;
/** The place in a message of the parser; ours stands in front. */
const PLACE_AT_THE_END = / at line \d+, column \d+:?$/;

export function readConfiguration(path: string): Configuration {
  return parseConfiguration(readFileSync(path, 'utf8'), path).configuration;
}

export function readConfigurationText(path: string): ConfigurationText {
  return parseConfiguration(readFileSync(path, 'utf8'), path).text;
}

export function parseConfiguration(
  text: string,
  path: string,
): { readonly text: ConfigurationText; readonly configuration: Configuration } {
  if (Buffer.byteLength(text) > BYTES_MAX) throw new ConfigurationProblem(`${path}: larger than ${BYTES_MAX} bytes`);
  refuseDepth(text, path);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    const [says = ''] = error.message.split('\n', 1);
    throw new ConfigurationProblem(`${path}:${line}:${col}: ${says.replace(PLACE_AT_THE_END, '')}`);
  }
  refuseAgentNames(document, lines, path);
  const read = ConfigurationShape.safeParse(toPlain(document, path) ?? {}, { error: issueText });
  if (!read.success) {
    const complaints = read.error.issues.map((issue) => {
      const { line, col } = placeOf(document, lines, issue);
      const says = [issue.path.join('.'), issue.message].filter(Boolean).join(': ');
      return `${path}:${line}:${col}: ${says}${guessFor(issue)}`;
    });
    throw new ConfigurationProblem(complaints.join('\n'));
  }
  const configuration = configurationOf(read.data, (at) => {
    const { line, col } = placeOf(document, lines, { path: at });
    return new ConfigurationProblem(`${path}:${line}:${col}: ${at.join('.')}: ${AGENT_NAME_RULE}`);
  });
  return { text: read.data, configuration };
}

function guessFor(issue: Placed): string {
  const [wrong] = issue.code === 'unrecognized_keys' ? (issue.keys ?? []) : [];
  const near = wrong === undefined ? null : nearestName(keysAt(issue.path), wrong);
  return near === null ? '' : `; did you mean ${near}?`;
}

/** The keys that the configuration has at this path. */
function keysAt(path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = ConfigurationShape;
  for (const name of path) {
    if (at instanceof z.ZodObject) at = bare((at.shape as Record<PropertyKey, unknown>)[name]);
    else at = at instanceof z.ZodRecord ? bare(at.valueType) : at instanceof z.ZodArray ? bare(at.element) : null;
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function bare(shape: unknown): unknown {
  return shape instanceof z.ZodOptional || shape instanceof z.ZodNullable ? bare(shape.unwrap()) : shape;
}

/** Checked before parsing, because some depths end the whole process. */
function refuseDepth(text: string, path: string): void {
  const at = tooDeepAt(text);
  if (at === null) return;
  const { line, column } = placeAt(text, at);
  throw new ConfigurationProblem(`${path}:${line}:${column}: nested deeper than ${DEPTH_MAX}`);
}

/** Checks the parsed text: as properties of an object, two spellings of one agent and `__proto__` would get lost. */
function refuseAgentNames(document: Document, lines: LineCounter, path: string): void {
  const agents = document.has('agents') ? document.get('agents', true) : null;
  const seen = new Set<AgentId>();
  for (const { key } of isMap(agents) ? agents.items : []) {
    const name = String(isScalar(key) ? key.value : key);
    const id = readAgentId(name);
    if (id !== null && !seen.has(id)) {
      seen.add(id);
      continue;
    }
    const { line, col } = lines.linePos((isNode(key) && key.range?.[0]) || 0);
    const says = id === null ? AGENT_NAME_RULE : `@${id} stands here twice`;
    throw new ConfigurationProblem(`${path}:${line}:${col}: agents.${name}: ${says}`);
  }
}

function toPlain(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 }) as unknown;
  } catch (error) {
    throw new ConfigurationProblem(`${path}:1:1: ${messageOf(error)}`);
  }
}

interface Placed {
  readonly path: readonly PropertyKey[];
  readonly code?: string;
  readonly keys?: readonly string[];
}

/** The place of the value or of the nearest value around it; for an unknown key, the place of the key. */
function placeOf(document: Document, lines: LineCounter, issue: Placed): { line: number; col: number } {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys?.[0] ?? ''] : [...issue.path];
  for (let depth = path.length; depth > 0; depth -= 1) {
    const place = path.slice(0, depth);
    const isKey = issue.code === 'unrecognized_keys' && depth === path.length;
    const node = isKey ? keyAt(document, place) : document.getIn(place, true);
    const range = isNode(node) ? node.range : null;
    if (range?.[0] !== undefined) return lines.linePos(range[0]);
  }
  return { line: 1, col: 1 };
}

function keyAt(document: Document, path: readonly PropertyKey[]): unknown {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  return isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))?.key : null;
}
