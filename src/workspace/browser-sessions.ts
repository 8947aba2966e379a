/** `.baton/browser-sessions.json`: hashes of browser sessions, for the next server of this workspace. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../foundation/atomic-file.ts';
import type { Workspace } from './workspace.ts';

const NAME = 'browser-sessions.json';

export function sessionFileOf({ privateFolder }: Workspace): { read(): string | null; write(text: string): void } {
  const path = join(privateFolder, NAME);
  return {
    read: () => {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return null;
      }
    },
    write: (text) => {
      try {
        writeAtomically(path, text, { mode: 0o600, durably: true });
      } catch {
        // The sessions of this server go on; after a restart users have to log in again.
      }
    },
  };
}
