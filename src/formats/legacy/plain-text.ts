/** Removes markdown formatting from a short text. */

const LINK = /!?\[([^\][]{0,300})\]\([^()\s]{0,500}\)/g;
const WIKI_LINK = /\[\[([^\][|]{1,200})(?:\|[^\][]{0,200})?\]\]/g;
const WRAPS: readonly (readonly [string, string])[] = [
  ['***', '***'],
  ['**', '**'],
  ['__', '__'],
  ['~~', '~~'],
  ['``', '``'],
  ['`', '`'],
  ['*', '*'],
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['«', '»'],
];

const OPENERS = /^[*_~`"'“«]/;

export function plainText(text: string): string {
  let plain = text.trim();
  if (plain.includes('](')) plain = plain.replace(LINK, '$1');
  if (plain.includes('[[')) plain = plain.replace(WIKI_LINK, '$1');
  for (let again = OPENERS.test(plain); again;) {
    again = false;
    for (const [open, close] of WRAPS) {
      const inside = plain.slice(open.length, -close.length);
      if (plain.length <= open.length + close.length || !plain.startsWith(open) || !plain.endsWith(close)) continue;
      if (inside.includes(open)) continue;
      // `__NAME__` is a blank to be filled in; `__name__` is emphasis.
      if (open === '__' && /^[A-Z][A-Z0-9_]*$/.test(inside)) continue;
      plain = inside.trim();
      again = true;
    }
  }
  return plain;
}

/** Whether the text is a blank of a form: `<role>`, `{from}`, `[name]`, `YYYY-MM-DD`, `XXX`, `__NAME__`, `string`. */
export function isPlaceholder(text: string): boolean {
  const plain = text.trim();
  if (BLANK.test(plain)) return true;
  return /YYYY|<[a-z][a-z _|/-]{1,80}>|\{[a-z_]{2,40}\}|__[A-Z][A-Z _-]{0,40}__|(?<!\w)XXX+(?!\w)/.test(plain);
}

const BLANK =
  /^(?:<[^<>]{1,200}>|\{\{?[^{}]{1,200}\}\}?|\[[^\][]{1,200}\]|\$\{?[A-Z_]{1,60}\}?|_{2,}|\.{3}|…|string|str|x{3,}|_{2,}\w{1,60}_{2,})$/i;
