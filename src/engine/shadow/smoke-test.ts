/** Tests a shadow by the 100-point rubric (V6), using only the manifest, the shadow and its snapshots. */
import { present } from '../../foundation/assert.ts';
import { defined } from '../../foundation/defined.ts';
import { randomHex } from '../../foundation/random.ts';
import { snapshotKey, unenforced, type ProjectType, type ShadowManifest } from '../../domain/shadow.ts';
import type { CommandOverrides, ProjectCommands, TestPlan } from '../../domain/shadow-plan.ts';
import { SHADOW_RUBRIC, type Excuse, type ShadowRow } from '../../domain/shadow-rubric.ts';
import {
  verdictOf,
  type Environment,
  type JudgedPoint,
  type RunEvidence,
  type ShadowVerdict,
} from '../../domain/shadow-verdict.ts';
import { commandsFor, DECIDING_FILES, detectProjectType } from '../../formats/project-type/project.ts';
import { batchCommand, readBatch } from './command-batch.ts';
import { insideEnvironment } from './operations.ts';
import { OUTPUT_BYTES_MAX, type ShadowRecord, type ShadowContext } from './shadow-context.ts';

export interface TestProgress {
  readonly signal: AbortSignal;
  /** Reports progress from 0 to 1. */
  progress(fraction: number, says: string): void;
}

const BATCH_MS = 60_000;
const MARK_BYTES = 8;
const LAST_LINES = 3;
const SAYS_MAX = 300;

export async function judgeShadow(
  shadows: ShadowContext,
  manifest: ShadowManifest,
  record: ShadowRecord,
  watching: TestProgress,
): Promise<ShadowVerdict> {
  const plan = await planOf(shadows, manifest, record);
  const runs = new Map<string, RunEvidence>();
  watching.progress(0.05, 'asking the shadow before anything of the project runs');
  for (const ran of await runBeforeProject(shadows, plan, record)) runs.set(ran.command, ran);
  const run = runnerOf(shadows, record, watching, runs);
  watching.progress(0.1, 'installing');
  const { install, installedFiles, imports, cli, modules, test, testNeedsInstall } = plan.commands;
  // If the tests need no installation, both run in parallel.
  await Promise.all(
    [install, testNeedsInstall ? null : test].flatMap((command) => (command === null ? [] : [run(command)])),
  );
  watching.progress(0.5, 'importing and testing');
  const short = [imports, cli, modules].filter((command) => command !== null);
  const [, results] = await Promise.all([
    installedFiles === null ? null : run(installedFiles),
    runBatch(shadows, record, short, { timeoutMs: shadows.settings.commandMs, signal: watching.signal }),
  ]);
  // A command without an answer (it hung, or ended the batch) is run again alone, with its own limits.
  for (const ran of results) runs.set(ran.command, ran);
  const points: JudgedPoint[] = [];
  for (const row of SHADOW_RUBRIC) {
    watching.signal.throwIfAborted();
    watching.progress(0.6 + (0.35 * points.length) / SHADOW_RUBRIC.length, row.question);
    points.push(await judgeRow(row, plan, run));
  }
  const limits = record.sandbox?.limits ?? [];
  const demands = unenforced(limits)
    .filter(({ name }) => shadows.settings.requiredLimits.includes(name))
    .map(({ name, says }) => `${name} is required and not enforced here: ${says}`);
  return verdictOf('shadow', points, environmentOf(record), { demands });
}

function environmentOf({ sandbox, sources }: ShadowRecord): Environment {
  const limits = sandbox?.limits ?? [];
  return {
    runtime: sandbox?.runtime ?? null,
    image: sandbox?.image ?? null,
    base: sandbox?.base ?? null,
    limits,
    sources: sources.map(({ repository, commit, tree }) => ({ repository, commit, tree })),
    warnings: [
      ...sources.flatMap(({ warnings }) => warnings),
      ...unenforced(limits).map(({ name, says }) => `${name} is not enforced: ${says}`),
    ],
    failureReason: null,
  };
}

const NO_COMMANDS: ProjectCommands = {
  install: null,
  installedFiles: null,
  imports: null,
  cli: null,
  modules: null,
  test: null,
  affectedTest: null,
  baseTest: null,
  testNeedsInstall: true,
};

async function planOf(shadows: ShadowContext, manifest: ShadowManifest, record: ShadowRecord): Promise<TestPlan> {
  const { settings, snapshots, records } = shadows;
  const sources = manifest.localSources.map(({ repository, snapshotCommit }) => ({
    repository,
    commit: present(snapshotCommit, 'a manifest with a shadow names every snapshot'),
  }));
  const first = present(sources[0], 'a manifest names at least one source');
  const target = `${records.snapshots(record.id)}/${snapshotKey(first.repository)}`;
  const { files, base } = await snapshots.describe(target, first.commit);
  const paths = [...files.keys()];
  const type: ProjectType | null = settings.projectType ?? manifest.projectType ?? detectProjectType({ paths });
  const shared = { sources, tree: files, hostName: shadows.hostName };
  if (type === null) return { ...shared, commands: { ...NO_COMMANDS, ...overridden(settings.commands) } };
  const { repository, commit } = first;
  const deciding = DECIDING_FILES.filter((path) => files.has(path));
  const texts = await snapshots.texts(target, commit, deciding);
  const source = { paths, texts, changedFiles: manifest.changedFiles, repository, commit, base };
  return { ...shared, commands: commandsFor(type, source, settings.commands) };
}

