/** Two texts as a unified diff, for people who want to see a change before it is made. */
const CONTEXT_LINES = 3;
/** The table of common lines is this many cells at most; larger texts are shown as replaced. */
const CELLS_MAX = 4_000_000;

export function diffOf(before: string | null, after: string | null, name: string): readonly string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const edits = editsBetween(old, now);
  const shown = edits.map((edit, index) => edit.sign !== ' ' || isNearChange(edits, index));
  const lines: string[] = [`--- ${before === null ? '/dev/null' : name}`, `+++ ${after === null ? '/dev/null' : name}`];
  let isOpen = false;
  edits.forEach((edit, index) => {
    if (shown[index] !== true) {
      isOpen = false;
      return;
    }
    if (!isOpen) lines.push(`@@ line ${edit.line} @@`);
    isOpen = true;
    lines.push(`${edit.sign}${edit.text}`);
  });
  return lines;
}

interface Edit {
  readonly sign: ' ' | '+' | '-';
  readonly text: string;
  /** In the new text. */
  readonly line: number;
}

function linesOf(text: string | null): readonly string[] {
  return text === null || text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function isNearChange(edits: readonly Edit[], index: number): boolean {
  return edits.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ sign }) => sign !== ' ');
}

/** By the longest common subsequence of lines. */
function editsBetween(old: readonly string[], now: readonly string[]): readonly Edit[] {
  const [rows, columns] = [old.length + 1, now.length + 1];
  if (rows * columns > CELLS_MAX) return [...old.map(gone), ...now.map((text, at) => added(text, at))];
  const common = new Uint32Array(rows * columns);
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      const at = row * columns + column;
      common[at] =
        old[row] === now[column]
          ? (common[at + columns + 1] ?? 0) + 1
          : Math.max(common[at + columns] ?? 0, common[at + 1] ?? 0);
    }
  }
  const edits: Edit[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const at = row * columns + column;
    if (row < old.length && column < now.length && old[row] === now[column]) {
      edits.push({ sign: ' ', text: now[column] ?? '', line: column + 1 });
      row += 1;
      column += 1;
    } else if (column >= now.length || (row < old.length && (common[at + columns] ?? 0) >= (common[at + 1] ?? 0))) {
      edits.push({ ...gone(old[row] ?? ''), line: column + 1 });
      row += 1;
    } else {
      edits.push(added(now[column] ?? '', column));
      column += 1;
    }
  }
  return edits;
}

function gone(text: string): Edit {
  return { sign: '-', text, line: 1 };
}

function added(text: string, at: number): Edit {
  return { sign: '+', text, line: at + 1 };
}
