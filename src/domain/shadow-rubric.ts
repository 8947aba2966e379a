/**
 * The two rubrics, one table each. A row is a question with its points, the command that answers it, and the field of the
 * manifest that it judges. The output of a command is only a claim of the project; it is compared with what Baton knows
 * itself (the ids of the snapshot).
 */
import { shellWord, snapshotKey } from './shadow.ts';
import { INSIDE, INSIDE_VARIABLES, SHADOW_HOSTNAME, TOOL_VARIABLES, type TestPlan } from './shadow-plan.ts';
import type { JudgedPoint, RunEvidence } from './shadow-verdict.ts';

interface RubricRow extends Pick<JudgedPoint, 'id' | 'category' | 'points' | 'question'> {
  /** The field of the manifest that is judged. */
  readonly field: string;
  /** What to do if it earns no points. */
  readonly todo: string;
}

export interface ShadowRow extends RubricRow {
  /** Null: the project has nothing to run here, which earns no points. */
  command(plan: TestPlan): string | null;
  /** `before`: run before any code of the project, so that the project cannot fake the answer. */
  readonly when?: 'before';
  /** Why the run earns no points, or null. @default the exit code is not 0 */
  refuses?(ran: RunEvidence, plan: TestPlan): string | null;
  /** If the command fails: runs that earn the points nevertheless, if all of them end as expected. */
  otherwise?(plan: TestPlan): readonly Excuse[];
  /** What to do if there is nothing to run. @default `todo` */
  readonly todoWhenMissing?: string;
}

export interface Excuse {
  readonly command: string | null;
  readonly expects: 'success' | 'failure';
}

const NAME_A_TEST = 'name the command in baton.yaml: shadow: { commands: { test: … } }';

