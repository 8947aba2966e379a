/**
 * Waits until the names in a folder are on the disk: a renamed file whose folder was not synced is the first one to be
 * lost in a power cut. Windows cannot sync a folder, and does not need it.
 */
import { closeSync, fsync, fsyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const synced = promisify(fsync);
const CAN_SYNC = process.platform !== 'win32';

interface Syncing {
  readonly now: Promise<void>;
  next: Promise<void> | null;
}

const underWay = new Map<string, Syncing>();

/**
 * One sync serves all callers that renamed something in the same folder before it began. A caller that comes during a sync
 * needs the next one.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (!CAN_SYNC) return;
  const syncing = underWay.get(folder);
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
  underWay.set(folder, syncing);
  const over = (): void => {
    if (underWay.get(folder) === syncing && syncing.next === null) underWay.delete(folder);
  };
  now.then(over, over);
  return now;
}

async function sync(folder: string): Promise<void> {
  const file = openSync(folder, 'r');
  try {
    await synced(file);
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
