/** Archives finished files by the policy of the workspace, once an hour, because their folders are large. */
import type { MessageFolder } from '../../folders/folder.ts';

const INTERVAL_MS = 60 * 60_000;
/** The interval while there may be more files to move. */
const MORE_MS = 1_000;

export function finishedFileArchiver(
  folder: MessageFolder,
  monotonicMs: () => number,
): (force: boolean) => Promise<void> {
  let nextMs = Number.NEGATIVE_INFINITY;
  return async (force) => {
    if (!force && monotonicMs() < nextMs) return;
    const moved = await folder.archiveFinished();
    nextMs = monotonicMs() + (moved > 0 ? MORE_MS : INTERVAL_MS);
  };
}
