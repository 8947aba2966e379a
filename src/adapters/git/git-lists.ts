/** Lists the files of git's index or of a commit, and reads many blobs with one process. */
import { textOfMark, type FileText, type SeenFile } from '../../engine/guard/tree.ts';
import type { DocumentVersion } from '../../folders/folder.ts';
import { versionsIn } from '../../folders/git-tree.ts';
import { askGit, git, gitLine, GitProblem, type GitOptions } from './git.ts';

/** The folder of the repository's working tree; null where there is none. */
export async function topFolder(options: GitOptions): Promise<string | null> {
  return (await askGit(['rev-parse', '--show-toplevel'], options))?.toString('utf8').replace(/\r?\n$/, '') ?? null;
}

/** Names of commits, branches and tags, without the expressions that make git search or read files. */
const REVISION = /^[A-Za-z0-9_@][A-Za-z0-9_@./~^+-]{0,199}$/;

/** Null: there is no such commit. Before the first one there is no HEAD. */
export async function commitOf(name: string, options: GitOptions): Promise<string | null> {
  if (!REVISION.test(name) || name.includes('..')) return null;
  return gitLine(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], options);
}

/** A commit as git stores it, with its signature; null: there is none. */
export async function commitText(commit: string, options: GitOptions): Promise<string | null> {
  return (await askGit(['cat-file', 'commit', commit], options))?.toString('utf8') ?? null;
}

export async function indexFiles(options: GitOptions): Promise<ReadonlyMap<string, SeenFile>> {
  const output = await git(['ls-files', '--stage', '--full-name', '-z', '--', ':/'], options);
  return filesIn(output, /^(\d{6}) ([0-9a-f]{40,64}) \d$/);
}

export async function commitFiles(commit: string, options: GitOptions): Promise<ReadonlyMap<string, SeenFile>> {
  const output = await git(['ls-tree', '-r', '-z', '--full-tree', commit], options);
  return filesIn(output, /^(\d{6}) \w+ ([0-9a-f]{40,64})$/);
}

/** Tracked files and untracked ones that are not ignored, each with its name as the disk has it. */
export async function workingNames(options: GitOptions): Promise<ReadonlyMap<string, Buffer>> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--full-name', '-z', '--', ':/'];
  return new Map(recordsIn(await git(args, options)).map((record) => [record.toString('utf8'), record]));
}

function filesIn(output: Buffer, form: RegExp): ReadonlyMap<string, SeenFile> {
  const files = new Map<string, SeenFile>();
  for (const bytes of recordsIn(output)) {
    const record = bytes.toString('utf8');
    const end = record.indexOf('\t');
    const found = form.exec(record.slice(0, end));
    if (found === null) throw new GitProblem(`git listed something else than files: ${JSON.stringify(record)}`);
    const [, mode = '', mark = ''] = found;
    files.set(record.slice(end + 1), { mark, isPlain: mode.startsWith('100') });
  }
  return files;
}

/** Records end with a zero byte and may hold any other. */
function recordsIn(output: Buffer): readonly Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0, at);
    const to = end === -1 ? output.length : end;
    records.push(output.subarray(at, to));
    at = to + 1;
  }
  return records;
}

const TEXT_BYTES_MAX = 1024 * 1024;

/** Asks by id, so that no name can be misread. */
export async function readBlobs(
  marks: ReadonlySet<string>,
  options: GitOptions,
): Promise<ReadonlyMap<string, FileText>> {
  const texts = new Map<string, FileText>();
  if (marks.size === 0) return texts;
  const input = [...marks].map((mark) => `${mark}\n`).join('');
  const output = await git(['cat-file', '--batch'], { ...options, input });
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0x0a, at);
    const [mark = '', kind = '', size = ''] = output.toString('latin1', at, end).split(' ');
    if (kind === 'missing') {
      texts.set(mark, { unfit: 'git does not have its content here' });
      at = end + 1;
      continue;
    }
    const from = end + 1;
    const to = from + Number(size);
    texts.set(mark, textOf(output.subarray(from, to)));
    at = to + 1;
  }
  return texts;
}

export function textOf(bytes: Buffer): FileText {
  if (bytes.length > TEXT_BYTES_MAX)
    return { unfit: `it has ${bytes.length} bytes, at most ${TEXT_BYTES_MAX} are read` };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { unfit: 'it is not UTF-8 text' };
  }
}

/** The other parents of a merge that is not committed yet. */
export async function mergingCommits(options: GitOptions): Promise<readonly string[]> {
  const heads = await askGit(['rev-parse', '--verify', '--quiet', 'MERGE_HEAD'], options);
  return (heads?.toString('utf8') ?? '').split(/\s+/).filter((name) => /^[0-9a-f]{40,64}$/.test(name));
}

/** As far back as the history of one document is read. */
const VERSIONS_MAX = 100;

/** The texts of a document in the history that led to a commit, in whatever folder it lay, the newest first. */
export async function versionsOf(
  path: string,
  commit: string,
  options: GitOptions,
): Promise<readonly DocumentVersion[]> {
  const at = path.lastIndexOf('_handoffs/');
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (at === -1 || /[*?[\]\\:]/.test(path)) return [];
  const pathspec = `:(top,glob)${path.slice(0, at)}_handoffs/**/${name}`;
  const format = ['-z', '--raw', '--no-abbrev', '--no-renames', '--format=by %H%n%ae%n%an'];
  const output = await askGit(['log', `--max-count=${VERSIONS_MAX}`, ...format, commit, '--', pathspec], options);
  const listed = versionsIn(output?.toString('utf8') ?? '');
  const texts = await readBlobs(new Set(listed.map(({ blob }) => blob)), options);
  return listed.flatMap(({ commit, author, blob }) => {
    const text = textOfMark(texts, blob);
    return text === null ? [] : [{ commit, author, text }];
  });
}
