/** Reads the fields and the body of a document, and all problems with line and column. */
import { readAgentId, type AgentId } from '../../domain/names.ts';
import { readEntries, type DocumentProblem, type Entry } from './entries.ts';
import { placeAt } from './front-matter.ts';
import { DocumentShape, FIELD_NAMES, REQUIRED, RECOMMENDED, type DocumentFields, type FieldName } from './schema.ts';
import { readStatus } from './vocabulary.ts';
import type { YamlValue } from './yaml-text.ts';
import { fieldPath, issueText } from '../issue-text.ts';

export type { DocumentProblem } from './entries.ts';
export type DocumentValues = { readonly [key: string]: YamlValue };

export interface DocumentRead {
  /** The known fields that are present and valid. */
  readonly fields: DocumentFields;
  /** Every key, known or not. */
  readonly all: DocumentValues;
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
  const valid = FIELD_NAMES.filter((name) => name in all && !bad.has(name)).map((name) => {
    const value = all[name] ?? null;
    return [name, name === 'status' && typeof value === 'string' ? readStatus(value) : value];
  });
  return { fields: Object.fromEntries(valid) as DocumentFields, all, body, problems: wrong };
}

/** Whether the front matter is that of a handoff; prose about handoffs has none like it. */
export function isHandoffDocument({ all }: Pick<DocumentRead, 'all'>): boolean {
  return 'handoff_id' in all || ('from_agent' in all && 'to_agent' in all);
}

export function errorsIn({ problems }: Pick<DocumentRead, 'problems'>): readonly DocumentProblem[] {
  return problems.filter(({ severity }) => severity === 'error');
}

/** The verifiers that a text names, besides those of the workspace. */
export function verifiersIn({ verifiers }: Pick<DocumentFields, 'verifiers'>): readonly AgentId[] {
  return (verifiers ?? []).flatMap((name) => readAgentId(name) ?? []);
}

/** In one line. */
export function problemText({ field, says, line, column }: DocumentProblem): string {
  return `${line}:${column}: ${field === '' ? '' : `${field}: `}${says}`;
}

function problemsIn(text: string, all: DocumentValues, entries: readonly Entry[]): readonly DocumentProblem[] {
  const problem = (severity: DocumentProblem['severity'], field: string, says: string): DocumentProblem => {
    return { code: 'E_SCHEMA', severity, field, says, ...placeAt(text, offsetOf(entries, field)) };
  };
  const missing = REQUIRED.filter((name) => !(name in all));
  const shaped = DocumentShape.safeParse(all, { error: issueText });
  const wrong = (shaped.success ? [] : shaped.error.issues).flatMap(({ path, message }): readonly DocumentProblem[] => {
    const field = fieldPath(path);
    if (!(nameIn(field) in all)) return [];
    return [problem('error', field, path.length === 1 && all[field] === null ? 'is empty' : message)];
  });
  const isNothing = (value: YamlValue): boolean => value === null || (Array.isArray(value) && value.length === 0);
  const empty = RECOMMENDED.filter(
    (name) => isNothing(all[name] ?? null) && !(missing as readonly string[]).includes(name),
  );
  return [
    ...missing.map((field) => problem('error', field, 'is missing')),
    ...wrong,
    ...empty.map((field) => problem('warning', field, 'says nothing')),
  ];
}

function nameIn(field: string): FieldName {
  return (/^[^.[]+/.exec(field)?.[0] ?? field) as FieldName;
}

/** The offset of the value, or of the nearest value around it. */
function offsetOf(entries: readonly Entry[], field: string): number {
  const entry = entries.find(({ key }) => key === nameIn(field));
  if (entry === undefined) return 0;
  for (let path = field; path !== ''; path = path.replace(/(?:\.[^.[]*|\[\d+\]|^[^.[]*)$/, '')) {
    const place = entry.places.get(path);
    if (place !== undefined) return place;
  }
  return entry.keyAt;
}
