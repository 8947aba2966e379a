/**
 * File names with `*`, `?`, `[…]` and `**`, for whoever quotes them: shells differ in what they expand, and a thousand
 * names do not fit on every command line. Links to folders are not followed, and hidden ones are not entered unless
 * they are named.
 */
import { existsSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';

const MAGIC = /[*?[]/;
/** A pattern that matches more was not meant. */
const MATCHES_MAX = 100_000;

/** The name itself where there is such a file; else what it matches, in the order of names. */
export function filesFor(given: string): readonly string[] {
  if (!MAGIC.test(given) || existsSync(given)) return [given];
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
  if (!MAGIC.test(part)) {
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
    // What cannot be looked into matches nothing.
    return [];
  }
}

function matcherOf(part: string): (name: string) => boolean {
  let source = '';
  for (let at = 0; at < part.length; at += 1) {
    const sign = part[at] ?? '';
    const end = sign === '[' ? part.indexOf(']', at + 2) : -1;
    if (sign === '*') source += source.endsWith('[^/]*') ? '' : '[^/]*';
    else if (sign === '?') source += '[^/]';
    else if (end > 0) {
      const inside = part.slice(at + 1, end).replaceAll(/[\\\]]/g, String.raw`\$&`);
      source += `[${inside.startsWith('!') ? `^${inside.slice(1)}` : inside}]`;
      at = end;
    } else source += sign.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`);
  }
  const pattern = new RegExp(`^${source}$`, 'u');
  return (name) => (part.startsWith('.') || !name.startsWith('.')) && pattern.test(name);
}
