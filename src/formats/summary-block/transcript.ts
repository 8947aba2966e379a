/**
 * Blocks in the transcript of a session: one JSON object per line, as Claude Code, Codex and Gemini CLI write them, or one
 * JSON object with all messages, as older versions of Gemini CLI do.
 *
 * Only a block in a message of the agent itself is active. A block in the result of a tool, or in a message to the agent,
 * is only reported: it may be part of any file.
 */
import { isJsonObject, type Json, type JsonObject } from '../../foundation/json.ts';
import { orNull } from '../../foundation/or-null.ts';
import { findBlocks } from './find.ts';
import type { BlockPlace, FoundBlock, TranscriptPlace } from './found-block.ts';

/** A longer line is a picture or a dump, never a summary. */
const LINE_CHARS_MAX = 16 * 1024 * 1024;

/** True where the first line that is not empty is a JSON object with a type, or the text is a session of Gemini CLI. */
export function isTranscript(text: string): boolean {
  const first = /^\uFEFF?\s*(\{[^\n]*)/.exec(text.slice(0, LINE_CHARS_MAX))?.[1];
  const entry = first === undefined ? null : objectIn(first);
  if (entry !== null && (typeof entry['type'] === 'string' || isGeminiSession(entry))) return true;
  return geminiMessages(text) !== null;
}

export function findInTranscript(transcript: string): readonly FoundBlock[] {
  return transcriptEntries(transcript, /handoff/i).flatMap(({ texts, said }) => {
    let index = 0;
    return texts.flatMap(({ text, speaker }) =>
      findBlocks(text).map((block) => {
        const place: BlockPlace = speaker === 'agent' ? block.place : speaker;
        index += 1;
        return { ...block, index: index - 1, place, said };
      }),
    );
  });
}

/** The last message of the agent: a session without a block may end with a plain report. */
export function lastAgentMessage(transcript: string): { readonly text: string; readonly said: TranscriptPlace } | null {
  const own = transcriptEntries(transcript, /assistant|agent_message|"gemini"/).flatMap(({ texts, said }) =>
    texts.filter(({ speaker }) => speaker === 'agent').map(({ text }) => ({ text, said })),
  );
  return own.at(-1) ?? null;
}

interface TranscriptEntry {
  readonly texts: readonly { readonly text: string; readonly speaker: 'agent' | 'tool' | 'other' }[];
  readonly said: TranscriptPlace;
  /** A later version of the entry may follow in the transcript. */
  readonly isRewritten: boolean;
}

/** The id by which the agent's hook names the same turn. */
const TURN_ID = /"(?:promptId|turn_id)":"([^"\\]{1,100})"/;

function transcriptEntries(transcript: string, worthReading: RegExp): readonly TranscriptEntry[] {
  const messages = geminiMessages(transcript);
  if (messages !== null) return sessionEntries(messages);
  const entries: TranscriptEntry[] = [];
  let session: string | null = null;
  let turn: string | null = null;
  let line = 0;
  for (let from = 0; from < transcript.length; line += 1) {
    let end = transcript.indexOf('\n', from);
    if (end < 0) end = transcript.length;
    const row = transcript.slice(from, end);
    from = end + 1;
    const isFirst = line === 0;
    turn = TURN_ID.exec(row)?.[1] ?? turn;
    if (row.length > LINE_CHARS_MAX || (!isFirst && !worthReading.test(row))) continue;
    const entry = objectIn(row);
    if (entry === null) continue;
    session = sessionOf(entry) ?? session;
    const texts = textsOf(entry);
    const own = entryOf(entry, line + 1);
    if (texts.length === 0) continue;
    const said = { line: line + 1, session, turn: turn ?? own, entry: own };
    entries.push({ texts, said, isRewritten: entry['type'] === 'gemini' });
  }
  return newestOf(entries);
}

/** Gemini CLI writes a message again when its tools have answered; the last version counts. */
function newestOf(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const last = new Map(entries.map((each) => [each.said.entry, each]));
  return entries.filter((each) => !each.isRewritten || last.get(each.said.entry) === each);
}

interface GeminiSession {
  readonly session: string | null;
  readonly messages: readonly JsonObject[];
}

function isGeminiSession(entry: JsonObject): boolean {
  return typeof entry['sessionId'] === 'string' && typeof entry['projectHash'] === 'string';
}