/** A project of an unknown type can be tested by the configured commands. */
function overridden(named: CommandOverrides): Partial<ProjectCommands> {
  const inSource = (command: string | undefined) => (command === undefined ? undefined : `cd "$SOURCE" && ${command}`);
  const [install, imports, cli, test] = [named.install, named.import, named.cli, named.test].map(inSource);
  return defined({ install, imports, modules: imports, cli, test });
}

function runBeforeProject(
  shadows: ShadowContext,
  plan: TestPlan,
  record: ShadowRecord,
): Promise<readonly RunEvidence[]> {
  const commands = SHADOW_RUBRIC.filter(({ when }) => when === 'before').flatMap((row) => row.command(plan) ?? []);
  return runBatch(shadows, record, commands, { timeoutMs: BATCH_MS });
}

/** Runs commands in one exec. Commands that were not reached have no result. */
async function runBatch(
  shadows: ShadowContext,
  record: ShadowRecord,
  commands: readonly string[],
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<readonly RunEvidence[]> {
  const mark = randomHex(shadows.random, MARK_BYTES);
  const ran = await shadows.sandbox.exec(record.id, {
    command: batchCommand(commands, mark),
    env: insideEnvironment(record),
    outputBytesMax: OUTPUT_BYTES_MAX,
    ...limits,
  });
  return ran.exitCode === 0 ? readBatch(ran.stdout, commands, mark) : [];
}

type Run = (command: string) => Promise<RunEvidence>;

/** Runs each command once, however many rows use it. When the shadow is gone, all later commands fail. */
function runnerOf(
  shadows: ShadowContext,
  record: ShadowRecord,
  { signal }: TestProgress,
  known: ReadonlyMap<string, RunEvidence>,
): Run {
  const started = new Map<string, Promise<RunEvidence>>();
  let gone: string | null = null;
  const runOnce = async (command: string): Promise<RunEvidence> => {
    if (gone !== null) {
      const output = `not run: the shadow is gone since ${gone}`;
      return { command, exitCode: null, durationMs: 0, output, stoppedBy: null };
    }
    const ran = await shadows.sandbox.exec(record.id, {
      // Both streams in one, to keep the order of lines.
      command: `{ ${command}\n} 2>&1`,
      env: insideEnvironment(record),
      timeoutMs: shadows.settings.commandMs,
      outputBytesMax: OUTPUT_BYTES_MAX,
      signal,
    });
    if (ran.isGone) gone = command.slice(0, SAYS_MAX);
    const { exitCode, durationMs, stoppedBy } = ran;
    return { command, exitCode, durationMs, output: ran.stdout === '' ? ran.stderr : ran.stdout, stoppedBy };
  };
  return (command) => {
    const before = known.get(command);
    if (before !== undefined) return Promise.resolve(before);
    const running = started.get(command) ?? runOnce(command);
    started.set(command, running);
    return running;
  };
}

async function judgeRow(row: ShadowRow, plan: TestPlan, run: Run): Promise<JudgedPoint> {
  const { id, category, question, points: max, field: judged } = row;
  const command = row.command(plan);
  const about = { id, category, question, max, judged };
  if (command === null) {
    const says = 'the project has nothing to run for this';
    return { ...about, points: 0, evidence: [], says, todo: row.todoWhenMissing ?? row.todo };
  }
  const ran = await run(command);
  const refusal = row.refuses === undefined ? refusalOf(ran) : (stopOf(ran) ?? row.refuses(ran, plan));
  if (refusal === null) return { ...about, points: max, evidence: [ran], says: 'yes', todo: null };
  // Only a failed command is excused by a failure before the change, not one that was stopped by a limit.
  const excused = await checkExcuses(stopOf(ran) === null ? (row.otherwise?.(plan) ?? []) : [], run);
  if (excused.holds) {
    const says = `it fails, and did so before the change: ${refusal}`;
    return { ...about, points: max, evidence: [ran, ...excused.runs], says, todo: null };
  }
  return { ...about, points: 0, evidence: [ran, ...excused.runs], says: refusal, todo: row.todo };
}

async function checkExcuses(
  excuses: readonly Excuse[],
  run: Run,
): Promise<{ readonly holds: boolean; readonly runs: readonly RunEvidence[] }> {
  const runs: RunEvidence[] = [];
  for (const { command, expects } of excuses) {
    if (command === null) return { holds: false, runs };
    const ran = await run(command);
    runs.push(ran);
    const ended = stopOf(ran) !== null ? 'stopped' : ran.exitCode === 0 ? 'success' : 'failure';
    if (ended !== expects) return { holds: false, runs };
  }
  return { holds: excuses.length > 0, runs };
}

const STOPPED = {
  timeout: 'it did not end in time',
  output: `it printed more than ${OUTPUT_BYTES_MAX} bytes`,
  memory: 'it needed more memory than it may have',
} as const;

function stopOf({ stoppedBy, exitCode, output }: RunEvidence): string | null {
  if (stoppedBy !== null) return STOPPED[stoppedBy];
  return exitCode === null ? errorSummary(output) || 'it was not run to its end' : null;
}

function refusalOf(ran: RunEvidence): string | null {
  const stopped = stopOf(ran);
  if (stopped !== null || ran.exitCode === 0) return stopped;
  return `exit code ${ran.exitCode}: ${errorSummary(ran.output)}`;
}

/** The lines with errors, otherwise the last lines. */
function errorSummary(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const errors = lines.filter((line) => /error|cannot|not found|fail|No module/i.test(line));
  return (errors.length > 0 ? errors.slice(0, LAST_LINES) : lines.slice(-LAST_LINES)).join(' · ').slice(0, SAYS_MAX);
}
