import { once } from 'node:events';
import { writeFileSync, rmSync } from 'node:fs';
import { draftBeside, putInPlace } from '../../../foundation/atomic-file.ts';
import { reportOn, type Report } from '../../../domain/project-report.ts';
import type { Handoff } from '../../../domain/handoff.ts';
import type { LegOutcome } from '../../../domain/project-trail.ts';
import { auditTrail, projects } from '../../../engine/handoffs/projects.ts';
import type { Context } from '../../../engine/context.ts';
import { auditCsvLine, auditJsonLine, auditRow, CSV_HEAD } from '../../shared/report/audit.ts';
import { reportHtml } from '../../shared/report/html.ts';
import { reportJunit, type OtherHandoffs } from '../../shared/report/junit.ts';
import { reportMarkdown } from '../../shared/report/markdown.ts';
import { reportView } from '../../shared/report/view.ts';
import { REPORT_FORMATS } from '../catalogue/reports.ts';
import { mustBeOperator, openFor, type CommonOptions } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { cliProblem } from '../problem.ts';
import { targetOf } from './export.ts';

interface ReportOptions extends CommonOptions {
  readonly format?: string;
  readonly project?: string;
  readonly output?: string;
  readonly ci?: true;
}

type Format = (typeof REPORT_FORMATS)[number];

/** A pipeline goes by these alone. */
export const CI_EXIT_CODES = { complete: 0, failed: 8, unfinished: 7 } as const satisfies Record<LegOutcome, number>;
const NOTHING_THERE = 3;

export async function report(_args: readonly string[], options: ReportOptions, output: Output): Promise<number> {
  const format = formatOf(options);
  const path = options.output === undefined || options.output === '-' ? null : targetOf(options.output, true);
  const app = await openFor(options, undefined, { onlyReads: true });
  try {
    await mustBeOperator(app, options, 'read');
    const { ctx } = app;
    const project = options.project ?? null;
    const found = reportOn(await projects(ctx, project));
    if (found.outcome === null && project !== null && options.ci !== true) {
      throw cliProblem('no-such-project', `no summary names a project ${JSON.stringify(project)}`);
    }
    const text = linesIn(format, found, ctx, project);
    if (path === null) await print(text);
    else await writeWhole(path, text);
    if (path !== null) output.note(`wrote ${path}`);
    if (options.ci !== true) return 0;
    return found.outcome === null ? NOTHING_THERE : CI_EXIT_CODES[found.outcome];
  } finally {
    await app.close();
  }
}

function formatOf({ format, json }: ReportOptions): Format {
  const wanted = format ?? (json === true ? 'json' : 'md');
  const known = REPORT_FORMATS.find((each) => each === wanted);
  if (known === undefined) throw cliProblem('usage', `--format takes one of ${REPORT_FORMATS.join(', ')}`);
  return known;
}

const WHOLE = {
  md: reportMarkdown,
  json: (found) => `${JSON.stringify(reportView(found), null, 2)}\n`,
  junit: (found) => reportJunit(found),
  html: reportHtml,
} as const satisfies Partial<Record<Format, (found: Report) => string>>;

/** The trail may be long, and comes page by page; the others are one text. */
async function* linesIn(format: Format, found: Report, ctx: Context, project: string | null): AsyncGenerator<string> {
  if (format !== 'jsonl' && format !== 'csv') {
    const isWithOthers = format === 'junit' && project === null;
    yield isWithOthers ? reportJunit(found, await othersIn(ctx, found)) : WHOLE[format](found);
    return;
  }
  let number = 0;
  if (format === 'csv') yield CSV_HEAD;
  for await (const entries of auditTrail(ctx, project)) {
    const rows = entries.map((entry) => auditRow(entry, (number += 1)));
    yield rows.map(format === 'csv' ? auditCsvLine : auditJsonLine).join('');
  }
}

/** More than anybody looks at in a pipeline; `baton audit` has all of them. */
const OTHERS_MAX = 10_000;
const PAGE = 500;

/** A leg of a summary is told by its project. */
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

async function print(text: AsyncGenerator<string>): Promise<void> {
  for await (const part of text) if (!process.stdout.write(part)) await once(process.stdout, 'drain');
}

/** The file appears when it is complete, in the place of the report before. */
async function writeWhole(path: string, text: AsyncGenerator<string>): Promise<void> {
  const draft = draftBeside(path);
  try {
    writeFileSync(draft, '', { flag: 'wx', mode: 0o600 });
    for await (const part of text) writeFileSync(draft, part, { flag: 'a' });
    putInPlace(draft, path, { replace: true });
  } finally {
    rmSync(draft, { force: true });
  }
}
