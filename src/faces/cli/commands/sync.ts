import { carryEffects } from '../../../engine/effects.ts';
import type { EngineEvent } from '../../../engine/surroundings.ts';
import { oneLook } from '../../../engine/steadiness.ts';
import { sweep } from '../../../engine/sweep.ts';
import { isAboutDocuments, tellOfDocument } from '../document-events.ts';
import { onInterrupt } from '../interrupt.ts';
import { inHouse, mustBeOperator, type CommonOptions } from '../invocation.ts';
import type { Output } from '../output.ts';

interface SyncOptions extends CommonOptions {
  readonly adopt?: true;
}

/** What the duty holder does all the time, once: for machines on which nothing is left running. */
export async function sync(_args: readonly string[], options: SyncOptions, output: Output): Promise<number> {
  const report = (event: EngineEvent): void => tell(event, output);
  const interrupts = onInterrupt(() => undefined);
  return inHouse(options, { scope: 'read', report }, async (around, _principal, house) => {
    if (options.adopt === true) await mustBeOperator(house, options, 'write');
    const signal = interrupts.stop;
    const { changed } = await sweep(around, await oneLook(around), signal);
    await around.rules.queue?.pass('thorough', { signal });
    await around.rules.documents?.pass('thorough', { vouched: options.adopt === true, signal });
    const settled = options.adopt === true ? await around.rules.documents?.adoptSettled(signal) : undefined;
    const interrupted = interrupts.exitCode();
    if (interrupted !== null) {
      output.note('stopped in the middle; the next sync goes on');
      return interrupted;
    }
    const { carried, postponed, dropped } = await carryEffects(around, around.rules.carriers, { signal });
    await around.store.upkeep.tend();
    const told = { changed, carried, postponed, dropped, ...(settled === undefined ? {} : settled) };
    if (output.json) output.answer(told);
    else {
      if (settled !== undefined) output.line(`${settled.adopted} settled documents adopted`);
      output.line(`${changed} put right, ${carried} effects carried out, ${postponed} postponed, ${dropped} given up`);
    }
    return 0;
  });
}

/** A number alone helps nobody to put a webhook right. What is given up is said to programs too. */
function tell(event: EngineEvent, output: Output): void {
  if (event.kind === 'effect-dropped') output.warn(`${event.effect} ${event.key} is given up: ${event.says}`);
  else if (event.kind === 'effect-postponed') output.note(`${event.effect} ${event.key} has to wait: ${event.says}`);
  else if (event.kind === 'task-left') output.warn(`tasks/${event.task}.md is left as it is: ${event.says}`);
  else if (isAboutDocuments(event)) tellOfDocument(event, output);
  else if (event.kind === 'handoff-recovered') output.note(`${event.id} taken back: ${event.says}`);
}
