/**
 * Judges a source without a shadow, by the 50-point rubric (V7). No container runtime is called, and nothing of the
 * project runs unless the operator has allowed it.
 */
import type { ShadowId } from '../../domain/names.ts';
import { SHADOW_ERRORS, type ProjectType, type ShadowManifest } from '../../domain/shadow.ts';
import { HOST_RUBRIC, type HostPointId } from '../../domain/shadow-rubric.ts';
import { NO_SANDBOX, verdictOf } from '../../domain/shadow-verdict.ts';
import type { JudgedPoint, RunEvidence, ShadowVerdict } from '../../domain/shadow-verdict.ts';
import type { ProjectCommands } from '../../domain/shadow-plan.ts';
import { readNodePackage } from '../../formats/project-type/node.ts';
import { commandsFor, DECIDING_FILES, detectProjectType } from '../../formats/project-type/project.ts';
import type { HostCheck, Snapshot } from '../../shadows/sandbox.ts';
import { newRecord, newShadowId } from './create.ts';
import { undeclaredImports } from './host-imports.ts';
import type { TestProgress } from './smoke-test.ts';
import type { ShadowContext } from './shadow-context.ts';
import { counted } from '../../foundation/count-text.ts';

/** Limits the time of a test. */
const FILES_MAX = 200;
const NAMED_MAX = 5;
const CONFLICT = /^(?:<{7} |={7}$|>{7} )/m;

interface Answer {
  readonly passes: boolean;
  readonly says: string;
  readonly run?: Omit<RunEvidence, 'stoppedBy'>;
}

interface Subject {
  readonly folder: string;
  readonly snapshot: Snapshot | null;
  readonly says: string;
  readonly type: ProjectType | null;
  /** The changed files that are still there, and the files that decide. */
  readonly texts: ReadonlyMap<string, string>;
  readonly changed: readonly string[];
  readonly commands: ProjectCommands | null;
}

export async function judgeHost(
  shadows: ShadowContext,
  manifest: ShadowManifest,
  options: { readonly execution: 'allowed' | 'refused' },
  watching: TestProgress,
): Promise<ShadowVerdict> {
  const id = newShadowId(shadows, 'host');
  try {
    const subject = await inspectSource(shadows, manifest, id);
    const points: JudgedPoint[] = [];
    for (const row of HOST_RUBRIC) {
      watching.signal.throwIfAborted();
      watching.progress(points.length / HOST_RUBRIC.length, row.question);
      const answer: Answer =
        'executes' in row && options.execution === 'refused'
          ? { passes: false, says: 'not run: code of the project is not executed on this host' }
          : await CHECKS[row.id](shadows, subject, watching);
      points.push(judged(row, answer));
    }
    const code = manifest.failureReason;
    return verdictOf('host-only', points, {
      ...NO_SANDBOX,
      warnings: [
        'host-only: nothing was tried in a shadow, so isolation, installation and redirection were not judged',
        ...(code === null ? [] : [`no shadow: ${SHADOW_ERRORS[code].says}; ${SHADOW_ERRORS[code].todo}`]),
        ...(subject.snapshot?.warnings ?? []),
      ],
      failureReason: code,
    });
  } finally {
    await shadows.records.remove(id);
  }
}

function judged(row: (typeof HOST_RUBRIC)[number], { passes, says, run }: Answer): JudgedPoint {
  const { id, category, question, points: max, field, command, todo } = row;
  const ran = run ?? { command, exitCode: passes ? 0 : 1, durationMs: 0, output: says };
  const judgement = { points: passes ? max : 0, says, todo: passes ? null : todo };
  return { id, category, question, max, judged: field, evidence: [{ ...ran, stoppedBy: null }], ...judgement };
}

async function inspectSource(shadows: ShadowContext, manifest: ShadowManifest, id: ShadowId): Promise<Subject> {
  const { snapshots, records, settings } = shadows;
  const path = manifest.localSources[0]?.path ?? '.';
  const nothing = { snapshot: null, texts: new Map<string, string>(), changed: [], commands: null };
  const none = { ...nothing, type: manifest.projectType };
  const at = await snapshots.repositoryAt(shadows.hostPath(path));
  if (!at.ok) return { ...none, folder: '', says: at.refusal };
  const { folder } = at.value;
  await records.save(newRecord(shadows, id, shadows.liveness.self));
  const target = records.draft(id);
  const taken = await snapshots.take(folder, target);
  if (!taken.ok) return { ...none, folder, says: taken.refusal };
  const snapshot = taken.value;
  const paths = [...snapshot.files.keys()];
  const type = settings.projectType ?? manifest.projectType ?? detectProjectType({ paths });
  const changed = snapshot.changedFiles.filter((file) => snapshot.files.has(file)).slice(0, FILES_MAX);
  const wanted = [...new Set([...DECIDING_FILES.filter((file) => snapshot.files.has(file)), ...changed])];
  const texts = await snapshots.texts(target, snapshot.commit, wanted);
  const { commit, changedFiles } = snapshot;
  const repository = manifest.localSources[0]?.repository ?? 'local/source';
  const source = { paths, texts, changedFiles, repository, commit, base: null, python: 'python3' };
  const commands = type === null ? null : commandsFor(type, source, settings.commands);
  return { folder, snapshot, says: '', type, texts, changed, commands };
}

