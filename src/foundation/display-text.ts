/**
 * Text of others where people read it: a terminal, a table, a log. Nothing in it may move the cursor, change colors,
 * hide itself, turn the direction of writing or look like a line of ours.
 *
 * Each hidden character becomes the escape that JSON has for it, so JSON that was made readable is the same JSON.
 */
export function displayText(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll(hidden(), escaped);
}

/** To make the other expression takes 0.5 ms, and most of what commands answer has only these. */
const PLAIN = /^[\t\n -~]*$/;

/** The same on one line, for table cells and names inside of our own sentences. */
export function displayLine(text: string): string {
  return displayText(text).replaceAll(/[\t\n]/g, (character) => (character === '\n' ? '\\n' : '\\t'));
}

/** For XML, HTML, pictures and notes on a desktop, where an escape would only be noise. */
export function withoutHidden(text: string, instead = ''): string {
  return text.replaceAll(hidden(), instead);
}

/**
 * Control characters but tab and line end (escape sequences begin with one), format characters (zero-width ones, those
 * of direction, tags), whatever else is invisible by definition, line and paragraph separators, halves of surrogate
 * pairs and what is no character. The two selectors that make a sign an emoji or not stay.
 */
const hidden = (): RegExp =>
  /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Surrogate}\ufffe\uffff]/gu;

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