/** Null where the text is not one JSON object with the messages of a session. */
function geminiMessages(text: string): GeminiSession | null {
  if (text.length > LINE_CHARS_MAX || !/^\uFEFF?\s*\{/.test(text) || !text.includes('"messages"')) return null;
  const whole = objectIn(text.replace(/^\uFEFF/, ''));
  const messages = whole?.['messages'];
  if (whole === null || !isGeminiSession(whole) || !Array.isArray(messages)) return null;
  return { session: sessionOf(whole), messages: (messages as readonly Json[]).filter(isJsonObject) };
}

function sessionEntries({ session, messages }: GeminiSession): readonly TranscriptEntry[] {
  const all = messages.flatMap((message, at) => {
    const texts = textsOf(message);
    const entry = entryOf(message, at + 1);
    return texts.length === 0
      ? []
      : [{ texts, said: { line: at + 1, session, turn: entry, entry }, isRewritten: true }];
  });
  return newestOf(all);
}

function textsOf(entry: JsonObject): TranscriptEntry['texts'] {
  // Codex wraps what Claude Code says plainly; `event_msg` only repeats it for the screen.
  if (entry['type'] === 'event_msg') return [];
  const body = firstMap(entry['message'], entry['payload'], entry['item']) ?? entry;
  const kind = body['type'];
  if (kind === 'agent_message') return stringsIn(body['text'] ?? body['message'] ?? null).map(by('agent'));
  if (kind === 'function_call_output' || kind === 'custom_tool_call_output' || kind === 'command_execution') {
    return stringsIn(body['output'] ?? body['aggregated_output'] ?? null).map(by('tool'));
  }
  const role = body['role'] ?? entry['type'];
  const isAgent = role === 'assistant' || role === 'model' || role === 'gemini';
  const content = body['content'];
  const parts = Array.isArray(content) ? (content as readonly Json[]) : [content ?? null];
  return parts.flatMap((part) => {
    if (isJsonObject(part) && (part['type'] === 'tool_result' || part['type'] === 'tool_use')) {
      return stringsIn(part['content'] ?? part['input'] ?? null).map(by('tool'));
    }
    if (isJsonObject(part) && part['type'] === 'thinking') return [];
    if (isJsonObject(part) && isJsonObject(part['functionResponse'] ?? null)) {
      const response = firstMap(firstMap(part['functionResponse'])?.['response']);
      return stringsIn(response?.['output'] ?? null).map(by('tool'));
    }
    return stringsIn(part).map(by(isAgent ? 'agent' : 'other'));
  });
}

function by(speaker: 'agent' | 'tool' | 'other'): (text: string) => TranscriptEntry['texts'][number] {
  return (text) => ({ text, speaker });
}

/** A text, the text of a part, or those of a list of parts; nothing deeper. */
function stringsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (isJsonObject(value)) return typeof value['text'] === 'string' ? [value['text']] : [];
  return Array.isArray(value)
    ? (value as readonly Json[]).flatMap((part) => (Array.isArray(part) ? [] : stringsIn(part)))
    : [];
}

function sessionOf(entry: JsonObject): string | null {
  const { sessionId, session_id: underscored, thread_id: thread } = entry;
  const payload = entry['type'] === 'session_meta' ? firstMap(entry['payload'])?.['id'] : undefined;
  for (const id of [sessionId, underscored, thread, payload]) if (typeof id === 'string' && id !== '') return id;
  return null;
}

/** The id of the entry, otherwise its line: a transcript only grows. */
function entryOf(entry: JsonObject, line: number): string {
  const id = entry['uuid'] ?? firstMap(entry['payload'], entry['item'])?.['id'] ?? geminiId(entry);
  return typeof id === 'string' && id !== '' ? id : `line-${line}`;
}

function geminiId(entry: JsonObject): Json {
  return entry['type'] === 'gemini' ? (entry['id'] ?? null) : null;
}

function firstMap(...values: readonly (Json | undefined)[]): JsonObject | null {
  for (const value of values) if (value !== undefined && isJsonObject(value)) return value;
  return null;
}

/** Parsed without our own limits, because it is the agent's file and only texts are read from it. */
function objectIn(row: string): JsonObject | null {
  const value = orNull(() => JSON.parse(row) as Json);
  return isJsonObject(value) ? value : null;
}
