/** Judges a shadow by the 100-point rubric (V6). It sees the manifest, the shadow and its snapshots, nothing else. */
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

export interface Watching {
  readonly signal: AbortSignal;
  /** How far it is, and with what. */
  progress(fraction: number, says: string): void;
}

const BATCH_MS = 60_000;
const MARK_BYTES = 8;
const LAST_LINES = 3;
const SAYS_MAX = 300;

export async function judgeShadow(
  world: ShadowContext,
  manifest: ShadowManifest,
  record: ShadowRecord,
  watching: Watching,
): Promise<ShadowVerdict> {
  const plan = await planOf(world, manifest, record);
  const runs = new Map<string, RunEvidence>();
  watching.progress(0.05, 'asking the shadow before anything of the project runs');
  for (const ran of await askBefore(world, plan, record)) runs.set(ran.command, ran);
  const run = runnerOf(world, record, watching, runs);
  watching.progress(0.1, 'installing');
  const { install, installedFiles, imports, cli, modules, test, testNeedsInstall } = plan.commands;
  // Installing for another project and testing in the checkout may have nothing to do with each other.
  await Promise.all(
    [install, testNeedsInstall ? null : test].flatMap((command) => (command === null ? [] : [run(command)])),
  );
  watching.progress(0.5, 'importing and testing');
  const short = [imports, cli, modules].filter((command) => command !== null);
  const [, told] = await Promise.all([
    installedFiles === null ? null : run(installedFiles),
    askTogether(world, record, short, { timeoutMs: world.settings.commandMs, signal: watching.signal }),
  ]);
  // One that did not come to an answer (it hung, or took the others along) is asked again, alone and with its own limits.
  for (const ran of told) runs.set(ran.command, ran);
  const points: JudgedPoint[] = [];
  for (const row of SHADOW_RUBRIC) {
    watching.signal.throwIfAborted();
    watching.progress(0.6 + (0.35 * points.length) / SHADOW_RUBRIC.length, row.question);
    points.push(await judgeRow(row, plan, run));
  }
  const limits = record.sandbox?.limits ?? [];
  const demands = unenforced(limits)
    .filter(({ name }) => world.settings.requiredLimits.includes(name))
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

async function planOf(world: ShadowContext, manifest: ShadowManifest, record: ShadowRecord): Promise<TestPlan> {
  const { settings, snapshots, records } = world;
  const sources = manifest.localSources.map(({ repository, snapshotCommit }) => ({
    repository,
    commit: present(snapshotCommit, 'a manifest with a shadow names every snapshot'),
  }));
  const first = present(sources[0], 'a manifest names at least one source');
  const target = `${records.snapshots(record.id)}/${snapshotKey(first.repository)}`;
  const { files, base } = await snapshots.look(target, first.commit);
  const paths = [...files.keys()];
  const type: ProjectType | null = settings.projectType ?? manifest.projectType ?? detectProjectType({ paths });
  const shared = { sources, tree: files, hostName: world.hostName };
  if (type === null) return { ...shared, commands: { ...NO_COMMANDS, ...overridden(settings.commands) } };
  const { repository, commit } = first;
  const deciding = DECIDING_FILES.filter((path) => files.has(path));
  const texts = await snapshots.texts(target, commit, deciding);
  const source = { paths, texts, changedFiles: manifest.changedFiles, repository, commit, base };
  return { ...shared, commands: commandsFor(type, source, settings.commands) };
}

/** A project of a kind that is not known here can still be tested by the commands that are named. */
function overridden(named: CommandOverrides): Partial<ProjectCommands> {
  const inSource = (command: string | undefined) => (command === undefined ? undefined : `cd "$SOURCE" && ${command}`);
  const [install, imports, cli, test] = [named.install, named.import, named.cli, named.test].map(inSource);
  return defined({ install, imports, modules: imports, cli, test });
}

function askBefore(world: ShadowContext, plan: TestPlan, record: ShadowRecord): Promise<readonly RunEvidence[]> {
  const commands = SHADOW_RUBRIC.filter(({ when }) => when === 'before').flatMap((row) => row.command(plan) ?? []);
  return askTogether(world, record, commands, { timeoutMs: BATCH_MS });
}

/** In one call, because each costs as much as a short command. Commands that were not reached have no answer. */
async function askTogether(
  world: ShadowContext,
  record: ShadowRecord,
  commands: readonly string[],
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<readonly RunEvidence[]> {
  const mark = randomHex(world.random, MARK_BYTES);
  const ran = await world.sandbox.exec(record.id, {
    command: batchCommand(commands, mark),
    env: insideEnvironment(record),
    outputBytesMax: OUTPUT_BYTES_MAX,
    ...limits,
  });
  return ran.exitCode === 0 ? readBatch(ran.stdout, commands, mark) : [];
}

type Run = (command: string) => Promise<RunEvidence>;

/** Each command once, however many points it earns. Where the shadow is gone, nothing more can be earned. */
function runnerOf(
  world: ShadowContext,
  record: ShadowRecord,
  { signal }: Watching,
  known: ReadonlyMap<string, RunEvidence>,
): Run {
  const asked = new Map<string, Promise<RunEvidence>>();
  let gone: string | null = null;
  const runOnce = async (command: string): Promise<RunEvidence> => {
    if (gone !== null) {
      const output = `not run: the shadow is gone since ${gone}`;
      return { command, exitCode: null, durationMs: 0, output, stoppedBy: null };
    }
    const ran = await world.sandbox.exec(record.id, {
      // One stream, so that what was said stays in its order.
      command: `{ ${command}\n} 2>&1`,
      env: insideEnvironment(record),
      timeoutMs: world.settings.commandMs,
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
    const running = asked.get(command) ?? runOnce(command);
    asked.set(command, running);
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
  // Only a plain failure can have been there before; who is stopped by a limit has no excuse.
  const excused = await excuse(stopOf(ran) === null ? (row.otherwise?.(plan) ?? []) : [], run);
  if (excused.holds) {
    const says = `it fails, and did so before the change: ${refusal}`;
    return { ...about, points: max, evidence: [ran, ...excused.runs], says, todo: null };
  }
  return { ...about, points: 0, evidence: [ran, ...excused.runs], says: refusal, todo: row.todo };
}

async function excuse(
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
  return exitCode === null ? lastWords(output) || 'it was not run to its end' : null;
}

function refusalOf(ran: RunEvidence): string | null {
  const stopped = stopOf(ran);
  if (stopped !== null || ran.exitCode === 0) return stopped;
  return `exit code ${ran.exitCode}: ${lastWords(ran.output)}`;
}

/** The lines that say what is wrong, else the last ones. */
function lastWords(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const telling = lines.filter((line) => /error|cannot|not found|fail|No module/i.test(line));
  return (telling.length > 0 ? telling.slice(0, LAST_LINES) : lines.slice(-LAST_LINES)).join(' · ').slice(0, SAYS_MAX);
}
