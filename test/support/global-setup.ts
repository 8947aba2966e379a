/** What all test files share: the command as it is published. */
import { built } from './built.ts';

/**
 * The name is vitest's: it calls `setup` before the first test file. On a developer's machine a failed build is only
 * told, because the tests that do not need it still say something. In CI it ends the run.
 */
export async function setup(): Promise<void> {
  try {
    await built('command');
  } catch (error) {
    if (process.env['CI']) throw error;
    console.warn(`${String(error)}\nTests that run dist/baton.mjs will fail; the others go on.`);
  }
}
