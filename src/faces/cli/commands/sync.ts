import { carryEffects } from '../../../engine/effects.ts';
import { oneLook, sweep } from '../../../engine/sweep.ts';
import { inHouse, type CommonOptions } from '../invocation.ts';
import type { Output } from '../output.ts';

/** What the duty holder does all the time, once: for machines on which nothing is left running. */
export async function sync(_args: readonly string[], options: CommonOptions, output: Output): Promise<number> {
  return inHouse(options, { scope: 'read' }, async (around) => {
    const { changed } = await sweep(around, oneLook(around));
    await around.rules.queue?.pass('thorough');
    const { carried, postponed, dropped } = await carryEffects(around, around.rules.carriers);
    await around.store.upkeep.tend();
    const told = { changed, carried, postponed, dropped };
    if (output.json) output.answer(told);
    else
      output.line(`${changed} put right, ${carried} effects carried out, ${postponed} postponed, ${dropped} given up`);
    return 0;
  });
}
