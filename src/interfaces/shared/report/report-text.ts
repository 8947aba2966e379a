/** A report in one of its formats. */
import type { Handoff } from '../../../domain/handoff.ts';
import type { Report } from '../../../domain/project-report.ts';
import { auditTrail } from '../../../engine/handoffs/projects.ts';
import type { Context } from '../../../engine/context.ts';
import { auditCsvLine, auditJsonLine, auditRow, CSV_HEAD, type AuditRow } from './audit.ts';
import type { ReportFormat } from './formats.ts';
import { reportHtml } from './html.ts';
import { reportJunit, type OtherHandoffs } from './junit.ts';
import { reportMarkdown } from './markdown.ts';
import { reportView } from './view.ts';

type Parts = Iterable<string> | AsyncIterable<string>;

/** The audit trail may be long, so it is written page by page. */
const WRITERS: Readonly<Record<ReportFormat, (found: Report, ctx: Context, project: string | null) => Parts>> = {
  md: (found) => [reportMarkdown(found)],
  json: (found) => [`${JSON.stringify(reportView(found), null, 2)}\n`],
  junit,
  html: (found) => [reportHtml(found)],
  jsonl: (_found, ctx, project) => audit(ctx, project, auditJsonLine),
  csv: (_found, ctx, project) => audit(ctx, project, auditCsvLine, CSV_HEAD),
};

export async function* reportText(
  format: ReportFormat,
  found: Report,
  ctx: Context,
  project: string | null,
): AsyncGenerator<string> {
  yield* WRITERS[format](found, ctx, project);
}

/** Without a project it also lists the completed handoffs of no project. */
async function* junit(found: Report, ctx: Context, project: string | null): AsyncGenerator<string> {
  yield project === null ? reportJunit(found, await othersIn(ctx, found)) : reportJunit(found);
}

async function* audit(
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

/** `baton audit` has all handoffs. */
const OTHERS_MAX = 10_000;
const PAGE = 500;

/** Legs of projects are listed with their project. */
async function othersIn({ store, rules }: Context, { projects: told }: Report): Promise<OtherHandoffs> {
  const legs = new Set<string>(told.flatMap(({ legs: all }) => all.map(({ id }) => id)));
  const handoffs: Handoff[] = [];
  for (let after: string | null | undefined; after !== null && handoffs.length < OTHERS_MAX;) {
    const asked = { by: 'filter', states: ['completed'], max: PAGE } as const;
    const page = await store.find(after === undefined ? asked : { ...asked, after });
    handoffs.push(...page.items.filter(({ id }) => !legs.has(id)));
    after = page.next;
  }
  return { handoffs: handoffs.slice(0, OTHERS_MAX), required: rules.requiredAssurance };
}
