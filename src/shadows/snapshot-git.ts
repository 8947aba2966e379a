/** Runs git for snapshots, with a separate index and object folder, ignoring settings and owner of the repository. */
import { runGit, type GitSetting } from '../foundation/git.ts';

const SAYS_MAX = 500;

/** A snapshot is dropped after a crash, holds exactly the bytes of the files, and may be of another user's repository. */
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

interface GitAnswer {
  readonly code: number;
  readonly output: Buffer;
  readonly errors: string;
}

export async function git(args: readonly string[], { codes = [0], ...call }: GitCall): Promise<GitAnswer> {
  const ran = await runGit(args, { ...call, settings: SETTINGS });
  const errors = ran.stderr.toString('utf8').slice(0, SAYS_MAX).trim();
  if (ran.over === 'not-started') throw new SnapshotProblem(`git could not be started (${errors}); is it installed?`);
  if (ran.over !== 'ended') throw new SnapshotProblem(`git ${args[0] ?? ''} was ended: ${ran.over}`);
  const code = ran.exitCode ?? -1;
  if (codes.includes(code)) return { code, output: ran.stdout, errors };
  throw new SnapshotProblem(`git ${args[0] ?? ''} ended with ${code}: ${errors}`);
}

export async function gitText(args: readonly string[], call: GitCall): Promise<string> {
  return (await git(args, call)).output.toString('utf8').trim();
}

/** The output, or null where git answers that there is nothing. */
export async function gitTextOrNull(args: readonly string[], call: GitCall): Promise<string | null> {
  const { code, output } = await git(args, { ...call, codes: [0, 1, 128] });
  return code === 0 ? output.toString('utf8').trim() : null;
}
