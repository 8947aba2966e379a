/** The formats of `baton report`, each once. Its file is loaded for a report of that format only. */
import type { Report } from '../../../domain/project-report.ts';
import type { Context } from '../../../engine/context.ts';

/** In parts, because the audit trail may be long. `project` is null for a report on everything. */
export type WriteReport = (
  found: Report,
  ctx: Context,
  project: string | null,
) => Iterable<string> | AsyncIterable<string>;

interface Format {
  readonly says: string;
  readonly load: () => Promise<WriteReport>;
}

export const REPORT_FORMATS = {
  md: { says: 'for people (default)', load: async () => whole((await import('./markdown.ts')).reportMarkdown) },
  json: { says: 'for programs', load: async () => whole((await import('./view.ts')).reportJson) },
  junit: { says: 'for pipelines', load: async () => (await import('./junit.ts')).writeJunit },
  html: { says: 'a page', load: async () => whole((await import('./html.ts')).reportHtml) },
  jsonl: { says: 'the audit trail', load: async () => (await import('./audit.ts')).writeAuditJson },
  csv: { says: 'the audit trail', load: async () => (await import('./audit.ts')).writeAuditCsv },
} satisfies Record<string, Format>;

function whole(textOf: (found: Report) => string): WriteReport {
  return (found) => [textOf(found)];
}

export type ReportFormat = keyof typeof REPORT_FORMATS;
export const REPORT_FORMAT_NAMES = Object.keys(REPORT_FORMATS) as readonly ReportFormat[];
