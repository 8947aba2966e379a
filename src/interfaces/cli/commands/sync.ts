import { deadLetterSender } from '../../../engine/dead-letters.ts';
import { sendEffects } from '../../../engine/effects.ts';
import type { EngineEvent } from '../../../engine/context.ts';
import { checkOnce } from '../../../engine/stall-detection.ts';
import { sweep } from '../../../engine/sweep.ts';
import { printEvent } from '../event-text.ts';
import { onInterrupt } from '../interrupt.ts';
import { withWorkspace, mustBeOperator, type CommonOptions, type Flags } from '../with-workspace.ts';
import type { Output } from '../output.ts';

/** Runs one pass of the duty, for machines on which no process keeps running. */
type SyncOptions = CommonOptions & Flags<'adopt' | 'quiet'>;

export async function sync(_args: readonly string[], options: SyncOptions, output: Output): Promise<number> {
  const isQuiet = options.quiet === true;
  const files = { adopted: 0, quarantined: 0 };
  const report = (event: EngineEvent): void => {
    if (event.kind === 'file-adopted') files.adopted += 1;
    if (event.kind === 'file-quarantined') files.quarantined += 1;
    if (!isQuiet || event.kind !== 'documents-paused') printEvent(event, output);
  };
  const interrupts = onInterrupt(() => undefined);
  return withWorkspace(options, { scope: 'read', report }, async (ctx, _principal, app) => {
    if (options.adopt === true) await mustBeOperator(app, options, 'write');
    const signal = interrupts.stop;
    if (options.quiet === true) {
      await ctx.rules.documents?.sync('full', { signal });
      return 0;
    }
    const { changed } = await sweep(ctx, await checkOnce(ctx), signal);
    await ctx.rules.queue?.sync('thorough', { signal });
    await ctx.rules.documents?.sync('thorough', { vouched: options.adopt === true, asked: true, signal });
    if (options.adopt === true) await ctx.rules.queue?.adoptFinished(signal);
    const settled = options.adopt === true ? await ctx.rules.documents?.adoptSettled(signal) : undefined;
    const interrupted = interrupts.exitCode();
    if (interrupted !== null) {
      output.note('stopped; the next sync continues');
      return interrupted;
    }
    const { carried, postponed, dropped } = await sendEffects(
      ctx,
      [...ctx.rules.effectSenders, deadLetterSender(ctx)],
      { signal },
    );
    await ctx.store.upkeep.maintain();
    const answer = { changed, carried, postponed, dropped, files, ...(settled === undefined ? {} : settled) };
    if (output.json) output.answer(answer);
    else {
      if (files.adopted + files.quarantined > 0) {
        output.line(`${files.adopted} files adopted, ${files.quarantined} put into quarantine`);
      }
      if (settled !== undefined) output.line(`${settled.adopted} settled documents adopted`);
      output.line(
        `${changed} handoffs changed; ${carried} effects delivered, ${postponed} postponed, ${dropped} given up`,
      );
    }
    return 0;
  });
}
