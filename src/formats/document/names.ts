/** Names of document files: `handoff-{from}-{to}-{task}-{YYYYMMDD}.md`, with `-2` for the second of a day. */
import { readHandoffId, type HandoffId } from '../../domain/names.ts';

export const DOCUMENT_EXTENSION = '.md';
/** An id has at most 128 characters; the rest is for the day and its number. */
const STEM_MAX = 112;
const TASK_MIN = 24;

export interface NameParts {
  readonly from: string;
  readonly to: string;
  readonly task: string | null;
  /** In UTC, like every instant in a document. */
  readonly createdAt: number;
}

/** `nth` counts from one. */
export function documentId(parts: NameParts, nth = 1): HandoffId {
  const { from, to } = parts;
  const agents = `handoff-${from}-${to}`.slice(0, STEM_MAX - TASK_MIN - 1);
  const stem = `${agents}-${taskPart(parts.task)}`.slice(0, STEM_MAX);
  const id = readHandoffId(`${stem}-${dayOf(parts.createdAt)}${nth === 1 ? '' : `-${nth}`}`);
  if (id === null) throw new Error(`${stem} is not a valid document name`);
  return id;
}

export function fileNameOf(id: HandoffId): string {
  return `${id}${DOCUMENT_EXTENSION}`;
}

/** Null: the name is not that of a document. */
export function idInFileName(name: string): HandoffId | null {
  if (!name.endsWith(DOCUMENT_EXTENSION) || !/^handoff-.+-\d{8}(?:-[1-9]\d*)?\.md$/.test(name)) return null;
  return readHandoffId(name.slice(0, -DOCUMENT_EXTENSION.length));
}

/** Whether these parts make this name, perhaps as the second or third of its day. */
export function matchesName(id: string, parts: NameParts): boolean {
  const first: string = documentId(parts);
  return id === first || (id.startsWith(`${first}-`) && /^[1-9]\d*$/.test(id.slice(first.length + 1)));
}

/** The folder of the archive for documents that were settled at this time: `2026/02`. */
export function archiveMonth(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7).replace('-', '/');
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10).replaceAll('-', '');
}

function taskPart(task: string | null): string {
  const plain = (task ?? '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  return plain === '' ? 'no-task' : plain;
}
