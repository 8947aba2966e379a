import { carryEffects } from '../../../engine/effects.ts';
import type { EngineEvent } from '../../../engine/surroundings.ts';
import { oneLook, sweep } from '../../../engine/sweep.ts';
import { isAboutDocuments, tellOfDocument } from '../document-events.ts';
import { inHouse, type CommonOptions } from '../invocation.ts';
import type { Output } from '../output.ts';

/** What the duty holder does all the time, once: for machines on which nothing is left running. */
export async function sync(_args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  const report = (event: EngineEvent): void => tell(event, output);
  return inHouse(options, { scope: 'read', report }, async (around) => {
    const { changed } = await sweep(around, oneLook(around));
    await around.rules.queue?.pass('thorough');
    await around.rules.documents?.pass('thorough');
    const { carried, postponed, dropped } = await carryEffects(around, around.rules.carriers);
    await around.store.upkeep.tend();
    const told = { changed, carried, postponed, dropped };
    if (output.json) output.answer(told);
    else
      output.line(`${changed} put right, ${carried} effects carried out, ${postponed} postponed, ${dropped} given up`);
    return 0;
  });
}

/** A number alone helps nobody to put a webhook right. What is given up is said to programs too. */
function tell(event: EngineEvent, output: Output): void {
  if (event.kind === 'effect-dropped') output.warn(`${event.effect} ${event.key} is given up: ${event.says}`);
  else if (event.kind === 'effect-postponed') output.note(`${event.effect} ${event.key} has to wait: ${event.says}`);
  else if (isAboutDocuments(event)) tellOfDocument(event, output);
  else if (event.kind === 'handoff-recovered') output.note(`${event.id} taken back: ${event.says}`);
}
