/** The audit trail as JSON lines and as CSV. */
import { instantText } from '../../../foundation/instant-text.ts';
import type { JsonObject } from '../../../foundation/json.ts';
import type { Report } from '../../../domain/project-report.ts';
import { auditTrail, type AuditEntry } from '../../../engine/handoffs/projects.ts';
import type { Context } from '../../../engine/context.ts';
import { summaryFrom } from '../../../domain/summary-in-fact.ts';

type Cell = string | number | null;

interface AuditedFact extends AuditEntry {
  /** Counts from 1 in this export. */
  readonly number: number;
  readonly project: string | null;
  readonly summary: ReturnType<typeof summaryFrom>;
}

const COLUMNS = {
  number: ({ number }) => number,
  at: ({ fact }) => instantText(fact.at),
  handoff: ({ fact }) => fact.handoff,
  revision: ({ fact }) => fact.revision,
  deed: ({ fact }) => fact.deed,
  by: ({ fact }) => fact.by,
  state_before: ({ fact }) => fact.from,
  state: ({ fact }) => fact.to,
  attempt: ({ fact }) => fact.attempt,
  sender: ({ handoff }) => `@${handoff.from}`,
  recipient: ({ handoff }) => `@${handoff.to}`,
  task: ({ handoff }) => handoff.task,
  title: ({ handoff }) => handoff.title,
  project: ({ project }) => project,
  phase: ({ summary }) => summary?.phase ?? null,
  status: ({ summary }) => summary?.status ?? null,
  next_agent: ({ summary }) => (summary === null ? null : summary.to === null ? 'None' : `@${summary.to}`),
  detail: ({ fact }) => fact.detail,
  hash: ({ fact }) => fact.hash,
} as const satisfies Record<string, (audited: AuditedFact) => Cell>;

type AuditRow = Readonly<Record<keyof typeof COLUMNS, Cell>>;

/** Page by page, because the trail may be long. */
async function* writeLines(
  ctx: Context,
  project: string | null,
  lineOf: (row: AuditRow) => string,
  head = '',
): AsyncGenerator<string> {
  let number = 0;
  yield head;
  for await (const entries of auditTrail(ctx, project)) {
    yield entries.map((entry) => lineOf(auditRow(entry, (number += 1)))).join('');
  }
}

export function writeAuditJson(_found: Report, ctx: Context, project: string | null): AsyncGenerator<string> {
  return writeLines(ctx, project, auditJsonLine);
}

export function writeAuditCsv(_found: Report, ctx: Context, project: string | null): AsyncGenerator<string> {
  return writeLines(ctx, project, auditCsvLine, CSV_HEAD);
}

export function auditRow(entry: AuditEntry, number: number): AuditRow {
  const { detail } = entry.fact;
  const said = detail === '' ? {} : (JSON.parse(detail) as JsonObject);
  const summary = summaryFrom(said);
  const leg = said['leg'];
  const project = summary?.project ?? (typeof leg === 'object' ? (leg as JsonObject | null)?.['project'] : null);
  const audited = { ...entry, number, summary, project: typeof project === 'string' ? project : null };
  return Object.fromEntries(Object.entries(COLUMNS).map(([name, cellOf]) => [name, cellOf(audited)])) as AuditRow;
}

export function auditJsonLine(row: AuditRow): string {
  const { detail, ...rest } = row;
  return `${JSON.stringify({ ...rest, detail: detail === '' ? null : (JSON.parse(String(detail)) as unknown) })}\n`;
}

export const CSV_HEAD = `${Object.keys(COLUMNS).join(',')}\r\n`;

export function auditCsvLine(row: AuditRow): string {
  return `${Object.values(row).map(cell).join(',')}\r\n`;
}

/** A spreadsheet would read these as a formula. An apostrophe makes the cell text. */
const FORMULA = /^[=+\-@\t\r]/;

/** RFC 4180. Numbers stay numbers. */
function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
