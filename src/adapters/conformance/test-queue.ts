/** A queue folder for the test of a program: starts the program there, and reads and watches its files. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, watch, writeFileSync, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../../foundation/atomic-file.ts';
import { unlessMissing } from '../../foundation/or-null.ts';
import type { JsonObject } from '../../foundation/json.ts';
import { readMessage } from '../../formats/queue-message/read.ts';

type QueueFolderName = 'pending' | 'in-progress' | 'completed' | 'failed';

export interface Finished {
  /** Null: it was ended by a signal, or did not end in time. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type TestQueue = ReturnType<typeof openTestQueue>;

const PLACES = ['pending', 'in-progress', 'completed', 'failed'] as const;
/** An interpreter takes a while to start on a busy machine; one that has not answered by then hangs. */
const RUN_TIMEOUT_MS = 30_000;
const OUTPUT_MAX = 100_000;

export function openTestQueue(folder: string, command: readonly string[], signal: AbortSignal) {
  const running = new Map<ChildProcess, Promise<void>>();
  const watchers: FSWatcher[] = [];
  const folderOf = (place: QueueFolderName): string => join(folder, 'handoffs', place);
  const pathOf = (place: QueueFolderName, id: string): string => join(folderOf(place), `${id}.json`);
  const [program = '', ...fixed] = command;

  const start = (...args: readonly string[]) => {
    const child = spawn(program, [...fixed, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk: Buffer) => {
        if (said[name].length < OUTPUT_MAX) said[name] += chunk.toString();
      });
    }
    const tooLong = setTimeout(() => child.kill('SIGKILL'), RUN_TIMEOUT_MS);
    const stop = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', stop);
    const ended = new Promise<Finished>((resolve) => {
      child.once('error', (error) => resolve({ code: null, ...said, stderr: error.message }));
      child.once('close', (code) => resolve({ code, ...said }));
    }).finally(() => {
      clearTimeout(tooLong);
      signal.removeEventListener('abort', stop);
      running.delete(child);
    });
    // Not until its output is closed: what it has started itself may keep that open for long.
    running.set(child, new Promise((resolve) => child.once('exit', () => resolve()).once('error', () => resolve())));
    return { child, ended };
  };

  const read = (place: QueueFolderName, id: string): JsonObject | null => {
    const text = unlessMissing(() => readFileSync(pathOf(place, id), 'utf8'));
    const message = text === null ? null : readMessage(text);
    return message?.ok === true ? message.value.fields : null;
  };

  return {
    start,
    /** Runs the program to its end, or ends it when it takes too long. */
    run: async (...args: readonly string[]) => start(...args).ended,
    /** The whole file, as a careful program puts it there. */
    put: (place: QueueFolderName, id: string, fields: object) => {
      writeAtomically(pathOf(place, id), JSON.stringify(fields, null, 2));
    },
    /** In place and as it is, as a careless one does. */
    write: (place: QueueFolderName, name: string, text: string) => writeFileSync(join(folderOf(place), name), text),
    /** Null: there is none, or it is not whole. */
    read,
    names: (place: QueueFolderName) =>
      readdirSync(folderOf(place)).filter((name) => !name.startsWith('.') && name.endsWith('.json')),
    places: (id: string) => PLACES.filter((place) => existsSync(pathOf(place, id))),
    /** False: the program has moved it meanwhile. */
    move: (id: string, from: QueueFolderName, to: QueueFolderName) =>
      unlessMissing(() => renameSync(pathOf(from, id), pathOf(to, id))) !== null,
    /** Calls back for each change of a name in a folder, until the check is over. */
    watch: (place: QueueFolderName, changed: (name: string) => void) => {
      watchers.push(watch(folderOf(place), (_event, name) => changed(name ?? '')));
    },
    /** Ends the program; resolves when it has ended. */
    close: async () => {
      for (const watcher of watchers) watcher.close();
      for (const child of running.keys()) child.kill('SIGKILL');
      await Promise.all(running.values());
    },
  };
}

export function aRequest(id: string, to: string, more: object = {}): JsonObject {
  return {
    handoff_id: id,
    timestamp: new Date().toISOString(),
    status: 'pending',
    source: { agent_id: '@conformance' },
    target: { agent_id: to },
    input: { data: { text: 'two words' } },
    timeout_seconds: 300,
    x_kept: { by: 'everybody' },
    ...more,
  };
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}

/** The end of what a program said, for a message of one line. */
export function outputSummary({ code, stdout, stderr }: Finished): string {
  const said = lastLine(stderr) || lastLine(stdout) || 'nothing';
  return `it ended with ${code ?? 'a signal'} and said: ${said.slice(0, 200)}`;
}
