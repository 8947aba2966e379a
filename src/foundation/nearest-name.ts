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

/** How many letters have to be put in, taken out or changed. */
function lettersOff(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const changed = (row[j] ?? 0) + (b[j] === a[i] ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
