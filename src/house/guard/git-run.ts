/**
 * Asks git, whatever the repository's own settings would make it run: no hooks, no monitor, no fetching, no prompts.
 * Inside of a hook git says by variables which index is meant; those are kept, and settings that come the same way are
 * not.
 */
import { spawn } from 'node:child_process';
import { codeOf } from '../../foundation/error-code.ts';

export class GitProblem extends Error {
  override readonly name = 'GitProblem';
}

const HARDENED = ['--no-pager', '-c', 'core.fsmonitor=', '-c', 'core.hooksPath=/dev/null'];
const KEPT = ['PATH', 'HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'LANG', 'TMPDIR', 'SYSTEMROOT'];
const KEPT_OF_GIT = [
  'GIT_DIR',
  'GIT_COMMON_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
];
const OUTPUT_BYTES_MAX = 512 * 1024 * 1024;
const ERROR_CHARS_MAX = 2_000;

export interface GitOptions {
  readonly folder: string;
  readonly input?: string;
  /** To ask for the owner's own settings, of which hooksPath is one. */
  readonly asConfigured?: true;
}

/** Null: git says no, which is an answer to some questions. */
export async function askGit(args: readonly string[], options: GitOptions): Promise<Buffer | null> {
  const { code, output } = await runGit(args, options);
  return code === 0 ? output : null;
}

export async function git(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { code, output, errors } = await runGit(args, options);
  if (code === 0) return output;
  throw new GitProblem(`git ${args[0] ?? ''} ended with ${code ?? 'a signal'}: ${errors.trim()}`);
}

interface Answer {
  readonly code: number | null;
  readonly output: Buffer;
  readonly errors: string;
}

function runGit(args: readonly string[], { folder, input, asConfigured }: GitOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...(asConfigured === true ? ['--no-pager'] : HARDENED), ...args], {
      cwd: folder,
      env: environment(asConfigured === true),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= OUTPUT_BYTES_MAX) chunks.push(chunk);
      else child.kill();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(0, ERROR_CHARS_MAX);
    });
    child.once('error', (error) => {
      reject(new GitProblem(`git could not be started (${codeOf(error) ?? error.message}); is it installed?`));
    });
    child.once('close', (code) => resolve({ code, output: Buffer.concat(chunks), errors }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
  });
}

function environment(asConfigured: boolean): Record<string, string> {
  const kept = [...KEPT, ...KEPT_OF_GIT].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    ...(asConfigured ? {} : { GIT_CONFIG_NOSYSTEM: '1' }),
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}
