import { once } from 'node:events';
import { writeFileSync, rmSync } from 'node:fs';
import { draftBeside, publishDraft } from '../../../foundation/atomic-file.ts';
import { reportOn } from '../../../domain/project-report.ts';
import type { LegOutcome } from '../../../domain/project-trail.ts';
import { projects } from '../../../engine/handoffs/projects.ts';
import {
  REPORT_FORMAT_NAMES,
  REPORT_FORMATS,
  type ReportFormat,
  type WriteReport,
} from '../../shared/report/formats.ts';
import { withOperator, type CommonOptions, type Flags, type Texts } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { cliProblem } from '../problem.ts';
import { targetOf } from './export.ts';

type ReportOptions = CommonOptions & Flags<'ci'> & Texts<'format' | 'project' | 'output'>;

/** The exit codes of `--ci`. */
export const CI_EXIT_CODES = { complete: 0, failed: 8, unfinished: 7 } as const satisfies Record<LegOutcome, number>;
const NOTHING_THERE = 3;

export async function report(_args: readonly string[], options: ReportOptions, output: Output): Promise<number> {
  const format = formatOf(options);
  const path = options.output === undefined || options.output === '-' ? null : targetOf(options.output, true);
  return withOperator(options, { scope: 'read', onlyReads: true }, async ({ ctx }) => {
    const project = options.project ?? null;
    const found = reportOn(await projects(ctx, project));
    if (found.outcome === null && project !== null && options.ci !== true) {
      throw cliProblem('no-such-project', `no summary names a project ${JSON.stringify(project)}`);
    }
    const write: WriteReport = await REPORT_FORMATS[format].load();
    const text = write(found, ctx, project);
    if (path === null) await print(text);
    else await writeWhole(path, text);
    if (path !== null) output.note(`wrote ${path}`);
    if (options.ci !== true) return 0;
    return found.outcome === null ? NOTHING_THERE : CI_EXIT_CODES[found.outcome];
  });
}

function formatOf({ format, json }: ReportOptions): ReportFormat {
  const wanted = format ?? (json === true ? 'json' : 'md');
  const known = REPORT_FORMAT_NAMES.find((each) => each === wanted);
  if (known === undefined) throw cliProblem('usage', `--format takes one of ${REPORT_FORMAT_NAMES.join(', ')}`);
  return known;
}

async function print(text: ReturnType<WriteReport>): Promise<void> {
  for await (const part of text) if (!process.stdout.write(part)) await once(process.stdout, 'drain');
}

/** The complete file replaces the earlier report at once. */
async function writeWhole(path: string, text: ReturnType<WriteReport>): Promise<void> {
  const draft = draftBeside(path);
  try {
    writeFileSync(draft, '', { flag: 'wx', mode: 0o600 });
    for await (const part of text) writeFileSync(draft, part, { flag: 'a' });
    publishDraft(draft, path, { replace: true });
  } finally {
    rmSync(draft, { force: true });
  }
}
