/** Where the front matter of a document begins and ends. */

export interface FrontMatter {
  /** Offsets of the YAML between the two lines of dashes. */
  readonly from: number;
  readonly to: number;
  readonly bodyFrom: number;
  readonly lineEnd: '\n' | '\r\n';
}

type FrontMatterFound = { readonly kind: 'found'; readonly at: FrontMatter } | { readonly kind: 'none' | 'open' };

const FENCE = /^---[ \t]*\r?$/;

/** `none`: the text does not begin with a front matter. `open`: its last line is missing. */
export function findFrontMatter(text: string): FrontMatterFound {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  const firstEnd = endOfLine(text, start);
  if (!FENCE.test(text.slice(start, firstEnd))) return { kind: 'none' };
  const lineEnd = text[firstEnd - 1] === '\r' ? '\r\n' : '\n';
  const from = firstEnd + 1;
  for (let at = from; at < text.length;) {
    const end = endOfLine(text, at);
    // The last line of a file that is being written may still become longer.
    if (FENCE.test(text.slice(at, end)) && (end < text.length || at === end - 3)) {
      return { kind: 'found', at: { from, to: at, bodyFrom: Math.min(end + 1, text.length), lineEnd } };
    }
    at = end + 1;
  }
  return { kind: 'open' };
}

/** The offset of the line feed, or the end of the text. */
export function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** Counted from one. */
export function placeAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  const before = text.slice(start, offset);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}
