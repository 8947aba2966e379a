/**
 * A git worktree and a branch for one attempt, so that agents do not work in each other's files.
 *
 * At the end what the agent left uncommitted is committed to the branch, the folder is removed, and the branch stays if it
 * holds a commit. Nothing that an agent wrote is lost.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HandoffId } from '../../domain/names.ts';
import { commitOf } from '../git/git-lists.ts';
import { askGit, git, GitProblem } from '../git/git.ts';
import type { Workspace } from '../../workspace/workspace.ts';

export type Worktree = Awaited<ReturnType<typeof openWorktree>>;

export interface WorktreeRequest {
  readonly handoff: HandoffId;
  readonly attempt: number;
  /** Where to begin: a commit of an earlier attempt, or null for what is checked out. */
  readonly base: string | null;
}

export async function openWorktree(
  { folder: root, privateFolder }: Workspace,
  { handoff, attempt, base }: WorktreeRequest,
) {
  const name = `${handoff}-${attempt}`;
  const branch = `baton/${name}`;
  const folder = join(privateFolder, 'worktrees', name);
  const at = { folder: root };
  const begin = (await commitOf(base ?? 'HEAD', at)) ?? (await commitOf('HEAD', at));
  if (begin === null) {
    throw new GitProblem('--worktree needs a git repository with at least one commit in the workspace');
  }
  // The worker of the same attempt died before: its folder is in the way, its commits stay in the repository.
  if (existsSync(folder)) await askGit(['worktree', 'remove', '--force', folder], at);
  await askGit(['worktree', 'prune'], at);
  await git(['worktree', 'add', '--quiet', '-B', branch, folder, begin], at);
  return {
    folder,
    branch,
    /** Commits what is left, removes the folder; null: nothing was changed, and the branch is gone too. */
    close: async (says: string) => {
      await commitRest(folder, says);
      const commit = await commitOf('HEAD', { folder });
      await git(['worktree', 'remove', '--force', folder], at);
      // The agent may have switched branches: the commit that is checked out counts.
      const end = commit ?? begin;
      if (end === begin) {
        await askGit(['branch', '--quiet', '-D', branch], at);
        return null;
      }
      await git(['branch', '--quiet', '--force', branch, end], at);
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