/** V6: 100 points, 75 pass. */
export const SHADOW_RUBRIC: readonly ShadowRow[] = [
  {
    id: 'snapshot_commits_exist',
    category: 'source_verification',
    points: 5,
    question: 'Is the snapshot of every source in the shadow?',
    command: ({ sources }) =>
      sources
        .map(({ repository, commit }) => `git --git-dir=${storedAt(repository)} cat-file -t ${commit}`)
        .join(' && '),
    field: 'local_sources[].snapshot_commit',
    when: 'before',
    refuses: ({ exitCode, output }, { sources }) =>
      exitCode === 0 && linesOf(output).filter((line) => line === 'commit').length === sources.length
        ? null
        : 'a snapshot is missing in the shadow',
    todo: 'create the shadow again: baton shadow destroy ID, then baton shadow test',
  },
  {
    id: 'redirect_configured',
    category: 'source_verification',
    points: 5,
    question: 'Does the GitHub address of every source, in several spellings, lead to its snapshot?',
    command: ({ sources }) =>
      sources
        .flatMap(({ repository }) => spellingsOf(repository).map((url) => `git ls-remote ${url} HEAD`))
        .join(' && '),
    field: 'local_sources[].github_repo',
    when: 'before',
    refuses: (ran, { sources }) => misdirected(ran, sources),
    todo: 'run baton shadow exec ID -- git ls-remote ADDRESS to see what git says inside',
  },
  {
    id: 'installed_is_snapshot',
    category: 'source_verification',
    points: 10,
    question: 'Are the installed files those of the snapshot?',
    command: ({ commands }) => commands.installedFiles,
    field: 'local_sources[0].snapshot_commit',
    refuses: differsFromSnapshot,
    todo: 'see what was installed instead; generated files may differ, files of the repository may not',
  },
  {
    id: 'unregistered_not_redirected',
    category: 'source_verification',
    points: 5,
    question: 'Is a repository with a similar name left alone?',
    command: ({ sources }) =>
      siblingsOf(sources)
        .map((url) => `! git ls-remote ${url} HEAD`)
        .join(' && '),
    field: 'local_sources[].github_repo',
    when: 'before',
    todo: 'report this as a defect of Baton: an address that nobody registered must lead nowhere',
  },
  {
    id: 'installs',
    category: 'installation_health',
    points: 8,
    question: 'Does the package install?',
    command: ({ commands }) => commands.install,
    field: 'local_sources[0].snapshot_commit',
    todo: 'make its dependencies available offline (see "Dependencies" in docs/protocols/shadow.md) and correct the install step',
  },
  {
    id: 'imports',
    category: 'installation_health',
    points: 6,
    question: 'Can the installed package be imported?',
    command: ({ commands }) => commands.imports,
    field: 'test_context.project_type',
    todo: 'import the package from an empty project; a missing dependency must be declared',
  },
  {
    id: 'cli_responds',
    category: 'installation_health',
    points: 6,
    question: 'Does its command answer --version or --help?',
    command: ({ commands }) => commands.cli,
    field: 'test_context.project_type',
    todo: 'a project with a command answers --version or --help with exit code 0; one without names none and loses these points',
  },
  {
    id: 'changed_modules_load',
    category: 'code_execution',
    points: 10,
    question: 'Do the changed modules load?',
    command: ({ commands }) => commands.modules,
    field: 'test_context.affected_modules',
    todo: 'load the module by itself and correct what it misses',
  },
  {
    id: 'basic_function',
    category: 'code_execution',
    points: 10,
    question: 'Do the tests of what changed pass?',
    command: ({ commands }) => commands.test,
    field: 'test_context.changed_files',
    // A failure that existed before the change does not count against it.
    otherwise: ({ commands }) => [
      { command: commands.baseTest, expects: 'failure' },
      { command: commands.affectedTest, expects: 'success' },
    ],
    todo: 'make the failing test pass; the evidence has its output',
    todoWhenMissing: NAME_A_TEST,
  },
  {
    id: 'integration',
    category: 'code_execution',
    points: 10,
    question: 'Do all tests pass together?',
    command: ({ commands }) => commands.test,
    field: 'test_context.affected_modules',
    todo: 'make the failing test pass; the evidence has its output',
    todoWhenMissing: NAME_A_TEST,
  },
  {
    id: 'hostname',
    category: 'isolation',
    points: 5,
    question: 'Is the name of the host hidden?',
    command: () => 'uname -n',
    field: 'shadow_id',
    when: 'before',
    refuses: ({ output }, { hostName }) =>
      output.trim() === SHADOW_HOSTNAME && output.trim() !== hostName ? null : `it sees the name ${output.trim()}`,
    todo: 'destroy the shadow and create it again with Baton',
  },
  {
    id: 'home',
    category: 'isolation',
    points: 5,
    question: 'Is the home folder of the host hidden?',
    command: () => 'printf "%s\\n" "$HOME"; ls -A /home; ls -A /root 2>/dev/null; true',
    field: 'shadow_id',
    when: 'before',
    refuses: ({ output }) => {
      const [home, ...seen] = linesOf(output);
      const others = seen.filter((name) => name !== 'shadow');
      return home === INSIDE.home && others.length === 0 ? null : `it sees ${[home, ...others].join(', ')}`;
    },
    todo: 'destroy the shadow and create it again with Baton',
  },
  {
    id: 'environment',
    category: 'isolation',
    points: 5,
    question: 'Is the environment of the host hidden?',
    command: () => 'env | cut -d= -f1 | sort',
    field: 'shadow_id',
    when: 'before',
    refuses: ({ output }) => {
      const known: readonly string[] = [...INSIDE_VARIABLES, ...Object.keys(TOOL_VARIABLES)];
      const strange = linesOf(output).filter((name) => !known.includes(name));
      return strange.length === 0 ? null : `it sees ${strange.slice(0, 10).join(', ')}`;
    },
    todo: 'destroy the shadow and create it again with Baton',
  },
  {
    id: 'no_regressions',
    category: 'no_regressions',
    points: 10,
    question: 'Does everything that passed before the change still pass?',
    command: ({ commands }) => commands.test,
    field: 'test_context.changed_files',
    otherwise: ({ commands }) => [{ command: commands.baseTest, expects: 'failure' }],
    todo: 'make the failing test pass; the evidence has its output',
    todoWhenMissing: NAME_A_TEST,
  },
];

export interface HostRow extends RubricRow {
  /** What the check does, so that a person can repeat it. */
  readonly command: string;
  /** Runs code of the project, so it needs the operator's permission. */
  readonly executes?: true;
}

const ALLOW = 'run it where a container runtime answers, or allow it with --allow-host-execution';

