/** Files that an agent's own program keeps: read from their end, bounded, and never trusted further than that. */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../foundation/json.ts';
import { fieldIn, jsonLine } from '../context-meter.ts';

const TAIL_BYTES = 256 * 1_024;
const CHILDREN_MAX = 200;
const SAID_MAX = 12;
const SAID_CHARACTERS = 2_000;

/** The end of a file, from the beginning of a line on; empty where it cannot be read. */
export function tailOf(path: string | null): string {
  if (path === null) return '';
  let handle: number | null = null;
  try {
    handle = openSync(path, 'r');
    const { size } = fstatSync(handle);
    const from = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - from);
    readSync(handle, bytes, 0, bytes.length, from);
    const text = bytes.toString('utf8');
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } catch {
    return '';
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

/** Bounded: a first line may be as long as a whole conversation's instructions. */
export function firstLineOf(path: string): string {
  let handle: number | null = null;
  try {
    handle = openSync(path, 'r');
    const bytes = Buffer.alloc(TAIL_BYTES);
    const count = readSync(handle, bytes, 0, bytes.length, 0);
    return bytes.subarray(0, count).toString('utf8').split('\n')[0] ?? '';
  } catch {
    return '';
  } finally {
    if (handle !== null) closeSync(handle);
  }
}

/** In order; none where the folder cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

export function jsonFile(path: string): Json {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Json;
  } catch {
    return null;
  }
}

/** A variable as the agent's process has it, which need not be ours; where that cannot be seen, ours. */
export function variableOf(pid: number, name: string): string | null {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const found = variables.find((each) => each.startsWith(`${name}=`));
    return found === undefined ? null : found.slice(name.length + 1);
  } catch {
    return process.env[name] ?? null;
  }
}

export function homeOf(pid: number): string {
  return variableOf(pid, 'HOME') ?? homedir();
}

/** A file that the process or one of its children holds open, by its name; null where that cannot be seen. */
export function openFileOf(pid: number, isWanted: (path: string) => boolean): string | null {
  const pids = [pid];
  for (let at = 0; at < pids.length && pids.length < CHILDREN_MAX; at += 1) {
    const each = pids[at] as number;
    pids.push(...childrenOf(each));
    const found = openFilesOf(each).find(isWanted);
    if (found !== undefined) return found;
  }
  return null;
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function openFilesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((name) => linkAt(join(folder, name)) ?? []);
  } catch {
    return [];
  }
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** The last things that were said in a transcript of lines of JSON, oldest first, as plain text. */
export function lastSaid(transcript: string): string {
  const said = transcript.split('\n').flatMap((line) => {
    const parsed = jsonLine(line);
    const message = firstOf(fieldIn(parsed, 'message'), fieldIn(parsed, 'payload'), parsed);
    const who = textOf(firstOf(fieldIn(message, 'role'), fieldIn(parsed, 'type')));
    const what = plainText(firstOf(fieldIn(message, 'content'), fieldIn(message, 'text'), fieldIn(message, 'parts')));
    const isSaid = ['user', 'assistant', 'gemini', 'model'].includes(who) && what.trim() !== '';
    return isSaid ? [`${who}: ${what.trim().slice(0, SAID_CHARACTERS)}`] : [];
  });
  return said.slice(-SAID_MAX).join('\n\n');
}

function firstOf(...values: readonly Json[]): Json {
  return values.find((value) => value !== null) ?? null;
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : '';
}

function plainText(value: Json): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return (value as readonly Json[]).map((part) => textOf(fieldIn(part, 'text'))).join('\n');
}
