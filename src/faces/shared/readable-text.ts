/** Text of others for a terminal: nothing in it may move the cursor, hide itself or pretend to be ours. */
export function readableText(text: string): string {
  return text.replaceAll(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Control characters but tab and line end, zero-width ones, and those that turn the direction of writing. */
const HIDDEN = /(?![\t\n])[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;
