/** Checks of texts with programs of this host: parsers only read, and nothing of the project is executed by them. */
import { messageOf } from '../../foundation/error-message.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostCheck, HostChecks } from '../sandbox.ts';
import { hostEnvironment, runProgram, type ProgramEnd, type ProgramRequest } from '../../foundation/run-program.ts';

const PARSE_MS = 10_000;
const PARSE_BYTES_MAX = 64 * 1024;
const RUN_BYTES_MAX = 1024 * 1024;
const SAYS_MAX = 300;
const KEPT = ['PATH', 'HOME', 'LANG', 'TMPDIR'];

/** Reads the text from its standard input; `-I` keeps everything of the project off its path. */
const PYTHON_PARSE = 'import ast, sys; ast.parse(sys.stdin.buffer.read(), sys.argv[1])';
const PYTHON_MODULES = 'import sys; print("\\n".join(sys.stdlib_module_names))';

export const systemHostChecks: HostChecks = {
  parses: async (path, text) => {
    if (path.endsWith('.json')) return parseJson(path, text);
    if (path.endsWith('.py')) return parsePython(path, text);
    if (/\.(?:js|mjs|cjs)$/.test(path)) return parseScript(path, text);
    return null;
  },
  pythonModules: async () => {
    const ran = await run({ program: 'python3', args: ['-I', '-c', PYTHON_MODULES] });
    return ran.exitCode === 0 ? new Set(ran.stdout.toString('utf8').trim().split('\n')) : null;
  },
  run: async (folder, command, timeoutMs, signal) => {
    const ran = await runProgram({
      program: '/bin/sh',
      args: ['-c', `{ ${command}\n} 2>&1`],
      folder,
      env: { ...hostEnvironment(KEPT), SOURCE: folder, CI: '1' },
      timeoutMs,
      outputBytesMax: RUN_BYTES_MAX,
      signal,
    });
    return checkOf(command, ran);
  },
};

function parseJson(path: string, text: string): HostCheck {
  const command = `JSON.parse(${path})`;
  try {
    JSON.parse(text);
    return { passes: true, says: 'it is JSON', command, exitCode: 0, durationMs: 0, output: '' };
  } catch (error) {
    const says = `${path}: ${messageOf(error)}`.slice(0, SAYS_MAX);
    return { passes: false, says, command, exitCode: 1, durationMs: 0, output: says };
  }
}

async function parsePython(path: string, text: string): Promise<HostCheck | null> {
  const ran = await run({ program: 'python3', args: ['-I', '-c', PYTHON_PARSE, path], input: text });
  return ran.over === 'not-started' ? null : checkOf(`python3 -I -c 'ast.parse' ${path}`, ran, path);
}

/** Both ways in which Node reads a file; a text that is right in one of them is right. */
async function parseScript(path: string, text: string): Promise<HostCheck> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-parse-'));
  try {
    const extensions = path.endsWith('.mjs') ? ['mjs'] : path.endsWith('.cjs') ? ['cjs'] : ['mjs', 'cjs'];
    let last: HostCheck | null = null;
    for (const extension of extensions) {
      const file = join(folder, `text.${extension}`);
      await writeFile(file, text);
      const ran = await run({ program: process.execPath, args: ['--check', file] });
      last = checkOf(`node --check ${path}`, ran, path, file);
      if (last.passes) break;
    }
    return last as HostCheck;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(request: Pick<ProgramRequest, 'program' | 'args' | 'input'>): Promise<ProgramEnd> {
  return runProgram({ ...request, env: hostEnvironment(KEPT), timeoutMs: PARSE_MS, outputBytesMax: PARSE_BYTES_MAX });
}

function checkOf(command: string, ran: ProgramEnd, path = '', file = ''): HostCheck {
  const passes = ran.over === 'ended' && ran.exitCode === 0;
  const raw = `${ran.stdout.toString('utf8')}${ran.stderr.toString('utf8')}`;
  const output = file === '' ? raw : raw.replaceAll(file, path);
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const errors = lines.filter((line) => /error/i.test(line) || (path !== '' && line.includes(path)));
  const summary = (errors.length > 0 ? errors : lines).slice(0, 2).join(' · ').slice(0, SAYS_MAX);
  const says = passes
    ? 'exit code 0'
    : ran.over === 'ended'
      ? `exit code ${ran.exitCode ?? 'none'}: ${summary}`
      : ran.over;
  return { passes, says, command, exitCode: ran.exitCode, durationMs: ran.durationMs, output };
}
