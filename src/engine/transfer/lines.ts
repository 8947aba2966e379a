/** Splits bytes into lines, with at most the longest allowed line in memory. */

export interface RawLine {
  /** From 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
  /** False: the file ends without a line end. */
  readonly ended: boolean;
  /** The offset after this line, where the next one begins. */
  readonly until: number;
  /** Longer than allowed; `bytes` is empty. */
  readonly tooLong: boolean;
}

const LINE_END = 0x0a;
const RETURN = 0x0d;

export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<RawLine, void, undefined> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 1;
  let before = 0;
  const line = (ended: boolean): RawLine => {
    const bytes = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
    before += bytes.length + (ended ? 1 : 0);
    const whole = bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes;
    const made = { number, bytes: whole, ended, until: before, tooLong: false };
    parts = [];
    length = 0;
    number += 1;
    return made;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, from)) {
      parts.push(chunk.subarray(from, at));
      if (length + at - from > bytesMax) {
        yield { number, bytes: new Uint8Array(), ended: true, until: before, tooLong: true };
        return;
      }
      yield line(true);
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > bytesMax) {
      yield { number, bytes: new Uint8Array(), ended: false, until: before, tooLong: true };
      return;
    }
  }
  if (length > 0) yield line(false);
}
