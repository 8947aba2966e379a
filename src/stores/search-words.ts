/**
 * How all stores split text into search words. Every store uses these functions, so a search finds the same in each.
 *
 * A word is a sequence of letters and digits, without case, accents and invisible characters. In a script without
 * spaces each character is a word.
 */
import type { JsonText } from '../foundation/json.ts';
import type { Handoff } from '../domain/handoff.ts';

/** How many characters of a body are indexed: a log of many megabytes is found by its beginning. */
export const INDEXED_MAX = 64 * 1024;
/** Longer words are cut. Databases limit the length of indexed words; a hex digest still fits. */
const WORD_MAX = 128;
/** Only the first words of a longer query are used. */
const QUERY_WORDS_MAX = 64;

/** Combining marks and zero-width characters. */
const INVISIBLE = /[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\u00ad\u200b-\u200f\u2060\ufeff]/gu;
/** Compiled on first use: that takes 0.6 ms, and most texts are ASCII. */
const word = (): RegExp =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}]\p{M}*)+/gu;
const ONLY_ASCII = /^[ -~\s]*$/;
const ASCII_WORD = /[a-z0-9]+/g;

/** The words under which a handoff is found, each once. */
export function wordsOf({ title, task }: Pick<Handoff, 'title' | 'task'>, body: string): readonly string[] {
  return distinct(`${title ?? ''} ${task ?? ''} ${textIn(body.slice(0, INDEXED_MAX))}`);
}

/** The words of a query. Empty: there is nothing to search for. */
export function queryWords(text: string): readonly string[] {
  return distinct(text.length > INDEXED_MAX ? beginningOf(text) : text).slice(0, QUERY_WORDS_MAX);
}

/** Cuts between two words, because half a word would match other texts. */
function beginningOf(text: string): string {
  const cut = text.slice(0, INDEXED_MAX);
  const end = cut.lastIndexOf(' ');
  return end === -1 ? cut : cut.slice(0, end);
}

function distinct(text: string): readonly string[] {
  const words = ONLY_ASCII.test(text) ? text.toLowerCase().match(ASCII_WORD) : folded(text).match(word());
  return [...new Set((words ?? []).map((word) => word.slice(0, WORD_MAX)))];
}

/** Upper case first: only that makes ß and ss, or the two forms of sigma, equal. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(INVISIBLE, '').toUpperCase().toLowerCase().normalize('NFKC');
}

/** Strings, property names and numbers of a JSON text, which may be truncated. */
const IN_JSON = /"([^"\\]*(?:\\.[^"\\]*)*)"?|\d[\d.eE+-]*/gs;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/gs;
const ESCAPED_CHARACTERS: Readonly<Record<string, string>> = { b: ' ', f: ' ', n: '\n', r: ' ', t: ' ' };

function textIn(body: JsonText | string): string {
  const parts: string[] = [];
  for (const [whole, text] of body.matchAll(IN_JSON)) parts.push(text === undefined ? whole : unescaped(text));
  return parts.join(' ');
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (_, code: string | undefined, letter: string | undefined) =>
    code === undefined
      ? (ESCAPED_CHARACTERS[letter ?? ''] ?? letter ?? '')
      : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