/** V7: 50 points, 35 pass. Static, except where `executes` says otherwise. */
export const HOST_RUBRIC = [
  {
    id: 'source_is_repository',
    category: 'local_source',
    points: 5,
    question: 'Is every source a readable git repository?',
    command: 'git rev-parse --show-toplevel',
    field: 'local_sources[].path',
    todo: 'name the folder of a git repository',
  },
  {
    id: 'snapshot_possible',
    category: 'local_source',
    points: 5,
    question: 'Can its content be read as a whole, uncommitted work included?',
    command: 'git add -A && git write-tree (into a private index and object folder)',
    field: 'local_sources[].path',
    todo: 'make every file of the repository readable',
  },
  {
    id: 'project_detected',
    category: 'local_source',
    points: 5,
    question: 'Is it clear what kind of project it is?',
    command: 'look for package.json, pyproject.toml, setup.py, Cargo.toml, go.mod',
    field: 'test_context.project_type',
    todo: 'name it in baton.yaml: shadow: { project_type: node }',
  },
  {
    id: 'changed_files_parse',
    category: 'code_quality',
    points: 10,
    question: 'Are the changed files correct in their language?',
    command: 'parse each changed file (node --check, python ast.parse, JSON)',
    field: 'test_context.changed_files',
    todo: 'correct the file at the place that the evidence names',
  },
  {
    id: 'no_conflict_markers',
    category: 'code_quality',
    points: 5,
    question: 'Are the changed files free of merge conflict markers?',
    command: 'look for lines that begin with <<<<<<<, ======= and >>>>>>>',
    field: 'test_context.changed_files',
    todo: 'resolve the conflict',
  },
  {
    id: 'manifest_readable',
    category: 'dependencies',
    points: 5,
    question: 'Can the file that declares the dependencies be read?',
    command: 'read package.json, pyproject.toml, Cargo.toml or go.mod',
    field: 'test_context.project_type',
    todo: 'correct the syntax of that file',
  },
  {
    id: 'imports_declared',
    category: 'dependencies',
    points: 5,
    question: 'Is everything that the changed files import declared or part of the project?',
    command: 'compare the import statements of the changed files with the declared dependencies',
    field: 'test_context.affected_modules',
    todo: 'declare the dependency, or correct the import',
  },
  {
    id: 'modules_load_on_host',
    category: 'basic_execution',
    points: 5,
    question: 'Do the changed modules load on this host?',
    command: 'load the changed modules',
    field: 'test_context.affected_modules',
    executes: true,
    todo: ALLOW,
  },
  {
    id: 'tests_pass_on_host',
    category: 'basic_execution',
    points: 5,
    question: 'Do the tests pass on this host?',
    command: 'run the test command',
    field: 'test_context.changed_files',
    executes: true,
    todo: ALLOW,
  },
] as const satisfies readonly HostRow[];

export type HostPointId = (typeof HOST_RUBRIC)[number]['id'];

function storedAt(repository: string): string {
  return shellWord(`${INSIDE.snapshots}/${snapshotKey(repository)}`);
}

/** With and without `.git`, and in another case: tools use all of them. */
function spellingsOf(repository: string): readonly string[] {
  const url = `https://github.com/${repository}`;
  return [url, `${url}.git`, `https://GitHub.com/${repository.toUpperCase()}`].map(shellWord);
}

function siblingsOf(sources: TestPlan['sources']): readonly string[] {
  const registered = new Set(sources.map(({ repository }) => repository.toLowerCase()));
  return sources
    .flatMap(({ repository }) => [`${repository}-extra`, `${repository}.github.io`])
    .filter((sibling) => !registered.has(sibling.toLowerCase()))
    .map((sibling) => shellWord(`https://github.com/${sibling}`));
}

function misdirected({ exitCode, output }: RunEvidence, sources: TestPlan['sources']): string | null {
  if (exitCode !== 0) return 'git refused the address of a registered source';
  const ids = linesOf(output)
    .filter((line) => line.includes('\t'))
    .map((line) => line.split('\t')[0]);
  const expected = sources.flatMap(({ repository, commit }) => spellingsOf(repository).map(() => commit));
  return ids.join() === expected.join() ? null : 'an address leads to another commit than the snapshot';
}

/** An installed file with the path of a snapshot file must have the same content. At least one such file must exist. */
function differsFromSnapshot({ exitCode, output }: RunEvidence, { tree }: TestPlan): string | null {
  if (exitCode !== 0) return 'the installed files could not be listed';
  const below = withoutSrc(tree);
  let same = 0;
  for (const line of linesOf(output)) {
    const [, blob = '', path = ''] = /^([0-9a-f]{40,64}) (?:\.\/)?(.+)$/.exec(line) ?? [];
    const expected = tree.get(path) ?? below.get(path);
    if (expected === undefined) continue;
    if (expected !== blob) return `${path} is not the file of the snapshot`;
    same += 1;
  }
  return same > 0 ? null : 'none of the installed files is one of the snapshot';
}

/** Python projects may keep `pkg/a.py` below `src/`, and install it without `src/`. */
function withoutSrc(tree: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(
    [...tree].flatMap(([path, blob]) => (path.startsWith('src/') ? [[path.slice('src/'.length), blob] as const] : [])),
  );
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}
