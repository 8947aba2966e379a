/** What the scripts share that serve a sample workspace. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const BATON = join(ROOT, 'dist/baton.cjs');
/** Git ignores it. */
export const SAMPLE = join(ROOT, '.sample');

/** Resolves with the exit code. */
export function ended(child) {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once('exit', resolve));
}

/** The first line that a child prints; null: it ended before that. */
export function firstLine(child) {
  return new Promise((resolve) => {
    let text = '';
    child.once('exit', () => resolve(null));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
  });
}
