/**
 * What a word is, for all stores alike: they find the same because none of them cuts or folds anything by itself.
 *
 * Words are what stands between everything that is neither letter nor digit, without case, accents and characters that
 * nobody sees. Where a script has no spaces, each of its characters is a word.
 */
import type { JsonText } from '../foundation/json.ts';
import type { Handoff } from '../domain/handoff.ts';

/** As much of a body as is looked at, in characters; a log of many megabytes is found by its beginning. */
export const INDEXED_MAX = 64 * 1024;
/** Longer ones are found by their beginning. Databases limit what they index; a digest in hex still fits. */
const WORD_MAX = 128;
/** Of a longer query only the first words count. */
const ASKED_MAX = 64;

/** Accents and signs that change how a character looks, and what is between characters without being seen. */
const UNSEEN = /[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\u00ad\u200b-\u200f\u2060\ufeff]/gu;
/** Made when it is needed: that takes V8 0.6 ms, and most texts have only ASCII. */
const word = (): RegExp =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}]\p{M}*)+/gu;
const ONLY_ASCII = /^[ -~\s]*$/;
const ASCII_WORD = /[a-z0-9]+/g;

/** The words under which a handoff is found, each once. */
export function wordsOf({ title, task }: Pick<Handoff, 'title' | 'task'>, body: string): readonly string[] {
  return distinct(`${title ?? ''} ${task ?? ''} ${textIn(body.slice(0, INDEXED_MAX))}`);
}

/** The words that somebody looks for. None: there is nothing to look for. */
export function wordsAsked(text: string): readonly string[] {
  return distinct(text.length > INDEXED_MAX ? beginningOf(text) : text).slice(0, ASKED_MAX);
}

/** Half a word is another word, so it is cut between two, if there are two. */
function beginningOf(text: string): string {
  const cut = text.slice(0, INDEXED_MAX);
  const end = cut.lastIndexOf(' ');
  return end === -1 ? cut : cut.slice(0, end);
}

function distinct(text: string): readonly string[] {
  const words = ONLY_ASCII.test(text) ? text.toLowerCase().match(ASCII_WORD) : folded(text).match(word());
  return [...new Set((words ?? []).map((word) => word.slice(0, WORD_MAX)))];
}

/** Capitals first, because only they make ß and ss, or the two forms of a sigma, the same. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(UNSEEN, '').toUpperCase().toLowerCase().normalize('NFKC');
}

/** Texts, names and numbers of a JSON text, which may have lost its end. */
const IN_JSON = /"([^"\\]*(?:\\.[^"\\]*)*)"?|\d[\d.eE+-]*/gs;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/gs;
const WRITTEN: Readonly<Record<string, string>> = { b: ' ', f: ' ', n: '\n', r: ' ', t: ' ' };

function textIn(body: JsonText | string): string {
  const parts: string[] = [];
  for (const [whole, text] of body.matchAll(IN_JSON)) parts.push(text === undefined ? whole : unescaped(text));
  return parts.join(' ');
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (_, code: string | undefined, letter: string | undefined) =>
    code === undefined ? (WRITTEN[letter ?? ''] ?? letter ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
