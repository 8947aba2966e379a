/** git for snapshots: no hooks, no filters, no monitors, no network, whatever the repository's settings say. */
import { hostEnvironment, runProgram } from './run-program.ts';

/** A repository that takes longer, or says more, is not judged. */
const GIT_MS = 120_000;
const OUTPUT_BYTES_MAX = 512 * 1024 * 1024;
const SAYS_MAX = 500;

const KEPT = ['PATH', 'HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'TMPDIR', 'SYSTEMROOT'];

const FIXED = {
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_CONFIG_NOSYSTEM: '1',
};

/** What would run something, write something or wait for something. */
const QUIET: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.untrackedCache', 'false'],
  ['core.splitIndex', 'false'],
  ['core.safecrlf', 'false'],
  ['core.fsync', 'none'],
  ['index.sparse', 'false'],
  ['protocol.allow', 'never'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['advice.addEmbeddedRepo', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['i18n.commitEncoding', 'UTF-8'],
  ['safe.directory', '*'],
];

export class SnapshotProblem extends Error {
  override readonly name = 'SnapshotProblem';
}

export interface GitCall {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: Uint8Array | string;
  /** Exit codes that are answers. */
  readonly codes?: readonly number[];
}

export interface Git {
  (
    args: readonly string[],
    call: GitCall,
  ): Promise<{ readonly code: number; readonly output: Buffer; readonly errors: string }>;
}

/** `filters` are the drivers of clean and smudge filters, which are switched off by name. */
export function quietGit(filters: readonly string[] = []): Git {
  const settings = [
    ...QUIET,
    ...filters.flatMap((name): readonly (readonly [string, string])[] => [
      [`filter.${name}.clean`, ''],
      [`filter.${name}.smudge`, ''],
      [`filter.${name}.process`, ''],
      [`filter.${name}.required`, 'false'],
    ]),
  ];
  const env = {
    ...hostEnvironment(KEPT),
    ...FIXED,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
  return async (args, call) => {
    const ran = await runProgram({
      program: 'git',
      args: ['--no-pager', ...args],
      folder: call.folder,
      env: { ...env, ...call.env },
      ...(call.input === undefined ? {} : { input: call.input }),
      timeoutMs: GIT_MS,
      outputBytesMax: OUTPUT_BYTES_MAX,
    });
    const errors = ran.stderr.toString('utf8').slice(0, SAYS_MAX).trim();
    if (ran.over === 'not-started') throw new SnapshotProblem(`git could not be started (${errors}); is it installed?`);
    if (ran.over !== 'ended') throw new SnapshotProblem(`git ${args[0] ?? ''} was ended: ${ran.over}`);
    const code = ran.exitCode ?? -1;
    if ((call.codes ?? [0]).includes(code)) return { code, output: ran.stdout, errors };
    throw new SnapshotProblem(`git ${args[0] ?? ''} ended with ${code}: ${errors}`);
  };
}

export async function gitText(git: Git, args: readonly string[], call: GitCall): Promise<string> {
  return (await git(args, call)).output.toString('utf8').trim();
}

/** Entries that end with a zero byte: names may hold everything else. */
export function entriesOf(output: Buffer): readonly string[] {
  return output
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry !== '');
}
