/** The fenced lines at the top of a document, in the ways in which people fence them. */
export interface FrontMatter {
  readonly text: string;
  /** Its first line, from 1. */
  readonly line: number;
  /** The index of the first line after it. */
  readonly end: number;
}

const LINES_MAX = 2_000;

export function frontMatterOf(lines: readonly string[]): FrontMatter | null {
  const start = lines.findIndex((line) => line.trim() !== '');
  const fence = lines[start]?.trim() ?? '';
  if (start < 0 || start > 5 || !/^(?:-{3,}|\+{3})$/.test(fence)) return null;
  const isToml = fence.startsWith('+');
  for (let index = start + 1; index < Math.min(lines.length, start + LINES_MAX); index += 1) {
    const line = lines[index]?.trimEnd() ?? '';
    if (!(isToml ? line === '+++' : /^(?:-{3,}|\.{3})$/.test(line))) continue;
    const inside = lines.slice(start + 1, index);
    // Two rules around prose are not a fence around keys.
    if (!inside.some((each) => /^\s*["']?[\p{L}_][\p{L}\p{N}_ .-]*["']?\s*[:=]/u.test(each))) return null;
    const text = isToml ? inside.map(fromToml).join('\n') : inside.join('\n');
    return { text, line: start + 2, end: index + 1 };
  }
  return null;
}

/** Enough of TOML for front matter: `key = value`, and `[table]` as a key above its lines. */
function fromToml(line: string): string {
  const table = /^\s*\[([\w.-]+)\]\s*$/.exec(line);
  if (table !== null) return `${table[1] ?? ''}:`;
  return line.replace(/^(\s*[\w"'.-]+)\s*=\s*/, '$1: ');
}
