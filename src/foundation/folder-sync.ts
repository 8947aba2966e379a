/**
 * Waits until the names in a folder are on disk: without a sync of its folder, a renamed file may be lost in a power cut.
 * Windows cannot sync a folder, and does not need it.
 */
import { closeSync, fsync, fsyncSync, openSync } from 'node:fs';

/** Written out: to load `promisify` and to call it took a tenth of a millisecond of every start. */
export function fsyncAsync(file: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(file, (error) => (error === null ? resolve() : reject(error)));
  });
}

const CAN_SYNC = process.platform !== 'win32';

interface Syncing {
  readonly now: Promise<void>;
  next: Promise<void> | null;
}

const running = new Map<string, Syncing>();

/**
 * One sync serves all callers that renamed a file in the same folder before it began. A caller that arrives during a sync
 * needs the next one.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (!CAN_SYNC) return;
  const syncing = running.get(folder);
  if (syncing === undefined) return begin(folder);
  syncing.next ??= syncing.now.then(
    () => begin(folder),
    () => begin(folder),
  );
  return syncing.next;
}

function begin(folder: string): Promise<void> {
  const now = sync(folder);
  const syncing: Syncing = { now, next: null };
  running.set(folder, syncing);
  const remove = (): void => {
    if (running.get(folder) === syncing && syncing.next === null) running.delete(folder);
  };
  now.then(remove, remove);
  return now;
}

async function sync(folder: string): Promise<void> {
  const file = openSync(folder, 'r');
  try {
    await fsyncAsync(file);
  } finally {
    closeSync(file);
  }
}

export function syncFolderSync(folder: string): void {
  if (!CAN_SYNC) return;
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
