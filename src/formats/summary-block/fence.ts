/** Collects a fence line by line, and decides whether it holds a `handoff`. */
import { BLOCK_CHARS_MAX, UNPLACED, type FoundBlock } from './found-block.ts';

export interface Fence {
  readonly marker: number;
  readonly length: number;
  /** Columns in front of the opening fence; every line loses as many. */
  readonly indent: number;
}

export interface OpenBlock extends Fence, Pick<FoundBlock, 'place' | 'line' | 'column' | 'start'> {
  readonly rows: string[];
  readonly cuts: number[];
  chars: number;
}

const BACKTICK = 0x60;
const TILDE = 0x7e;
const LANGUAGES = new Set(['', 'yaml', 'yml', 'handoff']);

/** The fence that opens at `at`, or null. `end` is the end of the line. */
export function fenceAt(text: string, at: number, end: number, indent: number): Fence | null {
  const marker = text.charCodeAt(at);
  if (marker !== BACKTICK && marker !== TILDE) return null;
  const length = runLength(text, at, end, marker);
  if (length < 3) return null;
  if (marker === BACKTICK) {
    // Bounded by the line: the text after it may be ten megabytes without a backtick.
    for (let next = at + length; next < end; next += 1) if (text.charCodeAt(next) === BACKTICK) return null;
  }
  return { marker, length, indent };
}

export function closesAt(text: string, at: number, end: number, fence: Fence): boolean {
  if (text.charCodeAt(at) !== fence.marker) return false;
  const length = runLength(text, at, end, fence.marker);
  if (length < fence.length) return false;
  for (let next = at + length; next < end; next += 1) if (!isBlank(text.charCodeAt(next))) return false;
  return true;
}

/** The language behind the opening fence; `bare`: none. */
export function languageAt(text: string, at: number, end: number): 'yaml' | 'bare' | 'other' {
  const word = /^[^\s{]*/.exec(text.slice(at, Math.min(end, at + 64)).trim())?.[0].toLowerCase() ?? '';
  if (word === '') return 'bare';
  return LANGUAGES.has(word) ? 'yaml' : 'other';
}

export function addRow(gathering: OpenBlock, row: string, cut: number): void {
  if (gathering.chars > BLOCK_CHARS_MAX) return;
  gathering.chars += row.length + 1;
  gathering.rows.push(row.length > BLOCK_CHARS_MAX ? row.slice(0, BLOCK_CHARS_MAX) : row);
  gathering.cuts.push(cut);
}

/** Null: the fence holds no `handoff`. */
export function blockOf(text: string, gathering: OpenBlock, end: number, closed: boolean): FoundBlock | null {
  if (!holdsHandoff(gathering.rows)) return null;
  const { place, line, column, start, rows, cuts, chars } = gathering;
  const tooLarge = chars > BLOCK_CHARS_MAX;
  const cutOff = !closed && end === text.length && !/[\r\n]$/.test(text.slice(-1));
  const own = text.slice(start, tooLarge ? start + BLOCK_CHARS_MAX : end);
  const yaml = rows.join('\n');
  return { ...UNPLACED, place, line, column, start, end, closed, cutOff, text: own, yaml, cuts, tooLarge };
}

const HANDOFF_KEY = /^(?:handoff|"handoff"|'handoff')[ \t]*:(?:[ \t]|$)/i;
const HANDOFF_FLOW = /^\{\s*(?:handoff|"handoff"|'handoff')[ \t]*:/i;
/** In JSON `handoff` has to be the first key. */
const FLOW_CHARS_MAX = 512;

/** A key at the level of the first one; deeper ones belong to something else. */
export function holdsHandoff(rows: readonly string[]): boolean {
  let level = -1;
  for (const row of rows) {
    const at = firstNonBlank(row);
    if (at === row.length || row[at] === '#' || (at === 0 && (row.startsWith('---') || row.startsWith('%')))) continue;
    if (level < 0 && row[at] === '{') return HANDOFF_FLOW.test(rows.join('\n').slice(0, FLOW_CHARS_MAX).trimStart());
    if (level < 0 || at < level) level = at;
    if (at === level && HANDOFF_KEY.test(row.slice(at, at + 64))) return true;
  }
  return false;
}

function firstNonBlank(row: string): number {
  let at = 0;
  while (at < row.length && isBlank(row.charCodeAt(at))) at += 1;
  return at;
}

export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d;
}

function runLength(text: string, at: number, end: number, marker: number): number {
  let next = at;
  while (next < end && text.charCodeAt(next) === marker) next += 1;
  return next - at;
}
