/** What a repository looks like from outside: branch, HEAD and what is not committed. Reads only, and runs no hooks. */
import { runGit } from '../../foundation/git.ts';
import type { GitState } from '../../formats/succession-note/write.ts';

const GIT_MAX_MS = 5_000;
const OUTPUT_MAX = 1_024 * 1_024;
const DIRTY_MAX = 500;

/** Null: it is no repository, or git is not there. */
export async function gitStateOf(cwd: string): Promise<GitState | null> {
  const status = await git(cwd, ['status', '--porcelain=v1', '-z', '--branch', '--untracked-files=normal']);
  if (status === null) return null;
  const [first = '', ...rest] = status.split('\0');
  const branch = /^## (?:No commits yet on )?([^\s.]+(?:\.(?!\.\.)[^\s.]+)*)/.exec(first)?.[1] ?? null;
  const head = (await git(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD']))?.trim() ?? null;
  const dirty = rest.filter((line) => line !== '').slice(0, DIRTY_MAX);
  return { branch: branch === 'HEAD' ? null : branch, head: head === '' ? null : head, dirty };
}

async function git(cwd: string, args: readonly string[]): Promise<string | null> {
  const ran = await runGit(args, { folder: cwd, timeoutMs: GIT_MAX_MS, outputBytesMax: OUTPUT_MAX });
  return ran.over === 'ended' && ran.exitCode === 0 ? ran.stdout.toString('utf8') : null;
}
