/** Lines of any origin, counted from 1 as editors do. */

/** A larger text is no handoff. */
export const TEXT_MAX = 4 * 1024 * 1024;
/** More fields than this are a table of something, or an attack. */
export const FIELDS_MAX = 20_000;
export const DEPTH_MAX = 64;

export function linesOf(text: string): readonly string[] {
  return withoutMark(text).split(/\r\n|\n|\r/);
}

export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Gives the line of an offset without counting from the start each time. */
export function lineCounter(text: string): (at: number) => number {
  const ends: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at);
  return (at) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

/** Whether a text has control characters that no written text has. */
export function isBinary(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.includes('\u0000') || /[\u0001-\u0008\u000e-\u001a]{2}/.test(text);
}
