/**
 * The git hooks: a check before a commit, and a quiet sync after git has brought something. An existing hook stays and runs
 * too: ours is a marked part at its beginning or, where the hook is no shell script, a script that calls it. Removing ours
 * restores what was there to the byte.
 */
import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { writeAtomically } from '../../foundation/atomic-file.ts';
import { GREP_OF_GUARDED } from '../../engine/guard/tree.ts';
import { CheckProblem } from '../guard/check-repository.ts';
import { topFolder } from './git-lists.ts';
import { askGit, type GitOptions } from './git.ts';

const BEGIN = '# baton: begin (baton init --remove-git-hook takes this out)';
const END = '# baton: end';
/** The new ending of a hook that is no shell script. */
const BACKUP_ENDING = '.before-baton';

/** Where baton is not installed, git continues, because CI checks again. `unless`: a shell test that skips the command. */
function partOf(command: string, absent: string, unless = ''): string {
  return `${BEGIN}
${unless === '' ? 'if' : `if ${unless}; then\n  :\nelif`} command -v baton >/dev/null 2>&1; then
  baton ${command}
elif [ -x node_modules/.bin/baton ]; then
  node_modules/.bin/baton ${command}
else
  ${absent}
fi
${END}
`;
}

const CHECK = partOf(
  'check --staged || exit 1',
  "echo 'baton is not installed: handoffs are not checked' >&2",
  // No committed file can be a handoff.
  `! git diff --cached --name-only --no-renames --no-ext-diff | grep -iqE '${GREP_OF_GUARDED}'`,
);
/** Imports documents after git has changed them. A failure of this hook never stops git. */
const SYNC = partOf(
  'sync --quiet || true',
  ':',
  // No document differs from the last commit that was taken in.
  `git diff --quiet "$(tail -n 1 .baton/documents/tips 2>/dev/null)" HEAD -- ':(glob)**/_handoffs/**' 2>/dev/null`,
);

/** The first is the pre-commit hook. */
const HOOKS = {
  'pre-commit': CHECK,
  'pre-merge-commit': CHECK,
  'post-merge': SYNC,
  'post-checkout': SYNC,
  'post-rewrite': SYNC,
} as const;
const HOOK_NAMES = Object.keys(HOOKS) as readonly (keyof typeof HOOKS)[];

function callBackup(name: string): string {
  return `exec "$(dirname "$0")/${name}${BACKUP_ENDING}" "$@"\n`;
}

const SHELL = /^#!\s*\S*(?:\/|\s)(?:env\s+)?(?:sh|bash|dash|zsh|ksh)\b[^\n]*\n/;

export interface HookAnswer {
  readonly path: string;
  readonly changed: boolean;
}

/** One answer for each hook. */
export async function installGitHooks(folder: string): Promise<readonly HookAnswer[]> {
  const hooks = await hookFolderOf(folder);
  const paths = HOOK_NAMES.map((name) => ({ name, path: join(hooks, name) }));
  for (const { path } of paths) {
    const found = readHook(path);
    const isSkipped = found.kind === 'text' && (found.mode & 0o111) === 0 && !isHusky(path);
    if (isSkipped) {
      throw new CheckProblem(
        `${path} is there and not executable, so git does not run it; make it so, or move it away`,
      );
    }
  }
  mkdirSync(hooks, { recursive: true });
  return paths.map(({ name, path }) => ({ path, changed: installHook(name, path) }));
}

function installHook(name: keyof typeof HOOKS, path: string): boolean {
  const found = readHook(path);
  const part = HOOKS[name];
  if (found.kind === 'text' && found.text.includes(BEGIN)) {
    const renewed = replacePart(found.text, part);
    if (renewed === found.text) return false;
    writeAtomically(path, renewed, { mode: found.mode });
    return true;
  }
  const shebang = found.kind === 'text' ? shebangOf(found.text, path) : null;
  if (found.kind === 'absent') writeAtomically(path, `#!/bin/sh\n${part}`, { mode: 0o755 });
  else if (found.kind === 'text' && shebang !== null) {
    writeAtomically(path, `${shebang}${part}${found.text.slice(shebang.length)}`, { mode: found.mode });
  } else {
    const backup = `${path}${BACKUP_ENDING}`;
    if (readHook(backup).kind !== 'absent') throw new CheckProblem(`${backup} is there already; look at it first`);
    renameSync(path, backup);
    writeAtomically(path, `#!/bin/sh\n${part}${callBackup(name)}`, { mode: 0o755 });
  }
  return true;
}

