/** Writes new task files and edits single fields of existing ones; everything else stays to the byte. */
import { assert } from '../../foundation/assert.ts';
import type { TaskId } from '../../domain/names.ts';
import { editDocument } from '../document/edit.ts';
import { readEntries } from '../document/entries.ts';
import { valueText } from '../document/yaml-text.ts';
import { bareLine, bareLines, readTask } from './read.ts';
import type { TaskStatus } from './vocabulary.ts';

interface NewTask {
  readonly id: TaskId;
  readonly title: string;
  readonly status: TaskStatus;
  readonly owner: string | null;
  /** An instant in ISO 8601. */
  readonly createdAt: string;
}

export function writeTask({ id, title, status, owner, createdAt }: NewTask): string {
  const fields = [
    ['id', id],
    ['title', title],
    ['status', status],
    ['owner', owner],
    ['created_at', createdAt],
    ['updated_at', createdAt],
  ] as const;
  const lines = fields.map(([key, value]) => `${key}:${valueText(value)}`);
  return `---\n${lines.join('\n')}\n---\n\n# ${title.replaceAll(/\s+/g, ' ').trim()}\n`;
}

interface TaskChange {
  readonly status: TaskStatus;
  readonly owner: string;
  /** Written where the file has `updated_at`. */
  readonly at: string;
}

/** Only for a text that `readTask` could read. Answers the same text where nothing differs. */
export function editTask(text: string, { status, owner, at }: TaskChange): string {
  const read = readTask(text);
  assert('form' in read, 'only what can be read is edited');
  const wanted = {
    ...(flat(read.status) === flat(status) ? {} : { status: status as string }),
    ...(agentIn(read.owner) === agentIn(owner)
      ? {}
      : { owner: read.owner?.startsWith('@') === true ? `@${owner}` : owner }),
  };
  if (Object.keys(wanted).length === 0) return text;
  return read.form === 'bare' ? editBare(text, wanted, at) : editFrontMatter(text, wanted, at);
}

type Wanted = { readonly status?: string; readonly owner?: string };

function editFrontMatter(text: string, wanted: Wanted, at: string): string {
  const isDated = readEntries(text).entries.some(({ key }) => key === 'updated_at');
  return editDocument(text, { ...wanted, ...(isDated ? { updated_at: at } : {}) });
}

function editBare(text: string, wanted: Wanted, at: string): string {
  const changes = { ...wanted, ...(bareLine(bareLines(text), 'updated_at') === undefined ? {} : { updated_at: at }) };
  return Object.entries(changes).reduce((whole, [key, value]) => setBare(whole, key, value), text);
}

function setBare(text: string, key: string, value: string): string {
  const lines = bareLines(text);
  const line = bareLine(lines, key);
  if (line !== undefined) {
    const gap = line.valueFrom === line.valueTo && text[line.valueFrom - 1] === ':' ? ' ' : '';
    return `${text.slice(0, line.valueFrom)}${gap}${value}${text.slice(line.valueTo)}`;
  }
  const neighbour = bareLine(lines, 'status') ?? lines.at(-1);
  const place = neighbour?.lineTo ?? 0;
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const isEnded = place === 0 || text[place - 1] === '\n';
  return `${text.slice(0, place)}${isEnded ? '' : lineEnd}${key}: ${value}${lineEnd}${text.slice(place)}`;
}

/** `in progress` and `IN_PROGRESS` are the same status. */
function flat(word: string | null): string | undefined {
  return word?.toLowerCase().replaceAll(/[\s_-]+/g, '');
}

function agentIn(owner: string | null): string | undefined {
  return owner?.trim().replace(/^@/, '').toLowerCase();
}
