/** Text of a document → its fields, its body, and everything that is wrong with it, each with line and column. */
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { readEntries, type DocumentProblem, type Entry } from './entries.ts';
import { placeAt } from './front-matter.ts';
import { DocumentShape, FIELD_NAMES, REQUIRED, WANTED, type DocumentFields, type FieldName } from './schema.ts';
import { readStatus } from './vocabulary.ts';
import type { Said } from './yaml-text.ts';
import { fieldPath, issueText } from '../issue-text.ts';

export type { DocumentProblem } from './entries.ts';
export type SaidFields = { readonly [key: string]: Said };

export interface DocumentRead {
  /** The known ones that are there and sound. */
  readonly fields: DocumentFields;
  /** Every key as it stands there, ours or not. */
  readonly all: SaidFields;
  readonly body: string;
  readonly problems: readonly DocumentProblem[];
}

export function readDocument(text: string): DocumentRead {
  const { frontMatter, entries, problems } = readEntries(text);
  const body = frontMatter === null ? '' : text.slice(frontMatter.bodyFrom);
  const all = Object.fromEntries(entries.map(({ key, value }) => [key, value]));
  if (problems.length > 0) return { fields: {}, all, body, problems };
  const wrong = problemsIn(text, all, entries);
  const bad = new Set(wrong.flatMap(({ severity, field }) => (severity === 'error' ? [nameIn(field)] : [])));
  const sound = FIELD_NAMES.filter((name) => name in all && !bad.has(name));
  const fields = Object.fromEntries(sound.map((name) => [name, said(name, all[name] ?? null)])) as DocumentFields;
  return { fields, all, body, problems: wrong };
}

/** Whether a text means to be a handoff: prose about handoffs has no such front matter. */
export function isHandoffDocument({ all }: Pick<DocumentRead, 'all'>): boolean {
  return 'handoff_id' in all || ('from_agent' in all && 'to_agent' in all);
}

export function errorsIn({ problems }: Pick<DocumentRead, 'problems'>): readonly DocumentProblem[] {
  return problems.filter(({ severity }) => severity === 'error');
}

/** Whom a text names, beside those of the workspace. */
export function verifiersIn({ verifiers }: Pick<DocumentFields, 'verifiers'>): readonly AgentId[] {
  return (verifiers ?? []).flatMap((name) => readAgentId(name) ?? []);
}

/** In one line, as every complaint about a file is written. */
export function problemText({ field, says, line, column }: DocumentProblem): string {
  return `${line}:${column}: ${field === '' ? '' : `${field}: `}${says}`;
}

function problemsIn(text: string, all: SaidFields, entries: readonly Entry[]): readonly DocumentProblem[] {
  const at = (field: string): { readonly line: number; readonly column: number } =>
    placeAt(text, offsetOf(entries, field));
  const missing = REQUIRED.filter((name) => !(name in all)).map((field): DocumentProblem => {
    return { code: 'E_SCHEMA', severity: 'error', field, says: 'is missing', ...at(field) };
  });
  const shaped = DocumentShape.safeParse(all, { error: issueText });
  const wrong = (shaped.success ? [] : shaped.error.issues).flatMap(({ path, message }): readonly DocumentProblem[] => {
    const field = fieldPath(path);
    if (!(nameIn(field) in all)) return [];
    const isEmpty = path.length === 1 && all[field] === null;
    return [{ code: 'E_SCHEMA', severity: 'error', field, says: isEmpty ? 'is empty' : message, ...at(field) }];
  });
  const empty = WANTED.filter((name) => isNothing(all[name] ?? null) && !missing.some(({ field }) => field === name));
  const wanted = empty.map((field): DocumentProblem => {
    return { code: 'E_SCHEMA', severity: 'warning', field, says: 'says nothing', ...at(field) };
  });
  return [...missing, ...wrong, ...wanted];
}

function isNothing(value: Said): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** Words have one spelling behind this door. */
function said(name: FieldName, value: Said): Said {
  return name === 'status' && typeof value === 'string' ? readStatus(value) : value;
}

function nameIn(field: string): FieldName {
  return (/^[^.[]+/.exec(field)?.[0] ?? field) as FieldName;
}

/** Where the value stands, or the nearest thing around it. */
function offsetOf(entries: readonly Entry[], field: string): number {
  const entry = entries.find(({ key }) => key === nameIn(field));
  if (entry === undefined) return 0;
  for (let path = field; path !== ''; path = path.replace(/(?:\.[^.[]*|\[\d+\]|^[^.[]*)$/, '')) {
    const place = entry.places.get(path);
    if (place !== undefined) return place;
  }
  return entry.keyAt;
}
