/** Reads files of an agent's own program, in bounded chunks. Their content is not trusted. */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../foundation/json.ts';
import { orNull } from '../../foundation/or-null.ts';
import { fieldIn, jsonIn, textIn } from '../json-fields.ts';

const CHUNK_BYTES = 256 * 1_024;
const CHILDREN_MAX = 200;
const MESSAGES_MAX = 12;
const MESSAGE_CHARACTERS_MAX = 2_000;

/** The end of a file, from the beginning of a line on; empty where it cannot be read. */
export function tailOf(path: string | null): string {
  const { text, isCut } = readChunk(path, (size) => Math.max(0, size - CHUNK_BYTES));
  return isCut ? text.slice(text.indexOf('\n') + 1) : text;
}

/** The first line of a file, truncated after `CHUNK_BYTES`: it may contain all instructions of a conversation. */
export function firstLineOf(path: string): string {
  return readChunk(path, () => 0).text.split('\n')[0] ?? '';
}

/** One chunk of a file, from an offset that depends on its size. `isCut`: the chunk does not begin at the start. */
function readChunk(path: string | null, from: (size: number) => number): { text: string; isCut: boolean } {
  const handle = path === null ? null : orNull(() => openSync(path, 'r'));
  if (handle === null) return { text: '', isCut: false };
  try {
    const at = from(fstatSync(handle).size);
    const bytes = Buffer.alloc(CHUNK_BYTES);
    const count = readSync(handle, bytes, 0, bytes.length, at);
    return { text: bytes.toString('utf8', 0, count), isCut: at > 0 };
  } catch {
    return { text: '', isCut: false };
  } finally {
    closeSync(handle);
  }
}

/** In order; none where the folder cannot be read. */
export function namesIn(folder: string): readonly string[] {
  return orNull(() => readdirSync(folder).toSorted()) ?? [];
}

export function jsonFile(path: string): Json {
  return orNull(() => JSON.parse(readFileSync(path, 'utf8')) as Json);
}

/** A variable in the environment of the agent's process; where that cannot be read, in ours. */
export function variableOf(pid: number, name: string): string | null {
  const variables = orNull(() => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'));
  if (variables === null) return process.env[name] ?? null;
  return variables.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

export function homeOf(pid: number): string {
  return variableOf(pid, 'HOME') ?? homedir();
}

/** The path of a file that the process or one of its children has open; null: none, or not visible. */
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
  const folder = `/proc/${pid}/task`;
  const lists = orNull(() => readdirSync(folder).map((task) => readFileSync(`${folder}/${task}/children`, 'utf8')));
  return (lists ?? []).flatMap((list) => list.trim().split(' ').filter(Boolean).map(Number));
}

function openFilesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return namesIn(folder).flatMap((name) => orNull(() => readlinkSync(join(folder, name))) ?? []);
}

/** The last messages of a transcript (lines of JSON), oldest first, as plain text. */
export function lastMessages(transcript: string): string {
  const messages = transcript.split('\n').flatMap((line) => {
    const parsed = jsonIn(line);
    const message = firstOf(fieldIn(parsed, 'message'), fieldIn(parsed, 'payload'), parsed);
    const who = textIn(message, 'role') ?? textIn(parsed, 'type') ?? '';
    const what = plainText(firstOf(fieldIn(message, 'content'), fieldIn(message, 'text'), fieldIn(message, 'parts')));
    const isSaid = ['user', 'assistant', 'gemini', 'model'].includes(who) && what.trim() !== '';
    return isSaid ? [`${who}: ${what.trim().slice(0, MESSAGE_CHARACTERS_MAX)}`] : [];
  });
  return messages.slice(-MESSAGES_MAX).join('\n\n');
}

function firstOf(...values: readonly Json[]): Json {
  return values.find((value) => value !== null) ?? null;
}

/** A text, or a list of parts with a text each. */
export function plainText(value: Json): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return (value as readonly Json[]).map((part) => textIn(part, 'text') ?? '').join('\n');
}

/** The command of a session, or the vendor's program. */
export function programOf(command: readonly string[], program: string): readonly string[] {
  return command.length === 0 ? [program] : command;
}
