/** git for snapshots: our own index and objects, whatever the repository's settings and its owner are. */
import { runGit, type GitSetting } from '../foundation/git.ts';

const SAYS_MAX = 500;

/** A snapshot is thrown away after a crash, holds exactly the bytes that lie there, and may be of anybody's repository. */
const SETTINGS: readonly GitSetting[] = [
  ['core.safecrlf', 'false'],
  ['core.fsync', 'none'],
  ['index.sparse', 'false'],
  ['advice.addEmbeddedRepo', 'false'],
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

export function quietGit(): Git {
  return async (args, call) => {
    const { folder, env, input } = call;
    const ran = await runGit(args, {
      folder,
      settings: SETTINGS,
      ...(env === undefined ? {} : { env }),
      ...(input === undefined ? {} : { input }),
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
