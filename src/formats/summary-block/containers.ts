/**
 * Which quotes and list items a line of markdown stands in, as CommonMark has it.
 *
 * Fences need no more of markdown than this: where containers begin and end, and whether a paragraph is open, because a
 * paragraph may go on lazily outside of its container. Tables and link definitions are taken for paragraphs.
 */
import { isBlank } from './fence.ts';

/** Deeper is an attack or an accident; what is nested deeper is taken for text. */
const DEPTH_MAX = 100;
const QUOTE = -1;

/** A line while it is being read: where we are, and in which column (tabs go to every fourth). */
export interface Cursor {
  readonly text: string;
  at: number;
  end: number;
  column: number;
  /** We stand inside of a tab. */
  split: boolean;
  /** What follows: columns of white space, and where the first other character stands. */
  indent: number;
  inkAt: number;
  /** No line of dashes or stars begins before here; found out once per line. */
  noRuleBefore: number;
}

export interface Containers {
  /** From the outside in: `QUOTE`, or the columns a list item wants in front of its lines. */
  readonly open: number[];
  /** Where among them the innermost quote stands; -1 where there is none. */
  quoteAt: number;
  paragraph: boolean;
  /** The innermost list item has nothing in it yet. */
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
  cursor.inkAt = at;
  cursor.indent = column - cursor.column;
}

export function isEmptyAhead(cursor: Cursor): boolean {
  return cursor.inkAt >= cursor.end;
}

/** Goes on by columns of white space; a tab may be used up in part. */
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

/** How many of the open containers this line goes on with. The cursor stands behind their marks afterwards. */
export function goOn(cursor: Cursor, containers: Containers): number {
  const { open } = containers;
  for (let depth = 0; depth < open.length; depth += 1) {
    const wanted = open[depth] as number;
    if (wanted === QUOTE) {
      if (!takeQuoteMark(cursor)) return depth;
    } else if (isEmptyAhead(cursor)) {
      advance(cursor, cursor.indent);
      // An empty line goes on with all list items up to the next quote; asked in one go, because there may be many.
      if (containers.quoteAt >= depth) return open.indexOf(QUOTE, depth);
      return containers.bare ? open.length - 1 : open.length;
    } else if (cursor.indent >= wanted) advance(cursor, wanted);
    else return depth;
  }
  return open.length;
}

/** Opens what begins in front of the rest of the line; `matched` of those before go on. Answers how many are open then. */
export function openMore(cursor: Cursor, containers: Containers, matched: number): number {
  const { open } = containers;
  let kept = matched;
  while (!isEmptyAhead(cursor) && cursor.indent < 4 && kept < DEPTH_MAX) {
    // A paragraph that this line would have to interrupt, not one that is already left behind.
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

/** Leaves all but the outer ones. */
export function leave(containers: Containers, kept: number): void {
  containers.open.length = kept;
  if (containers.quoteAt >= kept) containers.quoteAt = containers.open.lastIndexOf(QUOTE);
}

function push(containers: Containers, kept: number, container: number): void {
  leave(containers, kept);
  containers.open.push(container);
  if (container === QUOTE) containers.quoteAt = kept;
  containers.paragraph = false;
  containers.bare = false;
}

function takeQuoteMark(cursor: Cursor): boolean {
  if (cursor.indent >= 4 || cursor.text.charCodeAt(cursor.inkAt) !== 0x3e || isEmptyAhead(cursor)) return false;
  pass(cursor, 1);
  if (cursor.indent > 0) advance(cursor, 1);
  return true;
}

/** The columns from the mark to the item's text; zero where no item begins. */
function takeListMark(cursor: Cursor, interrupts: boolean): number {
  const { text, inkAt, end } = cursor;
  const first = text.charCodeAt(inkAt);
  let length = 1;
  if (first >= 0x30 && first <= 0x39) {
    while (length < 10 && inkAt + length < end && isDigit(text.charCodeAt(inkAt + length))) length += 1;
    const mark = text.charCodeAt(inkAt + length);
    if (length > 9 || inkAt + length >= end || (mark !== 0x2e && mark !== 0x29)) return 0;
    if (interrupts && Number(text.slice(inkAt, inkAt + length)) !== 1) return 0;
    length += 1;
  } else if (first !== 0x2a && first !== 0x2b && first !== 0x2d) return 0;
  const after = inkAt + length;
  if (after < end && !isBlank(text.charCodeAt(after))) return 0;
  if (interrupts && isEmptyFrom(text, after, end)) return 0;

  pass(cursor, length);
  const space = isEmptyAhead(cursor) || cursor.indent > 4 ? 1 : cursor.indent;
  if (isEmptyAhead(cursor)) advance(cursor, cursor.indent);
  else advance(cursor, space);
  return length + space;
}

/** Three or more of `*`, `-` or `_` and nothing else. */
export function isRule(cursor: Cursor): boolean {
  const { text, inkAt, end } = cursor;
  const mark = text.charCodeAt(inkAt);
  if ((mark !== 0x2a && mark !== 0x2d && mark !== 0x5f) || inkAt < cursor.noRuleBefore) return false;
  let count = 0;
  for (let at = inkAt; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === mark) count += 1;
    else if (!isBlank(code)) {
      cursor.noRuleBefore = at;
      return false;
    }
  }
  return count >= 3;
}

/** Goes behind a mark of that many characters. */
function pass(cursor: Cursor, length: number): void {
  cursor.column += cursor.indent + length;
  cursor.at = cursor.inkAt + length;
  cursor.split = false;
  measure(cursor);
}

function isEmptyFrom(text: string, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) if (!isBlank(text.charCodeAt(at))) return false;
  return true;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
