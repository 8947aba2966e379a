/** What all test files share: the command as it is published, and servers that are started when one is asked for. */
import type { TestProject } from 'vitest/node';
import { built } from './built.ts';
import { keepTemporaryFilesInMemory } from './memory-folder.ts';
import { putPythonOnPath } from './quick-python.ts';
import { endSharedServers, prepareSharedServers } from './shared-postgres.ts';

let removeTemporaryFiles = (): void => undefined;
let removePython = (): void => undefined;

/**
 * The name is vitest's: it calls `setup` before the first test file. On a developer's machine a failed build is only
 * told, because the tests that do not need it still say something. In CI it ends the run.
 */
export async function setup({ config }: TestProject): Promise<void> {
  // The long campaigns have a disk, as users have; the installed agents are to last, and the sandbox in which Codex
  // starts itself has no /dev/shm.
  if (config.env['BATON_CAMPAIGN'] === undefined) removeTemporaryFiles = keepTemporaryFilesInMemory();
  removePython = putPythonOnPath();
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
  removePython();
  removeTemporaryFiles();
}
