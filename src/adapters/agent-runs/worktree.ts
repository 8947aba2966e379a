/**
 * A git worktree and a branch for one attempt, so that agents do not work in each other's files.
 *
 * Cleaned up by rule: what the agent left uncommitted is committed to the branch, the folder goes, and the branch stays
 * if it holds a commit. Nothing that an agent wrote is thrown away.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HandoffId } from '../../domain/names.ts';
import { askGit, git, GitProblem } from '../git/git.ts';
import type { Workspace } from '../../workspace/workspace.ts';

export interface Worktree {
  readonly folder: string;
  readonly branch: string;
  /** Commits what is left, removes the folder; null: nothing was changed, and the branch is gone too. */
  close(says: string): Promise<{ readonly branch: string; readonly commit: string } | null>;
}

export interface WorktreeRequest {
  readonly handoff: HandoffId;
  readonly attempt: number;
  /** Where to begin: a commit of an earlier attempt, or null for what is checked out. */
  readonly base: string | null;
}

export async function openWorktree(
  { folder: root, privateFolder }: Workspace,
  { handoff, attempt, base }: WorktreeRequest,
): Promise<Worktree> {
  const name = `${handoff}-${attempt}`;
  const branch = `baton/${name}`;
  const folder = join(privateFolder, 'worktrees', name);
  const begin = (await commitOf(root, base ?? 'HEAD')) ?? (await commitOf(root, 'HEAD'));
  if (begin === null) {
    throw new GitProblem('--worktree needs a git repository with at least one commit in the workspace');
  }
  // The same attempt was begun before and its worker died: its folder is in the way, its commits are not lost.
  if (existsSync(folder)) await askGit(['worktree', 'remove', '--force', folder], { folder: root });
  await askGit(['worktree', 'prune'], { folder: root });
  await git(['worktree', 'add', '--quiet', '-B', branch, folder, begin], { folder: root });
  return {
    folder,
    branch,
    close: async (says) => {
      await commitRest(folder, says);
      const commit = await commitOf(folder, 'HEAD');
      await git(['worktree', 'remove', '--force', folder], { folder: root });
      // The agent may have left the branch: what it ended on is what counts.
      const end = commit ?? begin;
      if (end === begin) {
        await askGit(['branch', '--quiet', '-D', branch], { folder: root });
        return null;
      }
      await git(['branch', '--quiet', '--force', branch, end], { folder: root });
      return { branch, commit: end };
    },
  };
}

async function commitRest(folder: string, says: string): Promise<void> {
  const status = await git(['status', '--porcelain', '-z'], { folder });
  if (status.length === 0) return;
  const author = ['-c', 'user.name=Baton', '-c', 'user.email=baton@localhost', '-c', 'commit.gpgsign=false'];
  await git(['add', '--all'], { folder });
  await git([...author, 'commit', '--quiet', '--no-verify', '-m', says], { folder });
}

async function commitOf(folder: string, revision: string): Promise<string | null> {
  const found = await askGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`], {
    folder,
  });
  return found === null ? null : found.toString('utf8').trim();
}
