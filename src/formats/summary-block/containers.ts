/**
 * Tracks the quotes and list items that a line of markdown stands in, as CommonMark defines them. To find fences, only the
 * containers matter, and whether a paragraph is open, because it may continue lazily outside of its container. Tables and
 * link definitions are handled as paragraphs.
 */
import { isBlank } from './fence.ts';

/** Deeper containers are handled as text. */
const DEPTH_MAX = 100;
const QUOTE = -1;

/** The position in the line that is being read; tabs go to every fourth column. */
export interface Cursor {
  readonly text: string;
  at: number;
  end: number;
  column: number;
  /** The position is inside a tab. */
  split: boolean;
  /** Columns of white space that follow, and the offset of the first other character. */
  indent: number;
  contentAt: number;
  /** No line of dashes or stars begins before this offset; computed once per line. */
  ruleFreeUntil: number;
}

export interface Containers {
  /** From the outside in: `QUOTE`, or the indentation that a list item needs. */
  readonly open: number[];
  /** The index of the innermost quote; -1: none. */
  quoteAt: number;
  paragraph: boolean;
  /** The innermost list item is empty so far. */
  bare: boolean;
}

export function measure(cursor: Cursor): void {
  let { at, column } = cursor;
  while (at < cursor.end) {
    const code = cursor.text.charCodeAt(at);
    if (code === 0x20) column += 1;
    else if (code === 0x09) column += 4 - (column % 4);
    else break;
    at += 1;
  }
  cursor.contentAt = at;
  cursor.indent = column - cursor.column;
}

export function isEmptyAhead(cursor: Cursor): boolean {
  return cursor.contentAt >= cursor.end;
}

/** Skips columns of white space, perhaps a part of a tab. */
export function advance(cursor: Cursor, columns: number): void {
  let left = columns;
  if (left > 0) cursor.split = false;
  while (left > 0 && cursor.at < cursor.end) {
    const width = cursor.text.charCodeAt(cursor.at) === 0x09 ? 4 - (cursor.column % 4) : 1;
    const used = Math.min(left, width);
    cursor.column += used;
    left -= used;
    if (used === width) cursor.at += 1;
    else cursor.split = true;
  }
  measure(cursor);
}

/** How many of the open containers this line continues. The cursor is behind their marks afterwards. */
export function matchContainers(cursor: Cursor, containers: Containers): number {
  const { open } = containers;
  for (let depth = 0; depth < open.length; depth += 1) {
    const wanted = open[depth] as number;
    if (wanted === QUOTE) {
      if (!takeQuoteMark(cursor)) return depth;
    } else if (isEmptyAhead(cursor)) {
      advance(cursor, cursor.indent);
      // An empty line continues all list items up to the next quote.
      if (containers.quoteAt >= depth) return open.indexOf(QUOTE, depth);
      return containers.bare ? open.length - 1 : open.length;
    } else if (cursor.indent >= wanted) advance(cursor, wanted);
    else return depth;
  }
  return open.length;
}

/** Opens the containers that begin in this line; `matched` of those before continue. Answers how many are open then. */
export function openContainers(cursor: Cursor, containers: Containers, matched: number): number {
  const { open } = containers;
  let kept = matched;
  while (!isEmptyAhead(cursor) && cursor.indent < 4 && kept < DEPTH_MAX) {
    // An open paragraph that this line would interrupt.
    const interrupts = containers.paragraph && kept === open.length;
    const before = cursor.indent;
    if (takeQuoteMark(cursor)) {
      push(containers, kept, QUOTE);
    } else {
      if (isRule(cursor)) return kept;
      const width = takeListMark(cursor, interrupts);
      if (width === 0) return kept;
      push(containers, kept, before + width);
      containers.bare = isEmptyAhead(cursor);
    }
    kept += 1;
  }
  return kept;
}

export function isQuoted({ quoteAt }: Containers): boolean {
  return quoteAt >= 0;
}

/** Closes all but the outer `kept` containers. */
export function closeContainers(containers: Containers, kept: number): void {
  containers.open.length = kept;
  if (containers.quoteAt >= kept) containers.quoteAt = containers.open.lastIndexOf(QUOTE);
}

function push(containers: Containers, kept: number, container: number): void {
  closeContainers(containers, kept);
  containers.open.push(container);
  if (container === QUOTE) containers.quoteAt = kept;
  containers.paragraph = false;
  containers.bare = false;
}

function takeQuoteMark(cursor: Cursor): boolean {
  if (cursor.indent >= 4 || cursor.text.charCodeAt(cursor.contentAt) !== 0x3e || isEmptyAhead(cursor)) return false;
  pass(cursor, 1);
  if (cursor.indent > 0) advance(cursor, 1);
  return true;
}

/** A bullet or a number, followed by a blank or the end of the line. */
const LIST_MARK = /(?:[*+-]|(\d{1,9})[.)])(?![^ \t\r\n])/y;

/** The columns from the mark to the item's text; zero: no item begins here. */
function takeListMark(cursor: Cursor, interrupts: boolean): number {
  const { text, contentAt, end } = cursor;
  LIST_MARK.lastIndex = contentAt;
  const [mark, number = '1'] = LIST_MARK.exec(text) ?? [];
  if (mark === undefined) return 0;
  const { length } = mark;
  if (interrupts && (Number(number) !== 1 || isEmptyFrom(text, contentAt + length, end))) return 0;
  pass(cursor, length);
  const space = isEmptyAhead(cursor) || cursor.indent > 4 ? 1 : cursor.indent;
  advance(cursor, isEmptyAhead(cursor) ? cursor.indent : space);
  return length + space;
}

/** Three or more of `*`, `-` or `_` and nothing else. */
export function isRule(cursor: Cursor): boolean {
  const { text, contentAt, end } = cursor;
  const mark = text.charCodeAt(contentAt);
  if ((mark !== 0x2a && mark !== 0x2d && mark !== 0x5f) || contentAt < cursor.ruleFreeUntil) return false;
  let count = 0;
  for (let at = contentAt; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === mark) count += 1;
    else if (!isBlank(code)) {
      cursor.ruleFreeUntil = at;
      return false;
    }
  }
  return count >= 3;
}

/** Skips a mark of that many characters. */
function pass(cursor: Cursor, length: number): void {
  cursor.column += cursor.indent + length;
  cursor.at = cursor.contentAt + length;
  cursor.split = false;
  measure(cursor);
}

function isEmptyFrom(text: string, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) if (!isBlank(text.charCodeAt(at))) return false;
  return true;
}
