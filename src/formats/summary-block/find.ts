/**
 * Finds the blocks of a markdown text in one pass over its lines. Time grows only with the length of the text: each line is
 * read a bounded number of times, whatever stands in it.
 */
import {
  advance,
  matchContainers,
  isEmptyAhead,
  isQuoted,
  isRule,
  closeContainers,
  measure,
  openContainers,
} from './containers.ts';
import type { Containers, Cursor } from './containers.ts';
import { isActive, type BlockPlace, type FoundBlock } from './found-block.ts';
import { blockOf, closesAt, fenceAt, addRow, languageAt, type Fence, type OpenBlock } from './fence.ts';

export function findBlocks(markdown: string): readonly FoundBlock[] {
  const scan = new Scan(markdown, null);
  scan.run();
  const found = scan.found.toSorted((one, other) => one.start - other.start);
  const acting = found.filter(isActive);
  if (acting.length === 0) return found.map((block, index) => ({ ...block, index }));
  const sections = sectionsOf(markdown);
  let prose = '';
  let end = markdown.startsWith('\uFEFF') ? 1 : 0;
  return found.map((block, index) => {
    const isOwn = isActive(block);
    if (isOwn) {
      prose = markdown.slice(end, block.start).trim() || prose;
      ({ end } = block);
    }
    const rest = isOwn && block === acting.at(-1) ? markdown.slice(end) : null;
    return { ...block, index, prose: isOwn ? prose : '', rest, under: sections(block.line) };
  });
}

