/** A commit as evidence: git finds it in the repository around the workspace, and its full id is stored. */
import { runGit } from '../../foundation/git.ts';
import type { ProgramEnd } from '../../foundation/run-program.ts';
import { quoted, seen, untrue, type FolderCheckRequest, type EvidenceOf, type Finding } from './evidence-finding.ts';

/** Names of commits, branches and tags; not the expressions that make git search or read files. */
const REVISION = /^[A-Za-z0-9_@][A-Za-z0-9_@./~^+-]{0,199}$/;
export const FULL_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const GIT_MS = 20_000;
const OUTPUT_BYTES_MAX = 64 * 1024;

export async function checkCommit(name: string, request: FolderCheckRequest): Promise<Finding> {
  const id = await idOf(name.trim(), request);
  if ('says' in id) return untrue(id.says);
  const about = await describe(id.commit, request);
  if (about.against !== null) return untrue(about.against);
  return seen({ kind: 'commit', commit: id.commit }, `commit ${id.commit} is in the repository: ${about.says}`);
}

export async function recheckCommit(was: EvidenceOf<'commit'>, request: FolderCheckRequest): Promise<Finding> {
  const id = await idOf(was.commit, request);
  if ('says' in id) return untrue(`it was there when it was delivered, but now ${id.says}`);
  // Only a record that was edited by hand holds a short name.
  if (id.commit !== was.commit) return untrue(`${quoted(was.commit)} is no full id; it now means ${id.commit}`);
  const about = await describe(was.commit, request);
  if (about.against !== null) return untrue(about.against);
  return seen(was, `commit ${was.commit} is still in the repository: ${about.says}`);
}

/** The commit in words, and why it proves nothing for this handoff; `against` is null where it counts. */
async function describe(
  commit: string,
  request: FolderCheckRequest,
): Promise<{ readonly says: string; readonly against: string | null }> {
  const { createdAt, terms } = request.handoff;
  const git = gitFor(request);
  const output = async (...args: readonly string[]): Promise<string> => (await git(...args)).stdout.toString('utf8');
  const about = await output('log', '-1', '--no-show-signature', '--format=%ct%x00%an <%ae>', commit);
  const [seconds = '', author = ''] = about.trim().split('\u0000');
  const madeAt = Number(seconds) * 1000;
  const touched = await output('diff-tree', '--root', '--no-commit-id', '--name-only', '-r', '-m', '-z', commit);
  const files = touched.split('\u0000').filter((name) => name !== '');
  const branches = await output(
    'for-each-ref',
    '--count=1',
    '--format=%(refname:short)',
    '--contains',
    commit,
    ...REFS,
  );
  const branch = branches.trim();
  const when = Number.isFinite(madeAt) && seconds !== '' ? new Date(madeAt).toISOString() : 'an unknown time';
  const place = branch === '' ? 'on no branch' : `on ${quoted(branch)}`;
  const says = `by ${quoted(author)} at ${when}, ${place}, files: ${named(files)}`;
  if (terms.anyCommit === true) return { says, against: null };
  const against =
    files.length === 0
      ? 'it changes no file'
      : branch === ''
        ? 'no branch or tag holds it'
        : // Git counts in whole seconds.
          madeAt + 1000 <= createdAt
          ? `it is older than the handoff (${when})`
          : null;
  if (against === null) return { says, against };
  return {
    says,
    against: `commit ${commit} proves nothing here: ${against}; the sender can allow it with --any-commit`,
  };
}

const REFS = ['refs/heads', 'refs/remotes', 'refs/tags'] as const;
const FILES_NAMED_MAX = 5;

function named(files: readonly string[]): string {
  const rest = files.length > FILES_NAMED_MAX ? ['and more'] : [];
  return files.length === 0 ? 'none' : [...files.slice(0, FILES_NAMED_MAX).map(quoted), ...rest].join(', ');
}

/** git in the folder of the workspace. */
export function gitFor(
  { options: { folder }, signal }: FolderCheckRequest,
  outputBytesMax = OUTPUT_BYTES_MAX,
): (...args: readonly string[]) => Promise<ProgramEnd> {
  return (...args) => runGit(args, { folder, timeoutMs: GIT_MS, outputBytesMax, signal });
}

async function idOf(
  name: string,
  request: FolderCheckRequest,
): Promise<{ readonly commit: string } | { readonly says: string }> {
  if (!REVISION.test(name) || name.includes('..')) {
    return { says: `${quoted(name)} is not the name of a commit; give its id, a branch or a tag` };
  }
  const git = gitFor(request);
  const resolved = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
  const commit = resolved.stdout.toString('utf8').trim();
  if (resolved.over === 'ended' && resolved.exitCode === 0 && FULL_ID.test(commit)) {
    const there = await git('cat-file', '-e', commit);
    return there.exitCode === 0 ? { commit } : { says: `commit ${commit} is named but its object is missing here` };
  }
  if (resolved.over === 'not-started')
    return { says: `git could not be started (${resolved.stderr.toString('utf8')}); is it installed?` };
  if (resolved.over === 'timeout') return { says: `git did not answer within ${GIT_MS} ms` };
  const repository = await git('rev-parse', '--git-dir');
  if (repository.exitCode !== 0) {
    return { says: 'the workspace is in no git repository that git trusts; run git status in it to see why' };
  }
  return { says: `there is no commit ${quoted(name)} in this repository; commit the work first, or give its full id` };
}
