/** What a commit or a file that is shown as evidence changes, as text for people. */
import { runGit } from '../../foundation/git.ts';
import type { ProgramEnd } from '../../foundation/run-program.ts';
import type { Evidence } from '../../domain/evidence.ts';
import type { EvidenceDiff, EvidenceFor } from '../../engine/evidence-checker.ts';
import { hashOf } from './file-evidence.ts';

const GIT_MS = 20_000;
/** More than anybody reads in a browser. */
const DIFF_BYTES_MAX = 200 * 1024;
/** Nothing that the repository names is run to make text out of files. */
const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv'] as const;
const FULL_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Null where there is nothing to compare. */
export async function diffOf(
  evidence: Evidence,
  handoff: EvidenceFor,
  folder: string,
  signal?: AbortSignal,
): Promise<EvidenceDiff | null> {
  const git = (...args: readonly string[]): Promise<ProgramEnd> =>
    runGit(args, { folder, timeoutMs: GIT_MS, outputBytesMax: DIFF_BYTES_MAX, signal });
  if (evidence.kind === 'commit') {
    if (!FULL_ID.test(evidence.commit)) return null;
    return textOf(await git('show', '--format=', ...PLAIN, '--find-renames', evidence.commit));
  }
  return evidence.kind === 'file' ? fileDiff(evidence.path, handoff, folder, git, signal) : null;
}

/** Against the last commit from before the handoff was made; a file that git does not know is all new. */
async function fileDiff(
  name: string,
  { createdAt }: EvidenceFor,
  folder: string,
  git: (...args: readonly string[]) => Promise<ProgramEnd>,
  signal?: AbortSignal,
): Promise<EvidenceDiff | null> {
  const found = await hashOf(name, folder, signal);
  if (typeof found === 'string') return null;
  const { path } = found;
  // What git ignores is often what nobody else should read.
  if ((await git('check-ignore', '--quiet', '--', path)).exitCode === 0) return null;
  const before = await git('rev-list', '-1', `--before=${Math.floor(createdAt / 1000)}`, 'HEAD');
  const base = before.stdout.toString('utf8').trim();
  const known = FULL_ID.test(base) ? textOf(await git('diff', ...PLAIN, base, '--', `:(literal)${path}`)) : null;
  if (known !== null) return known;
  const inBase = FULL_ID.test(base) && (await git('cat-file', '-e', `${base}:${path}`)).exitCode === 0;
  return inBase ? null : textOf(await git('diff', ...PLAIN, '--no-index', '--', '/dev/null', path));
}

function textOf({ over, exitCode, stdout }: ProgramEnd): EvidenceDiff | null {
  const isCut = over === 'output';
  // With --no-index git ends with 1 where there is a difference.
  if (!isCut && (over !== 'ended' || (exitCode !== 0 && exitCode !== 1))) return null;
  const text = stdout.subarray(0, DIFF_BYTES_MAX).toString('utf8');
  return text.trim() === '' ? null : { text, isCut };
}