export async function removeGitHooks(folder: string): Promise<readonly HookAnswer[]> {
  const hooks = await hookFolderOf(folder);
  return HOOK_NAMES.map((name) => {
    const path = join(hooks, name);
    return { path, changed: removeHook(name, path) };
  });
}

function removeHook(name: string, path: string): boolean {
  const found = readHook(path);
  if (found.kind !== 'text' || !found.text.includes(BEGIN)) return false;
  const rest = replacePart(found.text, '');
  if (rest === `#!/bin/sh\n${callBackup(name)}`) renameSync(`${path}${BACKUP_ENDING}`, path);
  else if (rest === '#!/bin/sh\n') rmSync(path);
  else writeAtomically(path, rest, { mode: found.mode });
  return true;
}

/** The text of a hook with another part in place of ours. */
function replacePart(text: string, part: string): string {
  const end = text.indexOf(END, text.indexOf(BEGIN));
  if (end === -1) throw new CheckProblem(`the end of our part is missing (${END}); take it out by hand`);
  const to = text.indexOf('\n', end);
  return text.slice(0, text.indexOf(BEGIN)) + part + (to === -1 ? '' : text.slice(to + 1));
}

/** The first line, behind which our part goes; null: the hook is no shell script. Files of husky need no such line. */
function shebangOf(text: string, path: string): string | null {
  const shebang = SHELL.exec(text)?.[0];
  if (shebang !== undefined) return shebang;
  return isHusky(path) && !text.startsWith('#!') ? '' : null;
}

function isHusky(path: string): boolean {
  return basename(dirname(path)) === '.husky';
}

async function hookFolderOf(folder: string): Promise<string> {
  const options: GitOptions = { folder: resolve(folder), asConfigured: true };
  const top = await topFolder(options);
  if (top === null) throw new CheckProblem(`${options.folder} is in no git repository; make one with: git init`);
  const output = await askGit(['rev-parse', '--git-path', 'hooks'], options);
  const hooks = resolve(options.folder, output?.toString('utf8').replace(/\r?\n$/, '') ?? '.git/hooks');
  await refuseSharedHookFolder(hooks, options);
  // Husky overwrites the folder that git uses; people write into the one above.
  return basename(hooks) === '_' && basename(dirname(hooks)) === '.husky' ? dirname(hooks) : hooks;
}

/** Refuses a hook folder that serves all repositories of a user, and a path that is no folder. */
async function refuseSharedHookFolder(hooks: string, options: GitOptions): Promise<void> {
  const output = await askGit(['config', '--show-scope', '--get', 'core.hooksPath'], options);
  const scope = output?.toString('utf8').split('\t')[0]?.trim() ?? 'local';
  if (readHook(hooks).kind === 'other') {
    throw new CheckProblem(`core.hooksPath is ${hooks}, which is no folder: hooks are switched off here`);
  }
  if (scope === 'local' || scope === 'worktree') return;
  const todo = 'call "baton check --staged" in its pre-commit, or set core.hooksPath for this repository alone';
  throw new CheckProblem(`core.hooksPath is ${hooks} for all your repositories; ${todo}`);
}

type Found =
  | { readonly kind: 'absent' | 'other' | 'folder' | 'program' }
  | { readonly kind: 'text'; readonly text: string; readonly mode: number };

function readHook(path: string): Found {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { kind: 'absent' };
  if (found.isDirectory()) return { kind: 'folder' };
  if (found.isSymbolicLink()) return { kind: 'program' };
  if (!found.isFile()) return { kind: 'other' };
  const bytes = readFileSync(path);
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? { kind: 'text', text, mode: found.mode & 0o777 } : { kind: 'program' };
}

/** The path from the folder, where the file lies below it. */
export function shownFrom(folder: string, path: string): string {
  const short = relative(realpathSync(folder), path);
  return short.startsWith('..') ? path : short;
}
