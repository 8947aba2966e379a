/** What `baton prune` says. */
import { counted } from '../../../foundation/count-text.ts';
import type { Results } from '../../../operations/operation.ts';
import { prunedView } from '../../shared/pruned-view.ts';
import type { Telling } from './run-operation.ts';

export function tellPruned(pruned: Results['pruned'], { output }: Telling): void {
  const { dryRun, handoffs, kept, archives, settledBefore, stopped, damaged } = pruned;
  if (output.json) return output.answer(prunedView(pruned));
  const since = new Date(settledBefore).toISOString();
  output.line(
    dryRun
      ? `${counted(handoffs, 'handoff')} that ended before ${since} would be moved to an archive; nothing was changed`
      : `removed ${counted(handoffs, 'handoff')} that ended before ${since}`,
  );
  for (const name of archives) output.line(`  ${name}`);
  if (kept > 0) output.note(`${counted(kept, 'handoff')} stayed: something came to need them meanwhile`);
  for (const { id, says } of damaged) output.note(`${id} stayed: ${says} (baton doctor says more)`);
  if (stopped) output.note('stopped; the same command goes on from there');
}
