/** Writes values as YAML that every reader understands in the same way. */

/** Every value is a text, because readers disagree on numbers and booleans. */
export type YamlValue = null | string | readonly YamlValue[] | { readonly [key: string]: YamlValue };

const PLAIN = /^[A-Za-z_/][A-Za-z0-9_ ./+@()-]*$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)?$/;
/** Words that some readers take for other values than text. */
const RESERVED_WORD = /^(?:null|true|false|yes|no|on|off|y|n|[.+-]?(?:inf|nan))$/i;
// eslint-disable-next-line no-control-regex -- what a literal block cannot hold
const NOT_LITERAL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]|^[ \n]|[ ]$|\n\n$|[ ]\n/;

/** The text behind the colon of a key, in the same line or in the lines below, without the last line end. */
export function valueText(value: YamlValue, indent = ''): string {
  if (value === null) return ' null';
  if (typeof value === 'string') return ` ${stringText(value, `${indent}  `)}`;
  return Array.isArray(value) ? listText(value, `${indent}  `) : mapText(value as Fields, `${indent}  `);
}

type Fields = { readonly [key: string]: YamlValue };

function listText(items: readonly YamlValue[], indent: string): string {
  if (items.length === 0) return ' []';
  const lines = items.map((item) => {
    const text = valueText(item, indent);
    // The first key of a map stands behind the dash.
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
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(key) && !RESERVED_WORD.test(key) ? key : JSON.stringify(key);
}

function stringText(text: string, indent: string): string {
  if (INSTANT.test(text)) return text;
  const isWord = PLAIN.test(text) && !text.includes(' ') && !RESERVED_WORD.test(text);
  if (isWord) return text;
  if (!text.includes('\n') || NOT_LITERAL.test(text)) return quoted(text);
  const isEnded = text.endsWith('\n');
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n');
  return `|${isEnded ? '' : '-'}${lines.map((line) => (line === '' ? '\n' : `\n${indent}${line}`)).join('')}`;
}

/** A JSON text is a YAML text; characters that some readers take for a line end are escaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (each) => {
    return `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
