/**
 * The pre-commit hook. A hook that is there stays and runs too: ours is a marked part at its beginning, or, where it is
 * no shell script, a script that calls it. Taking it out leaves what was there to the byte.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { draftBeside } from '../../foundation/whole-file.ts';
import { CheckProblem } from './check-repository.ts';
import { topFolder } from './git-lists.ts';
import { askGit, type GitOptions } from './git-run.ts';

const BEGIN = '# baton: begin (baton init --remove-git-hook takes this out)';
const END = '# baton: end';
const KEPT_AS = 'pre-commit.before-baton';

/** Where there is no baton, a commit is not held up: CI looks again. */
const PART = `${BEGIN}
if command -v baton >/dev/null 2>&1; then
  baton check --staged || exit 1
elif [ -x node_modules/.bin/baton ]; then
  node_modules/.bin/baton check --staged || exit 1
else
  echo 'baton is not installed: handoffs are not checked' >&2
fi
${END}
`;
const CALL = `exec "$(dirname "$0")/${KEPT_AS}" "$@"\n`;
const SHELL = /^#!\s*\S*(?:\/|\s)(?:env\s+)?(?:sh|bash|dash|zsh|ksh)\b[^\n]*\n/;

export interface HookAnswer {
  readonly path: string;
  readonly changed: boolean;
}

export async function putGitHook(folder: string): Promise<HookAnswer> {
  const path = await hookPathOf(folder);
  const found = lookAt(path);
  if (found.kind === 'text' && found.text.includes(BEGIN)) return { path, changed: false };
  if (found.kind === 'text' && (found.mode & 0o111) === 0 && !isHusky(path)) {
    throw new CheckProblem(`${path} is there and not executable, so git does not run it; make it so, or move it away`);
  }
  mkdirSync(dirname(path), { recursive: true });
  if (found.kind === 'absent') put(path, `#!/bin/sh\n${PART}`, 0o755);
  else {
    const shebang = found.kind === 'text' ? headOf(found.text, path) : null;
    if (found.kind === 'text' && shebang !== null) {
      put(path, `${shebang}${PART}${found.text.slice(shebang.length)}`, found.mode);
    } else {
      const aside = join(dirname(path), KEPT_AS);
      if (lookAt(aside).kind !== 'absent') throw new CheckProblem(`${aside} is there already; look at it first`);
      renameSync(path, aside);
      put(path, `#!/bin/sh\n${PART}${CALL}`, 0o755);
    }
  }
  return { path, changed: true };
}

export async function takeGitHook(folder: string): Promise<HookAnswer> {
  const path = await hookPathOf(folder);
  const found = lookAt(path);
  if (found.kind !== 'text' || !found.text.includes(BEGIN)) return { path, changed: false };
  const aside = join(dirname(path), KEPT_AS);
  const rest = withoutPart(found.text);
  if (rest === `#!/bin/sh\n${CALL}`) renameSync(aside, path);
  else if (rest === '#!/bin/sh\n') rmSync(path);
  else put(path, rest, found.mode);
  return { path, changed: true };
}

function withoutPart(text: string): string {
  const from = text.indexOf(BEGIN);
  const end = text.indexOf(END, from);
  if (end === -1) throw new CheckProblem(`the end of our part is missing (${END}); take it out by hand`);
  const to = text.indexOf('\n', end);
  return text.slice(0, from) + (to === -1 ? '' : text.slice(to + 1));
}

/** Null: no shell would run our part. Files of husky have no first line of that kind and are run by one. */
function headOf(text: string, path: string): string | null {
  const shebang = SHELL.exec(text)?.[0];
  if (shebang !== undefined) return shebang;
  return isHusky(path) && !text.startsWith('#!') ? '' : null;
}

function isHusky(path: string): boolean {
  return basename(dirname(path)) === '.husky';
}

async function hookPathOf(folder: string): Promise<string> {
  const options: GitOptions = { folder: resolve(folder), asConfigured: true };
  const top = await topFolder(options);
  if (top === null) throw new CheckProblem(`${options.folder} is in no git repository; make one with: git init`);
  const told = await askGit(['rev-parse', '--git-path', 'hooks'], options);
  const hooks = resolve(options.folder, told?.toString('utf8').replace(/\r?\n$/, '') ?? '.git/hooks');
  await refuseForeign(hooks, options);
  // The folder that git is told of is made anew by husky whenever it likes; people write into the one above.
  const own = basename(hooks) === '_' && basename(dirname(hooks)) === '.husky' ? dirname(hooks) : hooks;
  return join(own, 'pre-commit');
}

/** A folder of hooks for all repositories of a user, or none at all, is not ours to write into. */
async function refuseForeign(hooks: string, options: GitOptions): Promise<void> {
  const told = await askGit(['config', '--show-scope', '--get', 'core.hooksPath'], options);
  const scope = told?.toString('utf8').split('\t')[0]?.trim() ?? 'local';
  if (lookAt(hooks).kind === 'other') {
    throw new CheckProblem(`core.hooksPath is ${hooks}, which is no folder: hooks are switched off here`);
  }
  if (scope === 'local' || scope === 'worktree') return;
  const todo = 'call "baton check --staged" in its pre-commit, or set core.hooksPath for this repository alone';
  throw new CheckProblem(`core.hooksPath is ${hooks} for all your repositories; ${todo}`);
}

type Found =
  | { readonly kind: 'absent' | 'other' | 'folder' | 'program' }
  | { readonly kind: 'text'; readonly text: string; readonly mode: number };

function lookAt(path: string): Found {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { kind: 'absent' };
  if (found.isDirectory()) return { kind: 'folder' };
  if (found.isSymbolicLink()) return { kind: 'program' };
  if (!found.isFile()) return { kind: 'other' };
  const bytes = readFileSync(path);
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? { kind: 'text', text, mode: found.mode & 0o777 } : { kind: 'program' };
}

/** Whole or not at all: git may be about to run it. */
function put(path: string, text: string, mode: number): void {
  const draft = draftBeside(path);
  writeFileSync(draft, text);
  chmodSync(draft, mode);
  renameSync(draft, path);
}

/** As a person would name it. */
export function shownFrom(folder: string, path: string): string {
  const short = relative(realpathSync(folder), path);
  return short.startsWith('..') ? path : short;
}
