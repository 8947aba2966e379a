import { shortIdOf } from '../../../domain/names.ts';
import { displayLine } from '../../../foundation/display-text.ts';
import type { FactRead } from '../../../stores/store.ts';
import { followFacts, newestFacts } from '../../../engine/feed.ts';
import { factView } from '../../shared/views.ts';
import { countArgument } from '../arguments.ts';
import { onInterrupt } from '../interrupt.ts';
import { answerColours as colours, onClosedPipe, type Output } from '../output.ts';
import { withWorkspace, type CommonOptions, type Flags, type Texts } from '../with-workspace.ts';
import { factLine } from './show.ts';

const LINES = 20;
const LINES_MAX = 10_000;

/** The newest facts, and with `--follow` those that come. Each line is whole, so that it can be read by a program. */
type TailOptions = CommonOptions & Flags<'follow'> & Texts<'lines'>;

export async function tail(_args: readonly string[], options: TailOptions, output: Output): Promise<number> {
  const lines = options.lines === undefined ? LINES : countArgument(options.lines, '--lines', 0, LINES_MAX);
  const interrupts = onInterrupt(() => undefined);
  const over = new AbortController();
  onClosedPipe(() => over.abort());
  const signal = AbortSignal.any([interrupts.stop, over.signal]);
  return withWorkspace(options, { scope: 'read', onlyReads: true }, async (ctx, principal) => {
    const known = await newestFacts(ctx, principal, Math.max(lines, 1));
    if (lines > 0) for (const read of known) printFact(read, output);
    if (options.follow !== true) return 0;
    for await (const read of followFacts(ctx, principal, { after: known.at(-1)?.cursor ?? '', signal })) {
      printFact(read, output);
    }
    return interrupts.exitCode() ?? 0;
  });
}

function printFact({ fact, cursor }: FactRead, output: Output): void {
  if (output.json) output.answer({ cursor, ...factView(fact) });
  else output.line(`${colours.dim(displayLine(shortIdOf(fact.handoff)))}  ${factLine(fact)}`);
}
