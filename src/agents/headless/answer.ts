/** Converts the last message of an agent to a result: the JSON object that it is or ends with, otherwise its text. */
import { readJson, type Json, type JsonObject } from '../../foundation/json.ts';

const LAST_FENCE = /```(?:json)?[ \t]*\n((?:(?!```)[\s\S])*)\n```\s*$/;

export function answerIn(message: string): Json {
  const text = message.trim();
  return objectOf(text) ?? objectOf(LAST_FENCE.exec(text)?.[1]?.trim() ?? '') ?? { text };
}

function objectOf(text: string): JsonObject | null {
  const read = text.startsWith('{') ? readJson(text) : null;
  return read?.ok === true ? (read.value.value as JsonObject) : null;
}
