/** Finds the lines of a markdown text that are code, and the text of each block. */
const FENCE = /^[ \t]*(?:>[ \t]*)*(`{3,}|~{3,})[ \t]*([^\s`]*)/;

export interface Block {
  readonly word: string;
  readonly text: string;
  /** The first line inside, from 1. */
  readonly line: number;
}

export function fencesIn(
  lines: readonly string[],
  from: number,
): { readonly inside: readonly boolean[]; readonly blocks: readonly Block[] } {
  const inside: boolean[] = [];
  const blocks: Block[] = [];
  /** The shortest fence of each mark that is never closed: no longer one below it is closed either. */
  const open: Record<string, number> = {};
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const fence = line.includes('```') || line.includes('~~~') ? FENCE.exec(line) : null;
    if (fence === null) continue;
    const marks = fence[1] ?? '```';
    const isOpen = marks.length >= (open[marks.charAt(0)] ?? Infinity);
    const end = isOpen ? -1 : closing(lines, index + 1, marks);
    // A fence that is never closed is a slip: only its own line counts as code.
    if (end < 0) {
      inside[index] = true;
      open[marks.charAt(0)] = Math.min(marks.length, open[marks.charAt(0)] ?? Infinity);
      continue;
    }
    for (let each = index; each <= end; each += 1) inside[each] = true;
    blocks.push({ word: fence[2] ?? '', text: lines.slice(index + 1, end).join('\n'), line: index + 2 });
    index = end;
  }
  return { inside, blocks };
}

function closing(lines: readonly string[], from: number, fence: string): number {
  const mark = fence.charAt(0);
  for (let index = from; index < lines.length; index += 1) {
    const whole = lines[index] ?? '';
    if (whole.length > 200 || !whole.includes(fence)) continue;
    const line = whole.replace(/^[\s>]+/, '').trimEnd();
    if (line.replaceAll(mark, '') === '') return index;
  }
  return -1;
}