const CHECKS: Record<
  HostPointId,
  (shadows: ShadowContext, subject: Subject, watching: TestProgress) => Promise<Answer>
> = {
  source_is_repository: async (_world, { folder, says }) =>
    folder === '' ? { passes: false, says } : { passes: true, says: `${folder} is a git repository` },
  snapshot_possible: async (_world, { snapshot, says }) =>
    snapshot === null
      ? { passes: false, says: says || 'the source cannot be read' }
      : { passes: true, says: `tree ${snapshot.tree} with ${counted(snapshot.files.size, 'file')}` },
  project_detected: async (_world, { type }) =>
    type === null ? { passes: false, says: 'it is none of node, python, rust and go' } : { passes: true, says: type },
  changed_files_parse: changedFilesParse,
  no_conflict_markers: async (_world, { snapshot, changed, texts }) => {
    if (snapshot === null) return UNREADABLE;
    const marked = changed.filter((file) => CONFLICT.test(texts.get(file) ?? ''));
    return marked.length > 0
      ? { passes: false, says: listNames(marked) }
      : { passes: true, says: `none in ${counted(changed.length, 'file')}` };
  },
  manifest_readable: async (_world, { type, texts }) => manifestReadable(type, texts),
  imports_declared: importsDeclared,
  modules_load_on_host: (shadows, subject, watching) =>
    runOnHost(shadows, subject, subject.commands?.modules, watching),
  tests_pass_on_host: (shadows, subject, watching) => runOnHost(shadows, subject, subject.commands?.test, watching),
};

const UNREADABLE: Answer = { passes: false, says: 'the source cannot be read' };

async function changedFilesParse(
  { hostChecks }: ShadowContext,
  { snapshot, changed, texts }: Subject,
): Promise<Answer> {
  if (snapshot === null) return UNREADABLE;
  const answers: HostCheck[] = [];
  for (const file of changed) {
    const answer = await hostChecks.parses(file, texts.get(file) ?? '');
    if (answer !== null) answers.push(answer);
    if (answer?.passes === false) return { passes: false, says: answer.says, run: answer };
  }
  if (answers.length > 0) return { passes: true, says: `${counted(answers.length, 'file')} correct in their language` };
  return changed.length === 0
    ? { passes: true, says: 'nothing was changed' }
    : { passes: false, says: 'there is no parser here for any of the changed files' };
}

function manifestReadable(type: ProjectType | null, texts: ReadonlyMap<string, string>): Answer {
  const file = DECIDING_FILES.find((name) => texts.has(name));
  if (file === undefined || type === null)
    return { passes: false, says: 'there is no file that declares dependencies' };
  if (file === 'package.json' && readNodePackage(texts.get(file)) === null) {
    return { passes: false, says: 'package.json is no JSON' };
  }
  return { passes: true, says: file };
}

async function importsDeclared({ hostChecks }: ShadowContext, subject: Subject): Promise<Answer> {
  const { snapshot, type, changed, texts } = subject;
  if (snapshot === null || type === null) return UNREADABLE;
  const pythonModules = type === 'python' ? await hostChecks.pythonModules() : null;
  const question = { type, texts, paths: [...snapshot.files.keys()], pythonModules };
  const missing: string[] = [];
  let seen = 0;
  for (const file of changed) {
    const found = undeclaredImports(file, texts.get(file) ?? '', question);
    if (found !== null) seen += 1;
    for (const name of found ?? []) missing.push(`${file} imports ${name}`);
  }
  if (missing.length > 0) return { passes: false, says: listNames(missing) };
  if (seen > 0 || changed.length === 0)
    return { passes: true, says: `only what is declared, in ${counted(seen, 'file')}` };
  return { passes: false, says: `imports of ${type} cannot be judged without running its tools` };
}

/** Runs in the user's own checkout, as the operator has allowed. */
async function runOnHost(
  { hostChecks, settings }: ShadowContext,
  { folder }: Subject,
  command: string | null | undefined,
  { signal }: TestProgress,
): Promise<Answer> {
  if (command === null || command === undefined || folder === '') {
    return { passes: false, says: 'the project has nothing to run for this' };
  }
  const ran = await hostChecks.run(folder, command, settings.commandMs, signal);
  return { passes: ran.passes, says: ran.says, run: ran };
}

function listNames(all: readonly string[]): string {
  return `${all.slice(0, NAMED_MAX).join('; ')}${all.length > NAMED_MAX ? ` and ${all.length - NAMED_MAX} more` : ''}`;
}
