/** The audit trail as JSON lines and as CSV. */
import type { JsonObject } from '../../../foundation/json.ts';
import type { AuditEntry } from '../../../engine/handoffs/projects.ts';
import { summaryFrom } from '../../../domain/summary-in-fact.ts';

const COLUMNS = [
  'number',
  'at',
  'handoff',
  'revision',
  'deed',
  'by',
  'state_before',
  'state',
  'attempt',
  'sender',
  'recipient',
  'task',
  'title',
  'project',
  'phase',
  'status',
  'next_agent',
  'detail',
  'hash',
] as const;

export type AuditRow = Readonly<Record<(typeof COLUMNS)[number], string | number | null>>;

/** `number` counts from 1 in this export. */
export function auditRow({ fact, handoff }: AuditEntry, number: number): AuditRow {
  const said = fact.detail === '' ? {} : (JSON.parse(fact.detail) as JsonObject);
  const summary = summaryFrom(said);
  const leg = said['leg'];
  const project = summary?.project ?? (typeof leg === 'object' ? (leg as JsonObject | null)?.['project'] : null);
  return {
    number,
    at: new Date(fact.at).toISOString(),
    handoff: fact.handoff,
    revision: fact.revision,
    deed: fact.deed,
    by: fact.by,
    state_before: fact.from,
    state: fact.to,
    attempt: fact.attempt,
    sender: `@${handoff.from}`,
    recipient: `@${handoff.to}`,
    task: handoff.task,
    title: handoff.title,
    project: typeof project === 'string' ? project : null,
    phase: summary?.phase ?? null,
    status: summary?.status ?? null,
    next_agent: summary === null ? null : summary.to === null ? 'None' : `@${summary.to}`,
    detail: fact.detail,
    hash: fact.hash,
  };
}

export function auditJsonLine(row: AuditRow): string {
  const { detail, ...rest } = row;
  return `${JSON.stringify({ ...rest, detail: detail === '' ? null : (JSON.parse(String(detail)) as unknown) })}\n`;
}

export const CSV_HEAD = `${COLUMNS.join(',')}\r\n`;

export function auditCsvLine(row: AuditRow): string {
  return `${COLUMNS.map((column) => cell(row[column])).join(',')}\r\n`;
}

/** A spreadsheet would read these as a formula. An apostrophe makes the cell text. */
const FORMULA = /^[=+\-@\t\r]/;

/** RFC 4180. Numbers stay numbers. */
function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
