/** Which name was probably meant by one that is not known. */
const LETTERS_OFF_MAX = 2;

export function nearestName(names: readonly string[], wrong: string): string | null {
  const off = names
    .filter((name) => Math.abs(name.length - wrong.length) <= LETTERS_OFF_MAX)
    .map((name) => ({ name, letters: lettersOff(name, wrong.toLowerCase()) }))
    // Of a short word, hardly anything is left when two letters are others.
    .filter(({ name, letters }) => letters <= Math.min(LETTERS_OFF_MAX, Math.floor(name.length / 3)));
  return off.toSorted((a, b) => a.letters - b.letters)[0]?.name ?? null;
}

/** How many letters have to be inserted, removed or changed; two neighbors that are swapped count as one. */
function lettersOff(a: string, b: string): number {
  let above: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const changed = (row[j] ?? 0) + (b[j] === a[i] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwap ? (above[j - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min(changed, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    above = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
