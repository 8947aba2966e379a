/**
 * Syncs files in rounds: all files that are handed in before a round begins are synced together. Of forty files that are
 * synced together, each takes a fifth of the processor time of a file synced alone (measured on ext4: 105 and 529 µs); a
 * handoff with its files takes 6 to 14 % less. The database already has the handoff, so its file may follow some
 * milliseconds later.
 */
import { fsyncAsync, syncFolder } from '../foundation/folder-sync.ts';

/** At most two rounds begin within this time, so a single file and then its folder need not wait. */
const TWO_ROUNDS_MS = 30;

export type SyncRounds = ReturnType<typeof openSyncRounds>;

interface Round {
  readonly begun: Promise<void>;
  readonly ended: Promise<unknown>;
  readonly syncs: Promise<void>[];
  readonly folders: Map<string, Promise<void>>;
}

export function openSyncRounds() {
  /** Collects files until it begins. */
  let next: Round | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let [lastMs, beforeLastMs] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];

  /** Waits at least until the end of this turn of the event loop. */
  const pause = async (): Promise<void> => {
    const restMs = beforeLastMs + TWO_ROUNDS_MS - performance.now();
    await new Promise((resolve) => (restMs > 0 ? setTimeout(resolve, restMs) : setImmediate(resolve)));
  };
  const openRound = (): Round => {
    const syncs: Promise<void>[] = [];
    const begun = last.then(pause).then(() => {
      next = null;
      [beforeLastMs, lastMs] = [lastMs, performance.now()];
    });
    const ended = begun.then(() => Promise.allSettled(syncs));
    last = ended;
    return { begun, ended, syncs, folders: new Map() };
  };
  const join = async (round: Round, sync: () => Promise<void>): Promise<void> => {
    const syncing = round.begun.then(sync);
    round.syncs.push(syncing);
    await round.ended;
    return syncing;
  };

  return {
    /** Resolves when the content of an open file is on disk. After an error the file must not be synced again. */
    file: async (file: number) => join((next ??= openRound()), () => fsyncAsync(file)),
    /** Resolves when the present names in the folder are on disk. */
    async folder(path: string) {
      const round = (next ??= openRound());
      const syncing = round.folders.get(path) ?? join(round, () => syncFolder(path));
      round.folders.set(path, syncing);
      return syncing;
    },
  };
}
