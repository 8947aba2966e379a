/** A commit as evidence: looked up in the repository around the workspace, and kept by its full id. */
import type { Evidence } from '../../domain/evidence.ts';
import { quoted, seen, untrue, type Look } from './look.ts';
import { runBounded, type Ran } from './run-bounded.ts';

type CommitEvidence = Extract<Evidence, { kind: 'commit' }>;

/** Names of commits, branches and tags; not the expressions that make git search or read files. */
const REVISION = /^[A-Za-z0-9_@][A-Za-z0-9_@./~^+-]{0,199}$/;
const FULL_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const GIT_MS = 20_000;

/** A commit that is not here may not be fetched for the occasion, and nothing may stand in for another object. */
const ENVIRONMENT = {
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
};

export async function firstLookAtCommit(name: string, folder: string, signal?: AbortSignal): Promise<Look> {
  const id = await idOf(name.trim(), folder, signal);
  if ('says' in id) return untrue(id.says);
  return seen({ kind: 'commit', commit: id.commit }, `commit ${id.commit} is in the repository`);
}

export async function secondLookAtCommit(was: CommitEvidence, folder: string, signal?: AbortSignal): Promise<Look> {
  const id = await idOf(was.commit, folder, signal);
  if ('says' in id) return untrue(`it was there when it was delivered, but now ${id.says}`);
  // Only somebody who wrote a short name into the record by hand gets here.
  if (id.commit !== was.commit) return untrue(`${quoted(was.commit)} is no full id; it now means ${id.commit}`);
  return seen(was, `commit ${was.commit} is still in the repository`);
}

async function idOf(
  name: string,
  folder: string,
  signal?: AbortSignal,
): Promise<{ readonly commit: string } | { readonly says: string }> {
  if (!REVISION.test(name) || name.includes('..')) {
    return { says: `${quoted(name)} is not the name of a commit; give its id, a branch or a tag` };
  }
  const git = (...args: readonly string[]): Promise<Ran> =>
    runBounded('git', args, { folder, timeoutMs: GIT_MS, env: ENVIRONMENT, signal });
  const resolved = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
  const commit = resolved.tail.trim();
  if (resolved.over === 'ended' && resolved.exitCode === 0 && FULL_ID.test(commit)) {
    const there = await git('cat-file', '-e', commit);
    return there.exitCode === 0 ? { commit } : { says: `commit ${commit} is named but its object is missing here` };
  }
  if (resolved.over === 'not-started') return { says: `git could not be started (${resolved.tail}); is it installed?` };
  if (resolved.over === 'too-long') return { says: `git did not answer within ${GIT_MS} ms` };
  const repository = await git('rev-parse', '--git-dir');
  if (repository.exitCode !== 0) {
    return { says: 'the workspace is in no git repository that git trusts; run git status in it to see why' };
  }
  return { says: `there is no commit ${quoted(name)} in this repository; commit the work first, or give its full id` };
}
