/**
 * Real processes for tests. Each is started with a mark in its environment, which its children inherit: when a test is
 * over, whatever happened in it, everything that bears the mark is ended by its process id, and its folders go.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { runQuickly } from './quick-commands.ts';
import { ROOT } from './source-files.ts';

export const BATON = join(ROOT, 'dist/baton.cjs');

const MARK_NAME = 'BATON_TEST_MARK';
const MARK = `${process.pid}-${randomUUID()}`;

/** What a process needs of ours, and nothing that would change how it behaves. */
const KEPT = keptVariables('PATH', 'HOME', 'TMPDIR', 'LANG', 'USER');

/** Generous, because the machine may be busy with other tests: a test that waits this long has failed. */
export const PATIENCE_MS = 90_000;
const LOOK_AGAIN_MS = 10;
/** Between two looks passes at least so many times as long as a look takes: waiting takes no time from others. */
const REST_PER_LOOK = 3;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** More for its standard input, which stays open only if there was `input: 'open'`. */
  say(text: string): void;
  /** There is no more to come on its standard input. */
  endInput(): void;
  signal(name: NodeJS.Signals): void;
  /** Nobody reads its standard output any more, as when `head` has seen enough. */
  stopReading(): void;
  readonly ended: Promise<Ended>;
}

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** For its standard input; `open` leaves it open for `say`. Without: it is empty. */
  readonly input?: 'open' | Uint8Array;
}

export function start(program: string, args: readonly string[], options: StartOptions = {}): Running {
  const child = spawn(program, args, {
    cwd: options.cwd ?? tmpdir(),
    env: { ...KEPT, ...options.env, [MARK_NAME]: MARK },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  cleanUpAfterTest(child);
  const output: string[] = [];
  const errors: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  // A program that has ended or does not read is no fault of the test.
  child.stdin.on('error', () => undefined);
  if (options.input !== 'open') child.stdin.end(options.input);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal, stdout: output.join(''), stderr: errors.join('') });
    });
  });
  // Whoever waits for the end gets its failure; without a waiter it is told by the next look at the process.
  ended.catch(() => undefined);
  return {
    pid: child.pid ?? -1,
    stdout: () => output.join(''),
    stderr: () => errors.join(''),
    say: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    signal: (name) => void child.kill(name),
    stopReading: () => void child.stdout.destroy(),
    ended,
  };
}

export function startBaton(args: readonly string[], options: StartOptions = {}): Running {
  const running = start(process.execPath, [BATON, ...args], options);
  const ended = running.ended.then(withoutImpatience);
  ended.catch(() => undefined);
  return { ...running, ended };
}

/** Said where a server takes its time, as it does on a busy machine; no test is about it. */
const SLOW_SERVER = /^baton: still waiting for the database to answer.*\n/gm;

function withoutImpatience(ended: Ended): Ended {
  return { ...ended, stderr: ended.stderr.replaceAll(SLOW_SERVER, '') };
}

/** Runs it to its end, in a process of its own. */
export async function baton(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return startBaton(args, options).ended;
}

/** Runs it to its end, without a process of its own where it needs none. */
export async function quickBaton(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  const { cwd = tmpdir(), env = {}, input } = options;
  const wanted = { entry: BATON, args, cwd, env: { ...KEPT, ...env, [MARK_NAME]: MARK } };
  const answered = input === undefined ? await runQuickly(wanted) : null;
  return answered === null ? baton(args, options) : withoutImpatience(answered);
}

export type Absent = null | undefined | false;

/**
 * Looks until there is something to see, and answers it. The only way in which these tests wait: for facts, with an
 * end, and with what was last seen in the complaint.
 */
export async function until<Seen>(
  what: string,
  look: () => Seen | Absent | Promise<Seen | Absent>,
  patienceMs: number = PATIENCE_MS,
): Promise<Seen> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    const beganMs = performance.now();
    const seen = await look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    const nowMs = performance.now();
    if (nowMs > endMs) throw new Error(`waited ${patienceMs} ms in vain for: ${what}`);
    await pause(Math.max(LOOK_AGAIN_MS, REST_PER_LOOK * (nowMs - beganMs)));
  }
}

/** Waits until a process has said something, on either output; complains with all it said if it ends before. */
export async function untilSays(running: Running, words: string | RegExp): Promise<void> {
  let over: Ended | null = null;
  void running.ended.then(
    (ended) => (over = ended),
    () => undefined,
  );
  await until(`process ${running.pid} says ${words}`, () => {
    const said = `${running.stdout()}\n${running.stderr()}`;
    if (typeof words === 'string' ? said.includes(words) : words.test(said)) return true;
    if (over !== null) throw new Error(`it ended without saying ${words}: ${JSON.stringify(over)}`);
    return false;
  });
}

/** A folder of its own for the test that calls this. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Whether a process lives: what is left of one that has ended does not count. */
export function isAlive(pid: number): boolean {
  const stat = readQuietly(`/proc/${pid}/stat`);
  return stat !== null && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/** Every living process that the test has started, directly or not, with its command line. */
export function markedProcesses(): readonly { readonly pid: number; readonly command: string }[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((name) => readQuietly(`/proc/${name}/environ`)?.includes(`${MARK_NAME}=${MARK}`) === true)
    .map((name) => ({ pid: Number(name), command: readQuietly(`/proc/${name}/cmdline`) ?? '' }))
    .filter(({ pid }) => isAlive(pid))
    .map(({ pid, command }) => ({ pid, command: command.replaceAll('\0', ' ').trim() }));
}

const cleaned = new WeakSet<object>();

function cleanUpAfterTest(child: ChildProcess): void {
  onTestFinished(async ({ task }) => {
    // Also where the system does not tell which processes bear the mark.
    child.kill('SIGKILL');
    if (cleaned.has(task)) return;
    cleaned.add(task);
    // Twice, because one that is being ended may just have started another.
    await until('every process of this test has ended', () => {
      const left = markedProcesses();
      for (const { pid } of left) endQuietly(pid);
      return left.length === 0;
    });
  });
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function keptVariables(...names: readonly string[]): Record<string, string> {
  const kept = names.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(kept.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
}

function readQuietly(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
