/**
 * Expands quoted file names with `*`, `?`, `[…]` and `**`: shells differ in what they expand, and a thousand names do not
 * fit on every command line. Links to folders are not followed, and hidden folders are entered only by name.
 */
import { existsSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';

const PATTERN_CHARACTERS = /[*?[]/;
/** A pattern that matches more files is a mistake. */
const MATCHES_MAX = 100_000;

/** The file of this name if there is one; else the files that match the pattern, sorted by name. */
export function filesFor(given: string): readonly string[] {
  if (!PATTERN_CHARACTERS.test(given) || existsSync(given)) return [given];
  const parts = given.split('/');
  const first = parts[0] === '' ? '/' : '';
  const found: string[] = [];
  walk(first, first === '' ? parts : parts.slice(1), found);
  return [...new Set(found)].toSorted((one, other) => (one < other ? -1 : 1));
}

function walk(folder: string, [part, ...rest]: readonly string[], found: string[]): void {
  if (part === undefined || found.length >= MATCHES_MAX) return;
  if (part === '**') {
    walk(folder, rest, found);
    for (const entry of entriesOf(folder)) {
      if (entry.isDirectory() && !entry.name.startsWith('.')) walk(join(folder, entry.name), [part, ...rest], found);
    }
    return;
  }
  if (!PATTERN_CHARACTERS.test(part)) {
    const path = join(folder, part);
    if (rest.length > 0) walk(path, rest, found);
    else if (existsSync(path)) found.push(path);
    return;
  }
  const isMeant = matcherOf(part);
  for (const entry of entriesOf(folder)) {
    if (!isMeant(entry.name)) continue;
    if (rest.length > 0 && entry.isDirectory()) walk(join(folder, entry.name), rest, found);
    else if (rest.length === 0 && !entry.isDirectory()) found.push(join(folder, entry.name));
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder === '' ? '.' : folder, { withFileTypes: true });
  } catch {
    // A folder that cannot be read matches nothing.
    return [];
  }
}

type Token = '*' | ((sign: string) => boolean);

/** Goes back to the last star only. A regular expression would try all combinations of the stars. */
function matcherOf(part: string): (name: string) => boolean {
  const tokens = tokensOf(part);
  return (name) => (part.startsWith('.') || !name.startsWith('.')) && matches(tokens, Array.from(name));
}

function matches(tokens: readonly Token[], signs: readonly string[]): boolean {
  let [token, sign, star, from] = [0, 0, -1, 0];
  while (sign < signs.length) {
    const wanted = tokens[token];
    if (wanted === '*') {
      star = token;
      from = sign;
      token += 1;
    } else if (wanted?.(signs[sign] ?? '') === true) {
      token += 1;
      sign += 1;
    } else if (star >= 0) {
      from += 1;
      token = star + 1;
      sign = from;
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === '*');
}

function tokensOf(part: string): readonly Token[] {
  const signs = Array.from(part);
  const tokens: Token[] = [];
  for (let at = 0; at < signs.length; at += 1) {
    const sign = signs[at] ?? '';
    const end = sign === '[' ? signs.indexOf(']', at + 2) : -1;
    if (sign === '*') tokens.push('*');
    else if (sign === '?') tokens.push(() => true);
    else if (end > 0) {
      tokens.push(oneOf(signs.slice(at + 1, end)));
      at = end;
    } else tokens.push((other) => other === sign);
  }
  return tokens;
}

/** `a-z` is a range, and `!` or `^` in front means none of them. */
function oneOf(signs: readonly string[]): (sign: string) => boolean {
  const negated = signs[0] === '!' || signs[0] === '^';
  const inside = negated ? signs.slice(1) : signs;
  const isRange = (at: number): boolean => inside[at + 1] === '-' && at + 2 < inside.length;
  return (sign) => {
    let found = false;
    for (let at = 0; at < inside.length; at += isRange(at) ? 3 : 1) {
      const [first = '', last = ''] = [inside[at], isRange(at) ? inside[at + 2] : inside[at]];
      found ||= sign >= first && sign <= last;
    }
    return found !== negated;
  };
}
