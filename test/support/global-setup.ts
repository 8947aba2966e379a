/** What all test files share: the command as it is published, and servers that are started when one is asked for. */
import { built } from './built.ts';
import { endSharedServers, prepareSharedServers } from './shared-postgres.ts';

/**
 * The name is vitest's: it calls `setup` before the first test file. On a developer's machine a failed build is only
 * told, because the tests that do not need it still say something. In CI it ends the run.
 */
export async function setup(): Promise<void> {
  prepareSharedServers();
  try {
    await built('command');
  } catch (error) {
    if (process.env['CI']) throw error;
    console.warn(`${String(error)}\nTests that run dist/baton.cjs will fail; the others go on.`);
  }
}

export async function teardown(): Promise<void> {
  await endSharedServers();
}
