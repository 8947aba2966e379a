/** Which lines of a markdown text are code, and what stands in each block. */
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
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const open = line.includes('```') || line.includes('~~~') ? FENCE.exec(line) : null;
    if (open === null) continue;
    const end = closing(lines, index + 1, open[1] ?? '```');
    // A fence that nobody closes is a slip: only its own line is lost to it.
    if (end < 0) {
      inside[index] = true;
      continue;
    }
    for (let each = index; each <= end; each += 1) inside[each] = true;
    blocks.push({ word: open[2] ?? '', text: lines.slice(index + 1, end).join('\n'), line: index + 2 });
    index = end;
  }
  return { inside, blocks };
}

function closing(lines: readonly string[], from: number, fence: string): number {
  const mark = fence.charAt(0);
  for (let index = from; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').replace(/^[\s>]+/, '').trimEnd();
    if (line.length >= fence.length && line.length < 200 && [...line].every((sign) => sign === mark)) return index;
  }
  return -1;
}
