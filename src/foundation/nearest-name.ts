/** Suggests the known name that an unknown one probably stands for. */
const EDIT_DISTANCE_MAX = 2;

export function nearestName(names: readonly string[], wrong: string): string | null {
  const candidates = names
    .filter((name) => Math.abs(name.length - wrong.length) <= EDIT_DISTANCE_MAX)
    .map((name) => ({ name, distance: editDistance(name, wrong.toLowerCase()) }))
    // A short word with two other letters is another word.
    .filter(({ name, distance }) => distance <= Math.min(EDIT_DISTANCE_MAX, Math.floor(name.length / 3)));
  return candidates.toSorted((a, b) => a.distance - b.distance)[0]?.name ?? null;
}

/** Edit distance (Damerau-Levenshtein): two swapped neighbors count as one change. */
function editDistance(a: string, b: string): number {
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
