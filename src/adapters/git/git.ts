/** Asks git about a repository, also inside a hook, where git names the index by environment variables. */
import { runGit } from '../../foundation/git.ts';

export class GitProblem extends Error {
  override readonly name = 'GitProblem';
}

const ERROR_CHARS_MAX = 2_000;

export interface GitOptions {
  readonly folder: string;
  readonly input?: string;
  /** With the owner's own settings, such as hooksPath. */
  readonly asConfigured?: true;
}

/** Null: git ended with a failure, which is an answer to some questions. */
export async function askGit(args: readonly string[], options: GitOptions): Promise<Buffer | null> {
  const { code, output } = await answerOf(args, options);
  return code === 0 ? output : null;
}

/** What git answers in one line; null: it ended with a failure. */
export async function gitLine(args: readonly string[], options: GitOptions): Promise<string | null> {
  return (await askGit(args, options))?.toString('utf8').trim() ?? null;
}

export async function git(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { code, output, errors } = await answerOf(args, options);
  if (code === 0) return output;
  throw new GitProblem(`git ${args[0] ?? ''} ended with ${code ?? 'a signal'}: ${errors.trim()}`);
}

async function answerOf(
  args: readonly string[],
  options: GitOptions,
): Promise<{ readonly code: number | null; readonly output: Buffer; readonly errors: string }> {
  const { over, exitCode, stdout, stderr } = await runGit(args, { ...options, insideHook: true });
  const errors = stderr.toString('utf8').slice(0, ERROR_CHARS_MAX);
  if (over === 'not-started') throw new GitProblem(`git could not be started (${errors}); is it installed?`);
  return { code: over === 'ended' ? exitCode : null, output: stdout, errors: over === 'ended' ? errors : over };
}
