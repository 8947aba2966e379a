/** What a commit or a file of evidence changes, as text for people. */
import type { ProgramEnd } from '../../foundation/run-program.ts';
import type { Evidence } from '../../domain/evidence.ts';
import type { EvidenceDiff } from '../../engine/evidence-checker.ts';
import { FULL_ID, gitFor } from './commit-evidence.ts';
import { hashOf, isIgnored } from './file-evidence.ts';
import type { FolderCheckRequest } from './evidence-finding.ts';

/** More than a person reads in a browser. */
const DIFF_BYTES_MAX = 200 * 1024;
/** The repository may name programs that turn files into text. git must not run them. */
const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv'] as const;

/** Null where there is nothing to compare. */
export async function diffOf(evidence: Evidence, request: FolderCheckRequest): Promise<EvidenceDiff | null> {
  if (evidence.kind === 'file') return fileDiff(evidence.path, request);
  if (evidence.kind !== 'commit' || !FULL_ID.test(evidence.commit)) return null;
  const git = gitFor(request, DIFF_BYTES_MAX);
  return textOf(await git('show', '--format=', ...PLAIN, '--find-renames', evidence.commit));
}

/** Compares with the last commit from before the handoff. A file that git does not know is all new. */
async function fileDiff(name: string, request: FolderCheckRequest): Promise<EvidenceDiff | null> {
  const found = await hashOf(name, request);
  if (typeof found === 'string') return null;
  const { path } = found;
  // An ignored file often holds secrets.
  if (await isIgnored(path, request)) return null;
  const git = gitFor(request, DIFF_BYTES_MAX);
  const seconds = Math.floor(request.handoff.createdAt / 1000);
  const base = (await git('rev-list', '-1', `--before=${seconds}`, 'HEAD')).stdout.toString('utf8').trim();
  const hasBase = FULL_ID.test(base);
  const known = hasBase ? textOf(await git('diff', ...PLAIN, base, '--', `:(literal)${path}`)) : null;
  if (known !== null) return known;
  const inBase = hasBase && (await git('cat-file', '-e', `${base}:${path}`)).exitCode === 0;
  return inBase ? null : textOf(await git('diff', ...PLAIN, '--no-index', '--', '/dev/null', path));
}

function textOf({ over, exitCode, stdout }: ProgramEnd): EvidenceDiff | null {
  const isCut = over === 'output';
  // With --no-index git ends with 1 where there is a difference.
  if (!isCut && (over !== 'ended' || (exitCode !== 0 && exitCode !== 1))) return null;
  const text = stdout.subarray(0, DIFF_BYTES_MAX).toString('utf8');
  return text.trim() === '' ? null : { text, isCut };
}
