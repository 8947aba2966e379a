/**
 * Any program as a worker: the handoff as JSON on its standard input, its answer as JSON on its standard output.
 *
 * It runs in a process group of its own, and behind a gate: the group is on record before the program's first
 * instruction, so that whoever finds the worker dead can also end what it had started.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { JSON_BYTES_MAX, readJson, type Json } from '../../foundation/json.ts';
import { evidenceArgument } from './arguments.ts';
import { HandlerFailure } from '../../engine/attempt.ts';
import type { AskedEvidence } from '../../engine/evidence-desk.ts';
import type { Attempt, Handler } from '../../engine/work.ts';
import { startOf } from '../../foundation/process-identity.ts';
import { endNow } from '../../house/liveness.ts';
import { traceparentFor } from '../shared/trace-context.ts';
import { bodyView, handoffView } from '../shared/views.ts';
import type { Body } from '../../domain/body.ts';

/** How much of what the program said last goes into the message of its failure. */
const STDERR_TAIL = 2_000;
/** A program that is asked to end has this long before it is ended; its worker waits for that, but not much longer. */
const POLITE_MS = 1_000;
const GATE = 'read -r _ <&3 || exit 125; exec 3<&-; exec "$@"';

/** In the folder given, or in the one where we are ourselves. */
export function commandHandler(
  command: readonly string[],
  onError: (text: string) => void,
  folder: string = process.cwd(),
): Handler {
  return async ({ handoff, body }, { signal, running, evidence }) => {
    const carried = JSON.parse(body) as Body;
    const view = { ...handoffView(handoff), ...bodyView(carried) };
    const environment = {
      BATON_HANDOFF_ID: handoff.id,
      BATON_FENCE: String(handoff.fence),
      BATON_AGENT: handoff.to,
      TRACEPARENT: traceparentFor(handoff, carried.context),
    };
    const child = start(command, environment, folder);
    const ended = endOf(child);
    const answer = collect(child, onError);
    const stop = (): void => endPolitely(child);
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (child.pid !== undefined) await running({ group: child.pid, startedAt: startOf(child.pid) ?? '' });
      openGate(child);
      feed(child, JSON.stringify(view));
      const { code, killedBy } = await ended;
      // First, because a program that said too much was ended by us.
      const output = answer.output();
      if (code !== 0)
        throw new HandlerFailure('PROCESSING_ERROR', failureText(command, code, killedBy, answer.errors()));
      const result = readAnswer(output);
      return handoff.terms.deliverables.length === 0 ? result : withoutEvidence(result, evidence);
    } finally {
      signal.removeEventListener('abort', stop);
      // What the program left running, or what still stands at the gate, would be in the way of the next one.
      if (child.pid !== undefined) endNow(child.pid);
    }
  };
}

/** The full path of a command, or null: better now than once for every handoff. */
export function findCommand(name: string): string | null {
  if (name.includes('/') || (process.platform === 'win32' && name.includes('\\')))
    return isProgram(resolve(name)) ? name : null;
  const endings = process.platform === 'win32' ? (process.env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';') : [''];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const files = folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending)));
  return files.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function start(command: readonly string[], environment: Readonly<Record<string, string>>, cwd: string): ChildProcess {
  const [program = '', ...rest] = command;
  const env = { ...process.env, ...environment };
  if (process.platform === 'win32') return spawn(program, rest, { env, cwd, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  return spawn('/bin/sh', ['-c', GATE, 'sh', ...command], {
    env,
    cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
}

function openGate(child: ChildProcess): void {
  const gate = child.stdio[3] as Writable | null;
  gate?.on('error', () => undefined);
  gate?.end('\n');
}

/** A program need not read its input; that it did not is no fault. */
function feed(child: ChildProcess, text: string): void {
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(`${text}\n`);
}

interface Ended {
  readonly code: number | null;
  readonly killedBy: string | null;
}

function endOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new HandlerFailure('PROCESSING_ERROR', `could not start: ${error.message}`)));
    child.once('close', (code, killedBy) => resolve({ code, killedBy }));
  });
}

function collect(child: ChildProcess, onError: (text: string) => void): { output(): Buffer; errors(): string } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let errors = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= JSON_BYTES_MAX) chunks.push(chunk);
    else endPolitely(child);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    onError(text);
    errors = (errors + text).slice(-STDERR_TAIL);
  });
  return {
    errors: () => errors.trim(),
    output: () => {
      if (bytes <= JSON_BYTES_MAX) return Buffer.concat(chunks);
      throw new HandlerFailure('PROCESSING_ERROR', `more than ${JSON_BYTES_MAX} bytes on standard output`);
    },
  };
}

function endPolitely(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  endNow(pid, 'SIGTERM');
  const insist = setTimeout(() => endNow(pid), POLITE_MS);
  child.once('close', () => clearTimeout(insist));
}

function failureText(command: readonly string[], code: number | null, killedBy: string | null, errors: string): string {
  const how = code === null ? `was ended by ${killedBy ?? 'a signal'}` : `ended with exit code ${code}`;
  return `${command[0] ?? 'the command'} ${how}${errors === '' ? '' : `: ${errors}`}`;
}

function readAnswer(output: Buffer): Json {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(output);
  } catch {
    throw new HandlerFailure('PROCESSING_ERROR', 'standard output is not UTF-8 text');
  }
  if (text.trim() === '') return null;
  const read = readJson(text);
  if (read.ok) return read.value.value;
  const { line, column, says } = read.refusal;
  throw new HandlerFailure('PROCESSING_ERROR', `standard output is not JSON: line ${line}, column ${column}: ${says}`);
}

/**
 * Where deliverables were asked for, an answer may hold `"evidence": { "login page": "file:src/login.tsx" }`, or a list
 * of such texts: it is shown for them, and is not part of the result.
 */
function withoutEvidence(result: Json, show: Attempt['evidence']): Json {
  if (typeof result !== 'object' || result === null || !('evidence' in result)) return result;
  const { evidence, ...rest } = result as { readonly evidence: Json; readonly [name: string]: Json };
  if (typeof evidence !== 'object' || evidence === null || Array.isArray(evidence)) {
    throw new HandlerFailure(
      'PROCESSING_ERROR',
      '"evidence" is an object: deliverable to "kind:value", or a list of them',
    );
  }
  for (const [deliverable, shown] of Object.entries(evidence)) {
    for (const text of Array.isArray(shown) ? shown : [shown]) {
      const { kind, value } = readEvidence(`${deliverable}=${String(text)}`);
      show(deliverable, kind, value);
    }
  }
  return rest;
}

function readEvidence(text: string): AskedEvidence {
  try {
    return evidenceArgument(text);
  } catch (error) {
    throw new HandlerFailure('PROCESSING_ERROR', error instanceof Error ? error.message : String(error));
  }
}
