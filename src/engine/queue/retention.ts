/** Finished files are archived by the policy of the workspace, seldom: the folders of what is finished are long. */
import type { MessageFolder } from '../../folders/folder.ts';

const SELDOM_MS = 60 * 60_000;
/** While there is more to move than one turn moves. */
const MORE_MS = 1_000;

export function retentionKeeper(folder: MessageFolder, monotonicMs: () => number): (isSure: boolean) => Promise<void> {
  let nextMs = Number.NEGATIVE_INFINITY;
  return async (isSure) => {
    if (!isSure && monotonicMs() < nextMs) return;
    const moved = await folder.tidy();
    nextMs = monotonicMs() + (moved > 0 ? MORE_MS : SELDOM_MS);
  };
}
