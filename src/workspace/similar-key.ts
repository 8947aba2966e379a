/** Which key was probably meant by one that the configuration does not have. */
import * as z from 'zod';

const LETTERS_OFF_MAX = 2;

export function similarKey(shape: z.ZodType, path: readonly PropertyKey[], wrong: string): string | null {
  const off = keysAt(shape, path)
    .filter((key) => Math.abs(key.length - wrong.length) <= LETTERS_OFF_MAX)
    .map((key) => ({ key, letters: lettersOff(key, wrong.toLowerCase()) }))
    // Of a short word, hardly anything is left when two letters are others.
    .filter(({ key, letters }) => letters <= Math.min(LETTERS_OFF_MAX, Math.floor(key.length / 3)));
  return off.toSorted((a, b) => a.letters - b.letters)[0]?.key ?? null;
}

function keysAt(shape: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = bare(shape);
  for (const name of path) {
    if (at instanceof z.ZodObject) at = bare((at.shape as Record<PropertyKey, unknown>)[name]);
    else at = at instanceof z.ZodRecord ? bare(at.valueType) : at instanceof z.ZodArray ? bare(at.element) : null;
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function bare(shape: unknown): unknown {
  return shape instanceof z.ZodOptional || shape instanceof z.ZodNullable ? bare(shape.unwrap()) : shape;
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
