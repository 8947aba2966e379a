/**
 * All calls of git go through here. Whatever the settings of the repository, git runs no other program and writes only
 * what was asked for: no hooks, file monitors, filters, signature programs, pagers or prompts, no network, no replaced
 * objects and no submodules.
 */
import { hostEnvironment, runProgram, type ProgramEnd } from './run-program.ts';

export interface GitRequest {
  readonly folder: string;
  readonly input?: Uint8Array | string;
  readonly timeoutMs?: number;
  readonly outputBytesMax?: number;
  readonly signal?: AbortSignal | undefined;
  /** Additional variables, such as `GIT_DIR`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Settings that override those of the repository. */
  readonly settings?: readonly GitSetting[];
  /** Keeps the variables by which git tells a hook which index to use. */
  readonly insideHook?: true;
  /** Reads the user's own settings. Only for `config` and `rev-parse`, which run nothing. */
  readonly asConfigured?: true;
}

export type GitSetting = readonly [key: string, value: string];

const GIT_MS = 120_000;
const OUTPUT_BYTES_MAX = 512 * 1024 * 1024;

const KEPT_VARIABLES = ['PATH', 'HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'LANG', 'TMPDIR', 'SYSTEMROOT'];
const KEPT_HOOK_VARIABLES = [
  'GIT_DIR',
  'GIT_COMMON_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
];

const FIXED_ENVIRONMENT = {
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ALLOW_PROTOCOL: 'none',
};

/** Settings by which git would run a program, write files or wait. */
const HARDENED_SETTINGS: readonly GitSetting[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.untrackedCache', 'false'],
  ['core.splitIndex', 'false'],
  ['log.showSignature', 'false'],
  ['protocol.allow', 'never'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['status.submoduleSummary', 'false'],
];

/** These commands never read the content of files of the working tree, so no filter can run. */
// oxfmt-ignore
const WITHOUT_FILTERS = new Set([
  'cat-file', 'check-attr', 'check-ignore', 'commit-tree', 'config', 'diff-tree', 'for-each-ref', 'fsck', 'index-pack', 'init',
  'log', 'ls-files', 'ls-tree', 'pack-objects', 'repack', 'rev-list', 'rev-parse', 'show', 'symbolic-ref', 'update-ref', 'write-tree',
]);
/** An option of `ls-files` that compares the content of files. */
const COMPARES = ['-m', '--modified'];

export async function runGit(args: readonly string[], request: GitRequest): Promise<ProgramEnd> {
  if (request.asConfigured === true || runsNoFilter(args)) return run(args, request, []);
  const filters = await filtersOf(request);
  return run(args, request, filters.flatMap(filterOff));
}

function runsNoFilter(args: readonly string[]): boolean {
  if (args.includes('--no-filters')) return true;
  return WITHOUT_FILTERS.has(commandIn(args)) && !COMPARES.some((option) => args.includes(option));
}

/** Attributes name filters, and settings define their commands; a filter without a setting runs nothing. */
async function filtersOf(request: GitRequest): Promise<readonly string[]> {
  const { input, ...rest } = request;
  void input;
  const listed = await run(['config', '--null', '--name-only', '--get-regexp', FILTER_PATTERN], rest, []);
  const names = listed.stdout.toString('utf8').split('\0');
  return [...new Set(names.flatMap((name) => FILTER_SETTING.exec(name)?.[1] ?? []))];
}

const FILTER_PATTERN = String.raw`^filter\..*\.(clean|smudge|process|required)$`;
const FILTER_SETTING = /^filter\.(.+)\.[a-z]+$/is;

function filterOff(name: string): readonly GitSetting[] {
  return [
    [`filter.${name}.clean`, ''],
    [`filter.${name}.smudge`, ''],
    [`filter.${name}.process`, ''],
    [`filter.${name}.required`, 'false'],
  ];
}

/** The first argument that is neither an option nor the value of `-c`. */
function commandIn(args: readonly string[]): string {
  return args.find((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c') ?? '';
}

async function run(args: readonly string[], request: GitRequest, filters: readonly GitSetting[]): Promise<ProgramEnd> {
  const { folder, input, signal, timeoutMs = GIT_MS, outputBytesMax = OUTPUT_BYTES_MAX, asConfigured } = request;
  const settings = asConfigured === true ? [] : [...HARDENED_SETTINGS, ...(request.settings ?? []), ...filters];
  const hook = request.insideHook === true ? KEPT_HOOK_VARIABLES : [];
  return runProgram({
    program: 'git',
    args: ['--no-pager', ...args],
    folder,
    env: {
      ...hostEnvironment([...KEPT_VARIABLES, ...hook]),
      ...FIXED_ENVIRONMENT,
      ...(asConfigured === true ? {} : { GIT_CONFIG_NOSYSTEM: '1' }),
      ...settingsEnvironment(settings),
      ...request.env,
    },
    ...(input === undefined ? {} : { input }),
    timeoutMs,
    outputBytesMax,
    signal,
  });
}

/** Splits the output of a command with `-z`. */
export function nulSeparated(output: Buffer): readonly string[] {
  return output
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry !== '');
}

function settingsEnvironment(settings: readonly GitSetting[]): Record<string, string> {
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...(Object.fromEntries(numbered) as Record<string, string>) };
}
