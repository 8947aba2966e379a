/** The formats of `baton report`. Each has its writer in `report-text.ts`. */
export const REPORT_FORMATS = ['md', 'json', 'junit', 'html', 'jsonl', 'csv'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];