/** The headings above a line; asked for lines in ascending order. */
function sectionsOf(markdown: string): (line: number) => readonly string[] {
  const headings = proseLines(markdown).filter(({ text }) => /^#{1,6}[ \t]/.test(text));
  const open: { readonly level: number; readonly title: string }[] = [];
  let next = 0;
  return (line) => {
    for (let heading = headings[next]; heading !== undefined && heading.line < line; heading = headings[next]) {
      const level = heading.text.search(/[^#]/);
      while ((open.at(-1)?.level ?? 0) >= level) open.pop();
      open.push({ level, title: heading.text.slice(level, level + TITLE_MAX).trim() });
      next += 1;
    }
    return open.map(({ title }) => title);
  };
}

const TITLE_MAX = 200;

/** The lines outside quotes, fences, code and comments, without list markers. */
export function proseLines(markdown: string): readonly ProseLine[] {
  const lines: ProseLine[] = [];
  new Scan(markdown, (line) => lines.push(line)).run();
  return lines;
}

export interface ProseLine {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Characters with which a line of plain text begins. */
const PLAIN = new Uint8Array(128).fill(1);
for (const mark of '\t\r\n >#`~*-+_=<0123456789') PLAIN[mark.charCodeAt(0)] = 0;

class Scan {
  readonly found: FoundBlock[] = [];
  private readonly cursor: Cursor;
  private readonly containers: Containers = { open: [], quoteAt: -1, paragraph: false, bare: false };
  private line = 0;
  private lineStart = 0;
  /** The open fence, and its content where it may be YAML. */
  private fence: Fence | null = null;
  private gathering: OpenBlock | null = null;
  /** A fence inside another fence, indented code or a comment. */
  private inner: OpenBlock | null = null;
  private inComment = false;
  private readonly onLine: ((line: ProseLine) => void) | null;

  constructor(text: string, onLine: ((line: ProseLine) => void) | null) {
    this.onLine = onLine;
    const at = text.startsWith('\uFEFF') ? 1 : 0;
    this.cursor = { text, at, end: at, column: 0, split: false, indent: 0, contentAt: at, ruleFreeUntil: 0 };
  }

  run(): void {
    const { text } = this.cursor;
    const hasReturns = text.includes('\r');
    let newline = -1;
    for (let from = this.cursor.at; from < text.length;) {
      // Searched once, however many lines end with a return before it.
      if (newline < from) newline = text.indexOf('\n', from);
      if (newline < 0) newline = text.length;
      const end = hasReturns ? endOfLine(text, from, newline) : newline;
      this.line += 1;
      if (!this.isPlainText(from)) this.take(from, end);
      else if (this.onLine !== null) this.onLine({ line: this.line, column: 1, text: text.slice(from, end) });
      from = end + (text.charCodeAt(end) === 0x0d && text.charCodeAt(end + 1) === 0x0a ? 2 : 1);
    }
    this.closeFence(text.length, false);
    this.closeInner(text.length, false);
  }

  /** A quick test, because most lines are plain text. */
  private isPlainText(from: number): boolean {
    if (this.fence !== null || this.inner !== null || this.inComment || this.containers.open.length > 0) return false;
    const code = this.cursor.text.charCodeAt(from);
    if (code < 128 && PLAIN[code] === 0) return false;
    this.containers.paragraph = true;
    return true;
  }

  private take(from: number, end: number): void {
    const { cursor, containers } = this;
    this.lineStart = from;
    cursor.at = from;
    cursor.end = end;
    cursor.column = 0;
    cursor.split = false;
    cursor.ruleFreeUntil = 0;
    measure(cursor);
    const matched = containers.open.length === 0 ? 0 : matchContainers(cursor, containers);
    if (this.fence !== null) {
      if (matched === containers.open.length) return this.inFence(this.fence);
      this.closeFence(this.endBefore(), false);
    }
    if (this.inComment && matched === containers.open.length) return this.comment();
    this.inComment = false;
    if (this.inner !== null) {
      if (matched === containers.open.length && (isEmptyAhead(cursor) || cursor.indent >= 4))
        return this.inside('code');
      this.closeInner(this.endBefore(), false);
    }
    this.begin(matched);
  }

  private begin(matched: number): void {
    const { cursor, containers } = this;
    const before = containers.open.length;
    const kept = openContainers(cursor, containers, matched);
    if (isEmptyAhead(cursor)) {
      closeContainers(containers, kept);
      containers.paragraph = false;
      if (kept === matched) containers.bare = false;
      return;
    }
    const isLazy = containers.paragraph && kept < before && kept === matched;
    if (cursor.indent >= 4) {
      if (!isLazy) closeContainers(containers, kept);
      const isText = containers.paragraph;
      this.inside('code');
      if (!isText) containers.bare = false;
      return;
    }
    const leaf = this.leafHere(kept === containers.open.length);
    if (this.onLine !== null && (leaf === 'text' || leaf === 'line') && !isQuoted(containers)) {
      const { text, contentAt, end } = cursor;
      this.onLine({ line: this.line, column: contentAt - this.lineStart + 1, text: text.slice(contentAt, end) });
    }
    if (leaf === 'text') {
      if (!isLazy) closeContainers(containers, kept);
      containers.paragraph = true;
    } else {
      closeContainers(containers, kept);
      containers.paragraph = false;
      if (leaf === 'comment') this.comment();
      else if (leaf !== 'line') this.enterFence(leaf);
    }
    containers.bare = false;
  }

  private leafHere(allMatched: boolean): 'text' | 'line' | 'comment' | Fence {
    const { cursor } = this;
    const { text, contentAt, end } = cursor;
    const fence = fenceAt(text, contentAt, end, cursor.indent);
    if (fence !== null) return fence;
    if (isRule(cursor) || matchesAt(HEADING, text, contentAt)) return 'line';
    if (this.containers.paragraph && allMatched && matchesAt(UNDERLINE, text, contentAt)) return 'line';
    return text.startsWith('<!--', contentAt) ? 'comment' : 'text';
  }

  private enterFence(fence: Fence): void {
    const { cursor, containers } = this;
    this.fence = fence;
    const language = languageAt(cursor.text, cursor.contentAt + fence.length, cursor.end);
    if (language !== 'other') this.gathering = this.gather(isQuoted(containers) ? 'quote' : 'top', fence);
  }

  private inFence(fence: Fence): void {
    const { cursor } = this;
    if (cursor.indent < 4 && closesAt(cursor.text, cursor.contentAt, cursor.end, fence)) {
      this.closeInner(cursor.end, false);
      return this.closeFence(cursor.end, true);
    }
    const { at, column, split } = cursor;
    if (this.gathering !== null) this.keepRow(this.gathering);
    Object.assign(cursor, { at, column, split });
    measure(cursor);
    this.inside('fence');
  }

  /** For a quoted fence: only one with a YAML language tag is read. */
  private inside(place: BlockPlace): void {
    const { cursor, inner } = this;
    const { text, contentAt, end } = cursor;
    if (inner !== null) {
      if (!closesAt(text, contentAt, end, inner)) return this.keepRow(inner);
      return this.closeInner(end, true);
    }
    const code = text.charCodeAt(contentAt);
    if ((code !== 0x60 && code !== 0x7e) || contentAt >= end) return;
    const fence = fenceAt(text, contentAt, end, cursor.indent);
    if (fence === null || languageAt(text, contentAt + fence.length, end) !== 'yaml') return;
    this.inner = this.gather(place, fence);
  }

  private comment(): void {
    const { text, at, end } = this.cursor;
    this.inside('comment');
    this.inComment = !text.slice(at, end).includes('-->');
    if (!this.inComment) this.closeInner(end, false);
  }

  private gather(place: BlockPlace, fence: Fence): OpenBlock {
    const { contentAt } = this.cursor;
    const column = contentAt - this.lineStart + 1;
    return { ...fence, place, line: this.line, column, start: contentAt, rows: [], cuts: [], chars: 0 };
  }

  private keepRow(gathering: OpenBlock): void {
    const { cursor } = this;
    advance(cursor, Math.min(cursor.indent, gathering.indent));
    const { text, at, end, column, split } = cursor;
    // The rest of a split tab becomes spaces.
    const row = split ? ' '.repeat(4 - (column % 4)) + text.slice(at + 1, end) : text.slice(at, end);
    addRow(gathering, row, at - this.lineStart);
  }

  private closeFence(end: number, closed: boolean): void {
    const { gathering } = this;
    this.fence = null;
    this.gathering = null;
    if (gathering !== null) this.add(gathering, end, closed);
    if (!closed) this.closeInner(end, false);
  }

  private closeInner(end: number, closed: boolean): void {
    const { inner } = this;
    this.inner = null;
    if (inner !== null) this.add(inner, end, closed);
  }

  private add(gathering: OpenBlock, end: number, closed: boolean): void {
    const block = blockOf(this.cursor.text, gathering, end, closed);
    if (block !== null) this.found.push(block);
  }

  /** Where the line before this one ends. */
  private endBefore(): number {
    const { text } = this.cursor;
    const at = this.lineStart - 1;
    return text.charCodeAt(at) === 0x0a && text.charCodeAt(at - 1) === 0x0d ? at - 1 : at;
  }
}

/** A carriage return alone ends a line, too. */
function endOfLine(text: string, from: number, newline: number): number {
  for (let at = from; at < newline; at += 1) if (text.charCodeAt(at) === 0x0d) return at;
  return newline;
}

const HEADING = /#{1,6}(?![^ \t\r\n])/y;
const UNDERLINE = /(?:=+|-+)[ \t]*(?![^\r\n])/y;

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
