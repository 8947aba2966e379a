import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { displayText } from '../../../foundation/display-text.ts';
import type { JsonObject } from '../../../foundation/json.ts';
import type { ShadowProblem, SourceRequest } from '../../../domain/shadow.ts';
import { findSources, type ShadowRefusal } from '../../../engine/shadow/create.ts';
import { runShadowTest, type TestRefusal, type TestRun } from '../../../engine/shadow/test-run.ts';
import { manifestJson } from '../../../formats/shadow-manifest/manifest.ts';
import { verdictText } from '../../../formats/shadow-manifest/verdict.ts';
import { workspaceFor } from '../../../workspace/workspace.ts';
import { PROBLEMS } from '../../shared/problems.ts';
import { shadowReport } from '../../shared/shadow-report.ts';
import { onInterrupt } from '../interrupt.ts';
import { withWorkspace, type CommonOptions, type Flags } from '../with-workspace.ts';
import type { Output } from '../output.ts';
import { statusLine } from '../progress.ts';
import { cliProblem, problemOf, type Problem } from '../problem.ts';
import { answered, noWorkspaceForShadows, problemFor, sourceArguments } from '../shadow-workspace.ts';

type TestOptions = CommonOptions &
  Flags<'allowHostExecution' | 'keep' | 'yaml' | 'verbose'> & {
    readonly hostOnly?: boolean;
    /** The workspace is temporary, so the id of the handoff is not printed. */
    readonly forgets?: true;
  };

export async function testShadow(args: readonly string[], options: TestOptions, output: Output): Promise<number> {
  const sources = sourceArguments(args);
  const isHomeless =
    options.workspace === undefined && options.database === undefined && workspaceFor(undefined) === null;
  if (!isHomeless) return testIn(options, sources, output);
  if (options.keep === true) {
    throw cliProblem('no-workspace', '--keep needs a workspace that remembers the shadow; make one with: baton init');
  }
  // Without a workspace, everything is written into a temporary folder.
  const folder = mkdtempSync(join(tmpdir(), 'baton-shadow-'));
  try {
    writeFileSync(join(folder, 'baton.yaml'), '');
    output.note('there is no workspace here, so the verdict is not kept; baton init makes one');
    return await testIn({ ...options, workspace: folder, forgets: true }, sources, output);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function testIn(options: TestOptions, requests: readonly SourceRequest[], output: Output): Promise<number> {
  const progress = statusLine(output.json);
  const interrupts = onInterrupt(() => {
    progress.end();
    output.note('stopping; the shadow is removed');
  });
  return withWorkspace(options, {}, async (ctx, principal, { workspace, configuration }) => {
    if (workspace === null) throw noWorkspaceForShadows();
    const { liesIn, openShadows } = await import('../../../adapters/shadows/open-shadows.ts');
    const world = openShadows(workspace, configuration.shadow, ctx.liveness);
    const sources = answered(await findSources(world, requests));
    const tested = await runShadowTest(ctx, principal, world, {
      sources,
      keep: options.keep === true,
      hostExecution: options.allowHostExecution === true ? 'allowed' : 'refused',
      hostOnly: options.hostOnly === false ? 'refused' : world.settings.hostOnly,
      mayRead: async (path) =>
        liesIn(workspace.folder, world.hostPath(path)) || sources.some(({ request }) => request.path === path),
      progress: (fraction, says) =>
        progress.show(`${String(Math.round(fraction * 100)).padStart(3)} % ${says.slice(0, SAYS_MAX)}`),
      signal: interrupts.stop,
    });
    progress.end();
    const interrupted = interrupts.exitCode();
    if (interrupted !== null) return interrupted;
    if (!tested.ok) throw refusedTest(tested.refusal);
    return printVerdict(tested.value, options, output);
  });
}

const EXIT_CODES: Readonly<Record<string, number>> = {
  '"PASS"': 0,
  '"FAIL"': PROBLEMS['shadow-fail'].exitCode,
};

function printVerdict(
  { id, manifest, problem, verdict, removed }: TestRun,
  options: TestOptions,
  output: Output,
): number {
  if (removed.length > 0) output.note(`removed what an earlier run had left: ${removed.join(', ')}`);
  if (problem !== null) output.warn(`no shadow (${problem.code}): ${problem.says}; ${problem.todo}`);
  if (options.forgets !== true) {
    const advice = verdict['verdict'] === 'PASS' ? `; show it as evidence with DELIVERABLE=shadow:${id}` : '';
    output.note(`handoff ${id}${advice}`);
  }
  if (output.json)
    output.answer({ handoff_id: id, manifest: manifestJson(manifest), ...errorView(problem), ...verdict });
  else if (options.yaml === true) output.line(displayText(verdictText(verdict).trimEnd()));
  else output.line(shadowReport(verdict, { verbose: options.verbose === true }));
  return EXIT_CODES[JSON.stringify(verdict['verdict'])] ?? PROBLEMS['shadow-incomplete'].exitCode;
}

function errorView(problem: ShadowProblem | null): JsonObject {
  return problem === null ? {} : { error: { code: problem.code, message: problem.says, todo: problem.todo } };
}

function refusedTest(refusal: TestRefusal): Problem {
  switch (refusal.code) {
    case 'shadow-test-failed':
      return cliProblem(
        'shadow-test-failed',
        `the test could not be run (${refusal.reason}): ${refusal.says}; see: baton show ${refusal.id}`,
        { id: refusal.id, reason: refusal.reason },
      );
    case 'no-such-shadow':
    case 'shadow-source':
    case 'shadow-path':
    case 'shadow-copy':
      return problemFor(refusal satisfies ShadowRefusal);
    case 'timed-out':
      return cliProblem('timed-out', `${refusal.id} was not settled in time; see: baton show ${refusal.id}`, {
        id: refusal.id,
      });
    case 'shadow-interrupted':
      return cliProblem('timed-out', 'the test was interrupted');
    case 'not-json':
      return cliProblem('not-json', refusal.problem.says);
    default:
      return problemOf(refusal);
  }
}

const SAYS_MAX = 70;
