/** Values as YAML that every reader understands in the same way. */

/** Everything in a document is a text: numbers and truth values mean different things to different readers. */
export type Said = null | string | readonly Said[] | { readonly [key: string]: Said };

const PLAIN = /^[A-Za-z_/][A-Za-z0-9_ ./+@()-]*$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)?$/;
/** What one reader or another takes for something that is no text. */
const TAKEN = /^(?:null|true|false|yes|no|on|off|y|n|[.+-]?(?:inf|nan))$/i;
// eslint-disable-next-line no-control-regex -- what a literal block cannot hold
const NOT_LITERAL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]|^[ \n]|[ ]$|\n\n$|[ ]\n/;

/** What stands after the colon of a key: on the same line, or in the lines below it. Without the last line end. */
export function valueText(value: Said, indent = ''): string {
  if (value === null) return ' null';
  if (typeof value === 'string') return ` ${stringText(value, `${indent}  `)}`;
  return Array.isArray(value) ? listText(value, `${indent}  `) : mapText(value as Fields, `${indent}  `);
}

type Fields = { readonly [key: string]: Said };

function listText(items: readonly Said[], indent: string): string {
  if (items.length === 0) return ' []';
  const lines = items.map((item) => {
    const text = valueText(item, indent);
    // The first key of a map stands beside the dash.
    return `\n${indent}-${text.startsWith('\n') ? ` ${text.slice(indent.length + 3)}` : text}`;
  });
  return lines.join('');
}

function mapText(fields: Fields, indent: string): string {
  const entries = Object.entries(fields);
  if (entries.length === 0) return ' {}';
  return entries.map(([key, value]) => `\n${indent}${keyText(key)}:${valueText(value, indent)}`).join('');
}

export function keyText(key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key) && !TAKEN.test(key) ? key : JSON.stringify(key);
}

function stringText(text: string, indent: string): string {
  if (INSTANT.test(text)) return text;
  const isWord = PLAIN.test(text) && !text.includes(' ') && !TAKEN.test(text);
  if (isWord) return text;
  if (!text.includes('\n') || NOT_LITERAL.test(text)) return quoted(text);
  const isEnded = text.endsWith('\n');
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n');
  return `|${isEnded ? '' : '-'}${lines.map((line) => (line === '' ? '\n' : `\n${indent}${line}`)).join('')}`;
}

/** A text of JSON is one of YAML; what some readers take for a line end is written as an escape. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (each) => {
    return `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
